import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PushersOptions } from '../../../src/relay/delivery/pushers.ts';
import { raw } from '../../../src/store/engine.ts';
import { dialects } from '../../support/database/engines.ts';
import { storeOn } from '../../support/database/store.ts';
import { createPushRig, message, type PushRig } from '../../support/rigs/delivery-rig.ts';

describe.each(dialects)('forwarding set to another position, on %s', (dialect) => {
  let rig: PushRig;

  beforeEach(async () => {
    rig = await createPushRig(dialect, { maxConnections: 4 });
    await rig.apply();
  });
  afterEach(() => rig.close());

  const at = async (position: number) => (await rig.cursor())?.position === position;
  async function rewind(position: number): Promise<void> {
    await storeOn(rig.engine).readers.rewind(rig.bot, 'push', position, rig.clock.now());
    let isHandled = false;
    const handling = rig.pushers.onRemoteChange(rig.bot).then(() => {
      isHandled = true;
    });
    // Deliveries in flight are awaited only for so long.
    await rig.until(() => isHandled, 200);
    await handling;
  }

  it('delivers again what lies behind it, each chat in its order, also when it was idle', async () => {
    await rig.receive([1, 2, 3, 4, 5, 6].map((id) => message(id, (id % 2) + 1)));
    await rig.until(() => at(6), 10);
    rig.backend.arrivals.length = 0;
    await rewind(2);
    await rig.until(async () => rig.backend.arrivals.length === 4 && (await at(6)), 10);
    expect([rig.arrivedOf(1), rig.arrivedOf(2)]).toEqual([
      [4, 6],
      [3, 5],
    ]);
    await rig.receive([message(7, 1)]);
    await rig.until(() => at(7), 10);
    expect(rig.arrivedOf(1)).toEqual([4, 6, 7]);
  });

  it('counts no delivery time for what it delivers again, also after a restart', async () => {
    const times: (number | undefined)[] = [];
    const metrics = {
      attempted: (...counted: unknown[]) => void times.push(counted[3] as number | undefined),
    } as unknown as NonNullable<PushersOptions['metrics']>;
    await rig.crash({ metrics });
    await rig.apply();
    await rig.receive([message(1, 1), message(2, 1)]);
    await rig.until(() => at(2), 10);
    await rig.clock.advance(3_600_000);
    await rewind(1);
    await rig.crash({ metrics });
    await rig.apply();
    await rig.until(() => at(2), 10);
    await rig.receive([message(3, 1)]);
    await rig.until(() => at(3), 10);
    const counted = times.filter((ms) => ms !== undefined);
    expect(counted).toHaveLength(3);
    expect(Math.max(...counted)).toBeLessThan(60_000);
  });

  it('is not undone by deliveries in flight, and skips to the end', async () => {
    let release = () => {};
    rig.backend.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({});
      });
    rig.seen.held = 1;
    await rig.receive([message(1, 1), message(2, 1), message(3, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 1);
    await rewind(3);
    release();
    rig.backend.answer = () => ({});
    rig.seen.held = 0;
    await rig.receive([message(4, 1)]);
    await rig.until(() => at(4), 10);
    expect(rig.arrivedIds()).toEqual([1, 4]);
  });

  it('keeps what failed before it waiting, and takes up what failed behind it', async () => {
    rig.backend.answer = ({ chatId }) => (chatId === 1 ? { status: 500 } : {});
    await rig.receive([message(1, 1), message(2, 2), message(3, 1), message(4, 2)]);
    // The first retry comes at once, the next one not before time moves on.
    const attempts = async () => (await rig.retryQueues.list(rig.bot, 'push', 1))[0]?.attempts;
    await rig.until(async () => (await at(4)) && (await attempts()) === 2, 10);
    await rig.quiet();
    rig.backend.answer = () => ({});
    rig.backend.arrivals.length = 0;
    await rewind(2);
    await rig.until(async () => rig.backend.arrivals.length === 3 && (await at(4)), 1_000);
    expect([rig.arrivedOf(1), rig.arrivedOf(2)]).toEqual([[1, 3], [4]]);
    await rig.until(async () => (await rig.retryQueues.list(rig.bot, 'push', 10)).length === 0, 10);
  });

  it('delivers only the kinds that the backend wants now', async () => {
    await rig.receive([message(1, 1), message(2, 1)]);
    await rig.until(() => at(2), 10);
    await rig.engine.write(() =>
      raw(
        `insert into webhooks (bot_id, max_connections, allowed_updates, since, set_at)
         values ($1, 0, '["edited_message"]', 2, 1)`,
        [rig.bot],
      ),
    );
    await rewind(0);
    const { update_id, message: edited } = message(3, 1);
    await rig.receive([{ update_id, edited_message: edited }]);
    await rig.until(() => at(3), 10);
    expect(rig.arrivedIds()).toEqual([1, 2, 3]);
  });
});

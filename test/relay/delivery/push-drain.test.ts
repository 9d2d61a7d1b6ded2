import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialects } from '../../support/database/engines.ts';
import { createPushRig, message, type PushRig } from '../../support/rigs/delivery-rig.ts';

describe.each(dialects)('a drained reader on %s', (dialect) => {
  let rig: PushRig;
  const drain = (id: string) =>
    rig.pushers.drain({ id, botId: rig.bot, readers: ['push', 'push:other'] });

  beforeEach(async () => {
    rig = await createPushRig(dialect);
    await rig.apply();
  });
  afterEach(() => rig.close());

  /** Holds back the first of two updates of a chat. */
  async function inFlight() {
    const open = Promise.withResolvers<object>();
    rig.backend.answer = ({ updateId }) => (updateId === 1 ? open.promise : {});
    await rig.receive([message(1, 1), message(2, 1)]);
    await rig.until(() => rig.arrivedIds().length === 1);
    return open;
  }

  it('finishes and stores what is in flight, and begins nothing until it is resumed', async () => {
    const open = await inFlight();
    const drained = drain('one');
    open.resolve({});
    await drained;
    expect((await rig.cursor())?.position).toBe(1);

    await rig.apply();
    await rig.pushers.onRemoteChange(rig.bot);
    await rig.receive([message(3, 1)]);
    await rig.clock.advance(5_000);
    expect(rig.arrivedIds()).toEqual([1]);

    await rig.pushers.resume('one');
    await rig.until(async () => (await rig.cursor())?.position === 3, 10);
    expect(rig.arrivedIds()).toEqual([1, 2, 3]);
  });

  it('waits for the last of several, and ends with the settings of that moment', async () => {
    await Promise.all([drain('one'), drain('one'), drain('two')]);
    await rig.pushers.resume('one');
    await rig.receive([message(1, 1)]);
    await rig.clock.advance(1_000);
    expect(rig.arrivedIds()).toEqual([]);
    await rig.store.bots.update(rig.bot, { proxy_enabled: false }, rig.clock.now());
    await rig.pushers.resume('two');
    await rig.clock.advance(1_000);
    expect(rig.arrivedIds()).toEqual([]);
    expect(rig.pushers.botIds()).toEqual([]);
  });

  it('is not begun by a node that takes the bot over meanwhile', async () => {
    await rig.pushers.stop(rig.bot);
    await drain('one');
    await rig.apply();
    await rig.receive([message(1, 1)]);
    await rig.clock.advance(1_000);
    expect(rig.arrivedIds()).toEqual([]);
    await rig.pushers.resume('one');
    await rig.until(() => rig.arrivedIds().length === 1, 10);
  });

  it('goes on by itself when nobody resumes it', async () => {
    await drain('one');
    await rig.receive([message(1, 1)]);
    await rig.clock.advance(14_000);
    expect(rig.arrivedIds()).toEqual([]);
    await rig.until(() => rig.arrivedIds().length === 1, 100);
  });
});

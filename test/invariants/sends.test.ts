import { describe, expect, it, vi } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { dialects } from '../support/database/engines.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { inspect } from './support/reconcile.ts';
import { killSends, statesOf } from './support/kill-sends.ts';
import { addBot, createStage } from './support/stage.ts';

const source = '7401:AAsends_source';

describe.each(dialects)('sends on %s', (dialect) => {
  it('invariant 6: a route acts once, though the service is killed while it sends', () =>
    killSends(dialect, 1));

  it('invariant 7: a send with an unknown outcome is recorded as such, and not repeated', async () => {
    const { database, platform, start } = await createStage(dialect);
    let service = await start();
    const { id } = await addBot(service, { token: source });
    const send = async (by: ServiceProcess, text: string, key: string) => {
      const body = { bot_id: id, chat_id: 5, text };
      const headers = { 'idempotency-key': key };
      const answer = await by
        .request('/api/messages/send', { body, headers })
        .catch(() => undefined);
      const { code } = ((await answer?.json()) ?? {}) as { code?: string };
      return { status: answer?.status, code };
    };
    const unknown = { status: 504, code: 'platform_timeout' };

    platform.onCall = (call) => call.cut();
    expect(await send(service, 'cut off', 'first')).toEqual(unknown);
    expect(await send(service, 'cut off', 'first')).toEqual(unknown);
    expect(platform.calls).toHaveLength(1);

    // Killed with the request on its way.
    platform.onCall = () => {};
    const lost = send(service, 'on its way', 'second');
    await vi.waitFor(() => expect(platform.calls).toHaveLength(2));
    await service.crash();
    expect(await lost).toEqual({ status: undefined, code: undefined });
    // This long after its start, no node can still be sending it.
    await inspect(database, (engine) =>
      engine.write(() => raw('update idempotency set created_at = created_at - 60000')),
    );

    service = await start();
    expect(await send(service, 'cut off', 'first')).toEqual(unknown);
    expect(await send(service, 'on its way', 'second')).toEqual(unknown);
    expect(platform.calls).toHaveLength(2);
    await service.crash();
    expect(await statesOf(database)).toEqual([{ state: 'unknown', count: 2 }]);
  });
});

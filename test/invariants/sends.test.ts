import { describe, expect, it, vi } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { type Database, dialects } from '../support/database/engines.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { message, type PlatformCall, sentMessage } from './support/held-platform.ts';
import { inspect } from './support/reconcile.ts';
import { addBot, createStage } from './support/stage.ts';
import { routingReader } from '../../src/core/log/reader-kinds.ts';

const source = '7401:AAsends_source';
const target = '7402:AAsends_target';

const statesOf = (database: Database) =>
  inspect(database, (engine) =>
    engine.readRaw<{ state: string; count: number }>(
      'select state, count(*) as count from outbox group by state order by state',
      [],
    ),
  );

describe.each(dialects)('sends on %s', (dialect) => {
  it('invariant 6: a route acts once, though the service is killed while it sends', async () => {
    const { database, platform, start } = await createStage(dialect);
    let service = await start();
    const from = await addBot(service, { token: source });
    const to = await addBot(service, { token: target });
    await service.call('/api/routes/add', {
      source_bot_id: from.id,
      target_bot_id: to.id,
      action: 'copy',
      target_chat_id: 77,
    });
    let answered = 0;
    const answer = (call: PlatformCall) => {
      const { chat_id, text } = call.params;
      answered++;
      call.answer(200, { ok: true, result: sentMessage(answered, call.token, chat_id, text) });
    };
    const reached = (count: number) =>
      vi.waitFor(() => expect(platform.calls.length).toBe(count), {
        interval: 10,
      });

    for (const kill of [1, 2]) {
      // The second of three is taken by the platform and never answered.
      const before = platform.calls.length;
      platform.onCall = (call) => {
        if (platform.calls.length !== before + 2) answer(call);
      };
      for (const n of [1, 2, 3]) platform.deal(source, message(kill * 10 + n, 5, `t${kill}${n}`));
      await reached(before + 2);
      await service.crash();
      // Read again from the beginning, as if none of it had been.
      await inspect(database, (engine) =>
        engine.write(() =>
          raw(`update readers set position = 0, state = '' where name = $1`, [routingReader]),
        ),
      );
      platform.onCall = answer;
      service = await start();
      await reached(before + 3);
    }
    platform.deal(source, message(99, 5, 'last'));
    await reached(7);
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
    const texts = platform.calls.map(({ params }) => String(params['text']));
    expect(texts.toSorted()).toEqual(['last', 't11', 't12', 't13', 't21', 't22', 't23']);
    expect(await statesOf(database)).toEqual([
      { state: 'sent', count: 5 },
      { state: 'unknown', count: 2 },
    ]);
  });

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

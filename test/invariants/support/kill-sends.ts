import { expect, vi } from 'vitest';
import { routingReader } from '../../../src/core/log/reader-kinds.ts';
import { type DialectName, raw } from '../../../src/store/engine.ts';
import type { Database } from '../../support/database/engines.ts';
import { message, type PlatformCall, sentMessage } from './held-platform.ts';
import { inspect } from './reconcile.ts';
import { addBot, createStage } from './stage.ts';

const source = '7401:AAsends_source';
const target = '7402:AAsends_target';
const textOf = (kill: number, n: number) => `t${kill}-${n}`;

/** How many sends are in each state. */
export const statesOf = (database: Database) =>
  inspect(database, (engine) =>
    engine.readRaw<{ state: string; count: number }>(
      'select state, count(*) as count from outbox group by state order by state',
      [],
    ),
  );

/** Kills the service while it sends what a route copies, again and again: each message is sent once. */
export async function killSends(dialect: DialectName, kills: number): Promise<void> {
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

  for (let kill = 1; kill <= kills; kill++) {
    // The second of three is taken by the platform and never answered.
    const before = platform.calls.length;
    platform.onCall = (call) => {
      if (platform.calls.length !== before + 2) answer(call);
    };
    for (const n of [1, 2, 3]) platform.deal(source, message(kill * 10 + n, 5, textOf(kill, n)));
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
  platform.deal(source, message(999, 5, 'last'));
  await reached(3 * kills + 1);
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  const texts = platform.calls.map(({ params }) => String(params['text']));
  const expected = Array.from({ length: kills }, (_, index) =>
    [1, 2, 3].map((n) => textOf(index + 1, n)),
  );
  expect(texts.toSorted()).toEqual(['last', ...expected.flat()].toSorted());
  expect(await statesOf(database)).toEqual([
    { state: 'sent', count: 2 * kills + 1 },
    { state: 'unknown', count: kills },
  ]);
}

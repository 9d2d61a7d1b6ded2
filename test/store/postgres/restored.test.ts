import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { codeBlocksOf } from '../../../scripts/document-blocks.ts';
import { alertAuthor } from '../../../src/core/messages/author.ts';
import { routingReader } from '../../../src/core/log/reader-kinds.ts';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { raw } from '../../../src/store/engine.ts';
import type { Store } from '../../../src/store/store.ts';
import { createTestStore } from '../../support/database/store.ts';
import { startBroadcasts } from '../../support/rigs/started-broadcasts.ts';

const guide = readFileSync(new URL('../../../docs/operate.md', import.meta.url), 'utf8');
const documented = codeBlocksOf(guide).filter(({ language }) => language === 'sql');

it('a node sends nothing twice from a database that PostgreSQL restored, as the guide says', async () => {
  const { store, database, close } = await createTestStore('postgres');
  onTestFinished(close);
  const { id: botId } = await store.bots.insert({ token: '1:a', source: 'web' }, 1);
  for (const name of [routingReader, 'push']) await store.log.openReader(botId, name, 1);
  const update = { update_id: 7, message: { message_id: 1, date: 1, chat: { id: 5 } } };
  const incoming = readUpdate(JSON.stringify(update), update, 0) as IncomingUpdate;
  await store.log.append(() => [{ botId, updates: [incoming], receivedAt: 1 }]);
  for (const text of ['queued', 'sending']) {
    const params = { chat_id: 5, text };
    await store.outbox.enqueue(
      {
        botId,
        chatId: 5,
        method: 'sendMessage',
        params,
        origin: 'sent',
        intentKey: null,
        priority: 'bulk',
        author: alertAuthor,
      },
      1,
    );
  }
  await store.outbox.take({ id: 2, botId }, 'one', 1);
  await schedule(store, botId);
  const broadcastIds = await startBroadcasts(store.engine, botId);
  await store.engine.write(() =>
    raw(`update readers set state = 'rest' where name = '${routingReader}'`),
  );

  expect(documented).toHaveLength(1);
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(documented[0]?.code ?? '');

  const sends = await store.outbox.list({ botIds: null, limit: 9 });
  expect(sends.map(({ state, error }) => [state, error])).toEqual([
    ['unknown', 'restored from a backup'],
    ['unknown', 'restored from a backup'],
  ]);
  const due = await store.scheduledSends.list({ botIds: null, chatIds: null, limit: 9 });
  expect(due.map(({ error, request }) => [request, error])).toEqual([
    ['{"text":"due"}', 'restored from a backup'],
    ['{"text":"next year"}', ''],
  ]);
  expect(await store.scheduledSends.release(Date.now())).toMatchObject({ botIds: [] });
  const [listed, justStarted] = await Promise.all(broadcastIds.map(store.broadcasts.get));
  expect(listed).toMatchObject({ state: 'canceled', counts: { waiting: 0, unknown: 2 } });
  expect(justStarted).toMatchObject({ state: 'canceled' });
  const results = await store.broadcasts.results({ id: broadcastIds[0] as number, limit: 9 });
  expect(results.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  expect(await store.broadcasts.active()).toEqual([]);
  expect(await store.log.readers(botId)).toMatchObject([
    { name: 'push', position: 0 },
    { name: routingReader, position: 1, state: '' },
  ]);
});

/** One message that is due since the backup, and one that is not. */
async function schedule({ scheduledSends }: Store, botId: number): Promise<void> {
  const intent = { botId, chatId: 5, origin: 'sent', intentKey: null, priority: 'bulk' } as const;
  for (const [text, sendAt] of [
    ['due', 2],
    ['next year', Date.now() + 3e10],
  ] as const) {
    const params = { chat_id: 5, text };
    const request = JSON.stringify({ text });
    const call = { method: 'sendMessage', params, following: [], fileIds: [] };
    const content = { ...call, sendAt, request };
    await scheduledSends.add({ ...intent, author: alertAuthor }, content, 9, 1);
  }
}

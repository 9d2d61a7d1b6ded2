import { describe, expect, it, onTestFinished } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { createStore } from '../../src/store/store.ts';
import { fillEarlier } from '../support/database/earlier-schema.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';

const stored = [
  `insert into bots (platform_id, token_hash, token_sealed, name, source, created_at, updated_at)
   values (1, 'h', '', 'Bot', 'web', 1, 1)`,
  `insert into log_heads (bot_id, last_position) values (1, 9)`,
  `insert into readers (bot_id, name, position, era, created_at, updated_at)
   values (1, 'push', 9, 4, 1, 1)`,
  `insert into parked_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error, poked_at)
   values (1, 'c5', 2, 10, 20, 'no', 7)`,
  `insert into parked_positions (bot_id, position, queue, replay) values (1, 3, 'c5', 1)`,
  `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts, received_at, died_at)
   values (1, 3, 30, 'message', 'c5', '{}', 'no', 9, 1, 2)`,
  `insert into delivery_attempts (bot_id, position, update_id, queue, started_at, duration_ms, status, error, answer)
   values (1, 3, 30, 'c5', 1, 1, 500, 'no', '')`,
  `insert into backend_health (bot_id, checked_at, error) values (1, 5, 'no')`,
  `insert into webhooks (bot_id, max_connections, allowed_updates, set_at, since, earlier, certificate)
   values (1, 7, '["message"]', 1, 2, '', 'pem')`,
];

describe.each(dialects)('what push stored only by bot, on %s', (dialect) => {
  it('belongs to the reader push after the upgrade', async () => {
    const database = await createDatabase(dialect, { empty: true });
    onTestFinished(() => database.drop());
    await fillEarlier(database, 20, stored);
    const engine = await database.open();
    onTestFinished(() => engine.close());
    const store = createStore(engine, createVault(['a master key for tests, long enough to be']));

    expect(await store.retryQueues.list(1, 'push', 10)).toMatchObject([
      { queue: 'c5', attempts: 2, nextAttemptAt: 20, requestedAt: 7, waiting: 1, firstPosition: 3 },
    ]);
    const { entries } = await store.retryQueues.entries(1, 'push', 'c5', 10);
    expect(entries).toMatchObject([{ position: 3, updateId: 30, replay: true }]);
    expect(await store.deadLetters.count(1, 'push')).toBe(1);
    const filter = { botIds: [1], reader: 'push', limit: 10 };
    expect(await store.deliveries.attempts(filter)).toMatchObject([{ position: 3, status: 500 }]);
    expect(await store.pushOverview.cursors([1], 'push')).toMatchObject([
      { position: 9, backendError: 'no', checkedAt: 5 },
    ]);
    expect(await store.webhooks.get(1, 'push')).toEqual({
      maxConnections: 7,
      isSelfSet: true,
      allowedUpdates: ['message'],
      allowedUpdatesHistory: [{ after: 2, kinds: ['message'] }],
      certificate: 'pem',
    });
    expect(await store.deliveries.generation(1, 'push')).toBe(4);
    expect(await store.retryQueues.list(1, 'push:other', 10)).toEqual([]);
  });
});

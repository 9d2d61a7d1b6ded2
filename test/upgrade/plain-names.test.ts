import { expect, it, onTestFinished } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { readState, wants } from '../../src/core/log/consumer-state.ts';
import { createStore } from '../../src/store/store.ts';
import { fillEarlier } from '../support/database/earlier-schema.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';

const kinds = [
  ['chats_parked', 'chats_in_retry'],
  ['reader_behind', 'polling_stopped'],
  ['app_silent', 'app_not_seen'],
  ['reader_lag', 'reader_lag'],
] as const;
const state = {
  shown: { position: 1, updateId: 8 },
  wishes: [
    { after: 0, kinds: ['message', 'wishes'] },
    { after: 4, kinds: null },
  ],
};
/** As an alert of that kind is sent to a webhook. */
const bodyOf = (kind: string) =>
  JSON.stringify({ type: 'alert.opened', data: { kind, text: 'App "reader_behind"' } });

const stored = [
  `insert into bots (platform_id, token_hash, token_sealed, name, source, created_at, updated_at)
   values (1, 'h', '', 'Bot', 'web', 1, 1)`,
  `insert into readers (bot_id, name, position, state, created_at, updated_at)
   values (1, 'pull:shop', 1, '${JSON.stringify(state)}', 1, 1)`,
  `insert into alert_channels (type, settings, created_at, updated_at) values
   ('webhook', '{"kinds":["app_silent","backlog","chats_parked","reader_behind"]}', 1, 1)`,
  ...kinds.flatMap(([before], index) => [
    `insert into alerts (kind, bot_id, subject, severity, params, opened_at, changed_at, muted_until)
     values ('${before}', 1, 'pull:shop', 'warning', '{"app":"app_silent"}', 1, 1, 99)`,
    `insert into alert_messages (alert_id, channel_id, thread, state, body, updated_at)
     values (${index + 1}, 1, ${index + 1}, 'sending', '${bodyOf(before)}', 1)`,
  ]),
];

it.each(dialects)('what was stored under names of before 1.0 is read on %s', async (dialect) => {
  const database = await createDatabase(dialect, { empty: true });
  onTestFinished(() => database.drop());
  await fillEarlier(database, 31, stored);
  const engine = await database.open();
  onTestFinished(() => engine.close());
  const store = createStore(engine, createVault(['a master key for tests, long enough to be']));

  const cursor = await store.consumers.find(1, 'shop');
  const { wishes, ...others } = state;
  expect(readState(cursor?.state ?? '')).toEqual({ ...others, allowedUpdatesHistory: wishes });
  const asked = readState(cursor?.state ?? '');
  expect(wants(asked, [], { position: 2, kind: 'wishes' })).toBe(true);
  expect(wants(asked, [], { position: 2, kind: 'callback_query' })).toBe(false);

  const alerts = await store.alertLog.list({ botIds: null, limit: 10 });
  expect(alerts.toReversed()).toMatchObject(
    kinds.map(([, kind]) => ({ kind, params: { app: 'app_silent' }, mutedUntil: 99 })),
  );
  const messages = await store.alertMessages.ofAlerts(alerts.map(({ id }) => id));
  const bodies = messages.toSorted((a, b) => a.alertId - b.alertId).map(({ body }) => body);
  expect(bodies).toEqual(kinds.map(([, kind]) => bodyOf(kind)));
  expect(await store.alertChannels.list()).toMatchObject([
    { kinds: ['app_not_seen', 'backlog', 'chats_in_retry', 'polling_stopped'] },
  ]);
});

import { randomInt } from 'node:crypto';
import { defaultApp } from '../../core/apps/app.ts';
import { readerName } from '../../core/log/reader-kinds.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { readFilter, storedFilter } from './app-rows.ts';

/**
 * Records that the apps of a bot change in this transaction. Every update stored afterwards follows
 * the new apps, and the node that runs the bot sees that its settings changed. Returns false if
 * there is no such bot.
 */
export function* appsChanged(botId: number, nowMs: number): Step<boolean> {
  // Locks are taken in this order: the bot, the end of its log, its apps. Transactions that take
  // several must keep to it.
  const [bot] = yield* raw(
    `update bots set updated_at = case when updated_at >= $2 then updated_at + 1 else $2 end
     where id = $1 returning id`,
    [botId, nowMs],
  );
  if (!bot) return false;
  yield* renewVersion(botId);
  return true;
}

/** Every update stored afterwards is claimed by the apps and desks as they are. */
export function* renewVersion(botId: number): Step<void> {
  // The version is random, not a counter: a number that was rolled back must never be used for
  // another version.
  const version = randomInt(1, 2 ** 47);
  yield* raw(
    `insert into log_heads (bot_id, apps_version) values ($1, $2)
     on conflict (bot_id) do update set apps_version = excluded.apps_version`,
    [botId, version],
  );
}

/**
 * Moves filters to the new ID of a group that became a supergroup, and keeps the former ID for what
 * is stored under it. This is part of an append, which holds the end of the log, so it must not
 * wait for the bot.
 */
export function* moveFilters(
  dialect: DialectName,
  { botId, fromChatId, toChatId }: { botId: number; fromChatId: number; toChatId: number },
  nowMs: number,
): Step<void> {
  const apps = yield* raw<{ id: number; filter: string }>(
    'select id, filter from apps where bot_id = $1 and filter like $2 order by id',
    [botId, `%${fromChatId}%`],
  );
  const idOf = (chatId: number) => (chatId === fromChatId ? toChatId : chatId);
  const moved = apps.flatMap(({ id, filter: stored }) => {
    const { filter, formerChats = [] } = readFilter(stored);
    if (!filter.chat_ids?.includes(fromChatId)) return [];
    const chatIds = [...new Set(filter.chat_ids.map(idOf))];
    const former = [...formerChats, [fromChatId, toChatId] as const]
      .map(([from, to]) => [from, idOf(to)] as const)
      .filter(([from, to]) => from !== to);
    const next = { filter: { ...filter, chat_ids: chatIds }, formerChats: former };
    return { id, filter: storedFilter(next) };
  });
  if (moved.length === 0) return;
  yield* renewVersion(botId);
  // The change makes the node that runs the bot reread its apps. A transaction that holds the bot
  // changes it anyway.
  const free = wordsOf[dialect].lock('for no key update skip locked');
  yield* raw(
    `update bots set updated_at = case when updated_at >= $2 then updated_at + 1 else $2 end
     where id in (select id from bots where id = $1 ${free})`,
    [botId, nowMs],
  );
  for (const { id, filter } of moved) {
    yield* raw('update apps set filter = $1, updated_at = $2 where id = $3', [filter, nowMs, id]);
  }
}

/** Adds the default app, which each bot has from the beginning. */
export function* addDefaultApp(botId: number, nowMs: number): Step<void> {
  yield* raw('insert into apps (bot_id, name, created_at, updated_at) values ($1, $2, $3, $3)', [
    botId,
    defaultApp,
    nowMs,
  ]);
}

/** Finds the app that receives through a named reader, for checks of its calls. */
export function* callerOf(
  botId: number,
  reader: string,
): Step<{ id: number; name: string; methods: readonly string[] } | undefined> {
  const [app] = yield* raw<{ id: number; name: string; methods: string }>(
    'select id, name, methods from apps where bot_id = $1 and name = $2',
    [botId, readerName(reader)],
  );
  return app && { ...app, methods: JSON.parse(app.methods) as string[] };
}

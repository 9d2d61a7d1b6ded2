import { randomInt } from 'node:crypto';
import { defaultApp } from '../../core/apps/app.ts';
import { readerName, readerOf } from '../../core/log/reader-kinds.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { readFilter, storedFilter } from './app-rows.ts';

/**
 * The apps of a bot change in this transaction: whoever stores an update after it decides by the new
 * ones, and the node that runs the bot sees that its settings changed. False when there is no such bot.
 */
export function* appsChanged(botId: number, nowMs: number): Step<boolean> {
  // The bot, then the end of its log, then its apps: whoever takes several takes them in this order.
  const [bot] = yield* raw(
    `update bots set updated_at = case when updated_at >= $2 then updated_at + 1 else $2 end
     where id = $1 returning id`,
    [botId, nowMs],
  );
  if (!bot) return false;
  yield* renewVersion(botId);
  return true;
}

function* renewVersion(botId: number): Step<void> {
  // Not a counter: a number that was rolled back must not come back for something else.
  const version = randomInt(1, 2 ** 47);
  yield* raw(
    `insert into log_heads (bot_id, apps_version) values ($1, $2)
     on conflict (bot_id) do update set apps_version = excluded.apps_version`,
    [botId, version],
  );
}

/**
 * Filters follow a group that became a supergroup, and keep its former ID for what is stored under it.
 * Part of an append, which holds the end of the log: it must not wait for the bot.
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
  // The node that runs the bot looks at its apps. Whoever holds the bot changes it anyway.
  const free = dialect === 'postgres' ? 'for no key update skip locked' : '';
  yield* raw(
    `update bots set updated_at = case when updated_at >= $2 then updated_at + 1 else $2 end
     where id in (select id from bots where id = $1 ${free})`,
    [botId, nowMs],
  );
  for (const { id, filter } of moved) {
    yield* raw('update apps set filter = $1, updated_at = $2 where id = $3', [filter, nowMs, id]);
  }
}

/** Each bot has it from its first moment. */
export function* addDefaultApp(botId: number, nowMs: number): Step<void> {
  yield* raw('insert into apps (bot_id, name, created_at, updated_at) values ($1, $2, $3, $3)', [
    botId,
    defaultApp,
    nowMs,
  ]);
}

/** The app that receives through a named reader, as far as its calls are concerned. */
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

/** Whoever delivered by a reader that had this name before writes nothing into it. */
export function* renewReader(botId: number, reader: string): Step<void> {
  yield* raw('update readers set generation = $3 where bot_id = $1 and name = $2', [
    botId,
    reader,
    randomInt(1, 2 ** 30),
  ]);
}

/** With what waits for them; an app that only pauses keeps its dead letters and attempts. */
export function* removeReadersOf(
  botId: number,
  name: string,
  history: 'keep history' | 'remove history',
): Step<void> {
  const push = readerOf('push', name);
  // The readers first, as their owner's commits do.
  yield* raw('delete from readers where bot_id = $1 and name in ($2, $3)', [
    botId,
    readerOf('pull', name),
    push,
  ]);
  const tables = history === 'keep history' ? queueTables : [...queueTables, ...historyTables];
  for (const table of tables) {
    yield* raw(`delete from ${table} where bot_id = $1 and reader = $2`, [botId, push]);
  }
}

const queueTables = ['retry_positions', 'retry_queues', 'backend_health', 'webhooks'];
const historyTables = ['dead_letters', 'delivery_attempts'];

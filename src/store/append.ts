/*
 * The append: the one way into a bot's log.
 *
 * Invariants: positions of a bot have no gaps and become visible in order, because the number is
 * taken under the lock of the bot's log_heads row and committed with the rows that use it; an
 * update seen in the last days is stored once; a writer whose lease was taken over is refused.
 */
import type { IncomingUpdate } from '../core/update-facts.ts';
import { archive, type ArchiveEntry } from './archive.ts';
import { bulkInsert } from './bulk-insert.ts';
import { type DialectName, raw, type Step } from './engine.ts';
import type { LogEntry } from './log-entry.ts';

export interface AppendRequest {
  botId: number;
  updates: readonly IncomingUpdate[];
  receivedAt: number;
  /** The lease the writer believes to hold; webhook receivers need none. */
  epoch?: number;
}

export type AppendOutcome =
  | { status: 'stored'; entries: LogEntry[]; duplicates: number }
  /** Another node took the bot over. */
  | { status: 'stale' }
  /** The bot was deleted. */
  | { status: 'gone' };

/** The platform keeps updates for a day; a number that comes again after this long is another one. */
export const seenForMs = 72 * 3_600_000;

type SeenRow = { bot_id: number; update_id: number; seen_at: number };

const seenTable = {
  table: 'seen_updates',
  columns: { bot_id: 'bigint', update_id: 'bigint', seen_at: 'bigint' },
} as const;

const insertFresh = bulkInsert<SeenRow>(seenTable);

const insertSeen = bulkInsert<SeenRow, { bot_id: number; update_id: number }>({
  ...seenTable,
  onConflict: `(bot_id, update_id) do update set seen_at = excluded.seen_at
    where seen_updates.seen_at < excluded.seen_at - ${seenForMs}`,
  returning: 'bot_id, update_id',
});

const insertLog = bulkInsert({
  table: 'log',
  columns: {
    bot_id: 'bigint',
    position: 'bigint',
    update_id: 'bigint',
    kind: 'text',
    queue: 'text',
    received_at: 'bigint',
    raw: 'text',
  },
});

/** Appends for many bots at once, so that they share one commit. Each request is judged alone. */
export function* append(
  dialect: DialectName,
  requests: readonly AppendRequest[],
): Step<AppendOutcome[]> {
  const botIds = [...new Set(requests.map((request) => request.botId))].sort((a, b) => a - b);
  const heads = yield* lockHeads(dialect, botIds);
  const epochs = yield* currentEpochs(dialect, requests);

  const accepted = requests.map((request) => {
    if (!heads.has(request.botId)) return 'gone' as const;
    const stale = request.epoch !== undefined && epochs.get(request.botId) !== request.epoch;
    return stale ? ('stale' as const) : request;
  });
  const fresh = yield* markSeen(dialect, accepted);
  const archived: ArchiveEntry[] = [];
  const rows: { bot_id: number; [column: string]: unknown }[] = [];
  const bytes = new Map<number, number>();

  const outcomes = accepted.map((request): AppendOutcome => {
    if (typeof request === 'string') return { status: request };
    const { botId, receivedAt, updates } = request;
    const entries: LogEntry[] = [];
    for (const update of updates) {
      // Deleting makes the second copy within one batch a duplicate too.
      if (!fresh.delete(`${botId} ${update.updateId}`)) continue;
      const position = (heads.get(botId) ?? 0) + 1;
      heads.set(botId, position);
      bytes.set(botId, (bytes.get(botId) ?? 0) + update.raw.length);
      const { updateId, kind, queue, raw: text } = update;
      entries.push({ position, updateId, kind, queue, receivedAt, raw: text });
      rows.push({
        bot_id: botId,
        position,
        update_id: updateId,
        kind,
        queue,
        received_at: receivedAt,
        raw: text,
      });
      archived.push({ botId, facts: update.archive, origin: 'received', position });
    }
    return { status: 'stored', entries, duplicates: updates.length - entries.length };
  });

  yield* insertLog(dialect, rows as never);
  for (const [botId, added] of bytes) {
    yield* raw('update log_heads set last_position = $1, bytes = bytes + $2 where bot_id = $3', [
      heads.get(botId),
      added,
      botId,
    ]);
  }
  yield* archive(dialect, archived, requests[0]?.receivedAt ?? 0);
  return outcomes;
}

function* lockHeads(dialect: DialectName, botIds: number[]): Step<Map<number, number>> {
  const heads = new Map<number, number>();
  if (dialect === 'postgres') {
    const lock = () =>
      raw<{ bot_id: number; last_position: number }>(
        `select bot_id, last_position from log_heads where bot_id = any($1::bigint[])
         order by bot_id for update`,
        [botIds],
      );
    let rows = yield* lock();
    if (rows.length < botIds.length) {
      yield* raw(
        `insert into log_heads (bot_id) select id from bots where id = any($1::bigint[])
         order by id on conflict do nothing`,
        [botIds],
      );
      rows = yield* lock();
    }
    for (const row of rows) heads.set(row.bot_id, row.last_position);
    return heads;
  }
  for (const botId of botIds) {
    const find = 'select last_position from log_heads where bot_id = $1';
    let [row] = yield* raw<{ last_position: number }>(find, [botId]);
    if (!row) {
      yield* raw('insert into log_heads (bot_id) select id from bots where id = $1', [botId]);
      [row] = yield* raw<{ last_position: number }>(find, [botId]);
    }
    if (row) heads.set(botId, row.last_position);
  }
  return heads;
}

function* currentEpochs(
  dialect: DialectName,
  requests: readonly AppendRequest[],
): Step<Map<number, number>> {
  const botIds = requests.filter((request) => request.epoch !== undefined).map((r) => r.botId);
  const epochs = new Map<number, number>();
  if (botIds.length === 0) return epochs;
  const rows = yield* raw<{ bot_id: number; epoch: number }>(
    dialect === 'sqlite'
      ? 'select bot_id, epoch from leases where bot_id in (select value from json_each($1))'
      : 'select bot_id, epoch from leases where bot_id = any($1::bigint[])',
    [dialect === 'sqlite' ? JSON.stringify(botIds) : botIds],
  );
  for (const row of rows) epochs.set(row.bot_id, row.epoch);
  return epochs;
}

function* markSeen(
  dialect: DialectName,
  accepted: readonly (AppendRequest | 'gone' | 'stale')[],
): Step<Set<string>> {
  const rows = new Map<string, SeenRow>();
  for (const request of accepted) {
    if (typeof request === 'string') continue;
    for (const { updateId } of request.updates) {
      rows.set(`${request.botId} ${updateId}`, {
        bot_id: request.botId,
        update_id: updateId,
        seen_at: request.receivedAt,
      });
    }
  }
  if (dialect === 'sqlite') {
    // One look for the whole batch, then plain inserts: an upsert that returns costs twice as much.
    yield* dropSeen(rows);
    yield* insertFresh(dialect, [...rows.values()]);
    return new Set(rows.keys());
  }
  const inserted = yield* insertSeen(dialect, [...rows.values()]);
  return new Set(inserted.map((row) => `${row.bot_id} ${row.update_id}`));
}

/** Takes out of `rows` what was seen; what was seen too long ago to count is forgotten. */
function* dropSeen(rows: Map<string, SeenRow>): Step<void> {
  const byBot = Map.groupBy(rows.values(), (row) => row.bot_id);
  for (const [botId, ofBot] of byBot) {
    const ids = ofBot.map((row) => row.update_id);
    const known = yield* raw<{ update_id: number; seen_at: number }>(
      'select update_id, seen_at from seen_updates where bot_id = $1 and update_id in (select value from json_each($2))',
      [botId, JSON.stringify(ids)],
    );
    for (const { update_id, seen_at } of known) {
      const key = `${botId} ${update_id}`;
      const now = rows.get(key)?.seen_at ?? 0;
      if (seen_at >= now - seenForMs) rows.delete(key);
      else {
        yield* raw('delete from seen_updates where bot_id = $1 and update_id = $2', [
          botId,
          update_id,
        ]);
      }
    }
  }
}

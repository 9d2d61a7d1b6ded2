/*
 * The append: the one way into a bot's log.
 *
 * Invariants: positions of a bot have no gaps and become visible in order, because the number is
 * taken under the lock of the bot's log_heads row and committed with the rows that use it; an
 * update seen in the last days is stored once; a writer whose lease was taken over is refused; the app
 * that an update is for is decided here and never again.
 */
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import { ownClaimOf, rememberFacts } from '../../core/apps/claims.ts';
import type { ClaimRegistry } from '../apps/claim-registry.ts';
import { archive, type ArchiveEntry } from '../messages/archive.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { together } from '../sql/together.ts';
import { type DialectName, raw, type Statement, type Step } from '../engine.ts';
import type { LogEntry } from './log-entry.ts';
import {
  collect,
  keepRanges,
  type KnownRange,
  type KnownRanges,
  looksFor,
  type OfferedNumbers,
  rangeColumns,
  readEach,
  takeSeen,
} from './seen-updates.ts';

export interface AppendRequest {
  botId: number;
  updates: readonly IncomingUpdate[];
  receivedAt: number;
  /** The lease the writer believes to hold; webhook receivers need none. */
  epoch?: number;
  /** Of sends in flight that may have made what it replies to, those it waits for; left out, for all. */
  awaits?: (send: string) => boolean;
  /** What is undecided of its claims is decided in the transaction, as far as one turn has time for it. */
  isDecided?: true;
}

export type AppendOutcome =
  | { status: 'stored'; entries: LogEntry[]; duplicates: number }
  /** Another node took the bot over. */
  | { status: 'stale' }
  /** The bot was deleted. */
  | { status: 'gone' };

/**
 * Replies to what an app may be sending are stored when that is known: by then, or given up. Of no sends,
 * it awaits that its claims are decided, as it was not known before that apps claim by patterns.
 */
export interface AppendAwaits {
  status: 'awaits';
  sends: readonly string[];
}

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
    claimed_by: 'bigint',
  },
});

/** Appends for many bots at once, so that they share one commit. Each request is judged alone. */
export function* append(
  dialect: DialectName,
  claims: ClaimRegistry,
  requests: readonly AppendRequest[],
): Step<(AppendOutcome | AppendAwaits)[]> {
  const botIds = [...new Set(requests.map((request) => request.botId))].sort((a, b) => a - b);
  const offered = numbersOf(requests);
  const senders = yield* claims.senders(requests);
  const { heads, seen, managed } =
    dialect === 'sqlite' ? yield* readState(botIds, offered) : yield* lockState(botIds, offered);

  const known = requests.map((request) => {
    const head = heads.get(request.botId);
    if (!head) return 'gone' as const;
    const stale = request.epoch !== undefined && head.epoch !== request.epoch;
    return stale ? ('stale' as const) : request;
  });
  const deciders = yield* claims.deciders(
    known.flatMap((request) => {
      if (typeof request === 'string') return [];
      const { botId, updates } = request;
      return { botId, updates, version: (heads.get(botId) as Head).appsVersion };
    }),
    senders,
  );
  const accepted = known.map((request) => {
    if (typeof request === 'string') return { status: request };
    const { awaits, isDecided, updates } = request;
    const decider = deciders.get(request.botId);
    if (decider && !isDecided && !decider.isDecided(updates)) {
      return { status: 'awaits' as const, sends: [] };
    }
    const inFlight = decider?.awaited(updates) ?? [];
    const sends = awaits ? inFlight.filter(awaits) : inFlight;
    return sends.length > 0 ? { status: 'awaits' as const, sends } : request;
  });
  const { fresh, ranges } = yield* takeSeen(numbersOf(accepted), seen);
  const archived: ArchiveEntry[] = [];
  const rows: { bot_id: number; [column: string]: unknown }[] = [];

  const outcomes = accepted.map((request): AppendOutcome | AppendAwaits => {
    if ('status' in request) return request;
    const { botId, receivedAt, updates } = request;
    const head = heads.get(botId) as Head;
    const freshOfBot = fresh.get(botId);
    const decider = deciders.get(botId);
    const entries: LogEntry[] = [];
    for (const update of updates) {
      // Deleting makes the second copy within one batch a duplicate too.
      if (!freshOfBot?.delete(update.updateId)) continue;
      const position = ++head.position;
      head.added++;
      head.addedBytes += update.raw.length;
      const { updateId, kind, queue, raw: text } = update;
      const claimedBy = ownClaimOf(update.facts) || (decider?.claimFor(update) ?? 0);
      const entry = { position, updateId, kind, queue, receivedAt, raw: text, claimedBy };
      if (head.appsVersion !== 0) rememberFacts(entry, update.facts);
      entries.push(entry);
      rows.push({
        bot_id: botId,
        position,
        update_id: updateId,
        kind,
        queue,
        received_at: receivedAt,
        raw: text,
        claimed_by: claimedBy,
      });
      archived.push({ botId, facts: update.archive, origin: 'received', position });
    }
    return { status: 'stored', entries, duplicates: updates.length - entries.length };
  });

  const grown = [...heads].filter(([, { added }]) => added > 0);
  if (dialect === 'postgres') {
    // All of it only under the lock of the heads.
    const parts: Statement[] = [];
    if (ranges.length > 0) parts.push(keepRanges.onArrays(ranges));
    if (grown.length > 0) parts.push(movedHeads(grown), insertLog.onArrays(rows as never));
    if (parts.length > 0) yield together(parts);
  } else {
    yield* keepRanges(dialect, ranges);
    yield* insertLog(dialect, rows as never);
    yield* moveEach(grown);
  }
  yield* archive(dialect, archived, requests[0]?.receivedAt ?? 0, managed);
  return outcomes;
}

/** The end of a bot's log, and whose it is to append. */
interface Head {
  position: number;
  /** Of its lease; null where there is none. */
  epoch: number | null;
  /** Changes with its apps; 0 while it has none that could claim an update. */
  appsVersion: number;
  /** By this append. */
  added: number;
  addedBytes: number;
}

/** What an append is decided by. */
interface State {
  heads: Map<number, Head>;
  seen: KnownRanges;
  /** Of these bots; left out, the archive asks. */
  managed?: ReadonlySet<number>;
}

type Offered = ReadonlyMap<number, OfferedNumbers>;

type HeadRow = { last_position: number; apps_version: number; epoch: number | null };

/** With one writer, what is read stays so to the end of the transaction. */
function* readState(botIds: readonly number[], offered: Offered): Step<State> {
  const heads = new Map<number, Head>();
  const find = `select last_position, apps_version, epoch from log_heads left join leases using (bot_id)
    where bot_id = $1`;
  for (const botId of botIds) {
    let [row] = yield* raw<HeadRow>(find, [botId]);
    if (!row) {
      yield* raw('insert into log_heads (bot_id) select id from bots where id = $1', [botId]);
      [row] = yield* raw<HeadRow>(find, [botId]);
    }
    if (row) heads.set(botId, headAt(row));
  }
  return { heads, seen: yield* readEach(offered) };
}

/** What the lease, the bot and the ranges near one run of numbers say; of no range where there is none. */
type StateRow = Omit<KnownRange, 'first'> & {
  first: number | null;
  epoch: number | null;
  managed: number | null;
};

/** On PostgreSQL all else is read once the heads are locked, as it was changed until then. */
function* lockState(botIds: readonly number[], offered: Offered): Step<State> {
  const lock = () =>
    raw<{ bot_id: number } & Omit<HeadRow, 'epoch'>>(
      `select bot_id, last_position, apps_version from log_heads where bot_id = any($1::bigint[])
       order by bot_id for update`,
      [botIds],
    );
  let locked = yield* lock();
  if (locked.length < botIds.length) {
    yield* raw(
      `insert into log_heads (bot_id) select id from bots where id = any($1::bigint[])
       order by id on conflict do nothing`,
      [botIds],
    );
    locked = yield* lock();
  }
  const looks = looksFor(offered);
  const rows = yield* raw<StateRow>(
    `select look.bot as "botId", r.first, r.last, r."begunAt", r."seenAt",
       (select epoch from leases where bot_id = look.bot) as epoch,
       (select manage_enabled from bots where id = look.bot) as managed
     from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as look (bot, up_to, most)
     left join lateral (
       select ${rangeColumns} from seen_ranges where bot_id = look.bot and first_id <= look.up_to
       order by first_id desc limit look.most
     ) r on true`,
    [0, 1, 2].map((part) => looks.map((look) => look[part])),
  );
  const epochs = new Map(rows.map(({ botId, epoch }) => [botId, epoch]));
  const seen: KnownRanges = new Map();
  collect(
    seen,
    rows.filter((row): row is StateRow & KnownRange => row.first !== null),
  );
  return {
    heads: new Map(
      locked.map((row) => [row.bot_id, headAt({ ...row, epoch: epochs.get(row.bot_id) ?? null })]),
    ),
    seen,
    managed: new Set(rows.filter(({ managed }) => managed === 1).map(({ botId }) => botId)),
  };
}

type Grown = readonly (readonly [botId: number, head: Head])[];

function movedHeads(grown: Grown): Statement {
  return {
    sql: `update log_heads h set last_position = v.position, bytes = h.bytes + v.bytes
       from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as v (bot_id, position, bytes)
       where h.bot_id = v.bot_id`,
    parameters: [
      grown.map(([botId]) => botId),
      grown.map(([, { position }]) => position),
      grown.map(([, { addedBytes }]) => addedBytes),
    ],
  };
}

function* moveEach(grown: Grown): Step<void> {
  for (const [botId, { position, addedBytes }] of grown) {
    yield* raw('update log_heads set last_position = $1, bytes = bytes + $2 where bot_id = $3', [
      position,
      addedBytes,
      botId,
    ]);
  }
}

function headAt({ last_position, apps_version, epoch }: HeadRow): Head {
  return {
    position: last_position,
    appsVersion: apps_version,
    epoch,
    added: 0,
    addedBytes: 0,
  };
}

function numbersOf(
  accepted: readonly (AppendRequest | { status: string })[],
): Map<number, OfferedNumbers> {
  const offered = new Map<number, OfferedNumbers>();
  for (const request of accepted) {
    if ('status' in request) continue;
    const { botId, receivedAt, updates } = request;
    const ofBot = offered.get(botId) ?? { numbers: new Set<number>(), receivedAt };
    offered.set(botId, ofBot);
    for (const { updateId } of updates) ofBot.numbers.add(updateId);
  }
  return offered;
}

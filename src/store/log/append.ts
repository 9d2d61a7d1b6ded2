/*
 * The append: the one way into a bot's log.
 *
 * Invariants: positions of a bot have no gaps and become visible in order, because the number is
 * taken under the lock of the bot's log_heads row and committed with the rows that use it; an
 * update seen in the last days is stored once; a writer whose lease was taken over is refused; the
 * app that gets an update is decided here, once.
 */
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import { answerClaim, ownClaimOf, rememberFacts } from '../../core/apps/claims.ts';
import type { ArchiveEntry, ArchiveFacts } from '../../core/messages/archive-facts.ts';
import type { ManagedBots } from '../../core/messages/turns.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { type BackfillMark, backfillMarks } from '../stats/backfill-marks.ts';
import { together } from '../sql/together.ts';
import { type DialectName, raw, type Statement, type Step } from '../engine.ts';
import type { ClaimRegistry } from './claims.ts';
import type { LogEntry } from './log-entry.ts';
import { pressesQuestion, type QuestionAnswers } from './questions.ts';
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
  /** The epoch of the lease that the writer believes to hold; webhook receivers need none. */
  epoch?: number;
  /**
   * Says for which sends in flight a reply waits; if left out, it waits for all that may have made
   * the message.
   */
  awaits?: (send: string) => boolean;
  /** Undecided claims are decided in the transaction, as far as one turn has time for it. */
  isDecided?: true;
}

export type AppendOutcome =
  | { status: 'stored'; entries: LogEntry[]; duplicates: number }
  /** Another node took the bot over. */
  | { status: 'stale' }
  /** The bot was deleted. */
  | { status: 'gone' };

/**
 * The append has to wait. Either sends of apps may have made the message that an update replies to:
 * it waits until they end or time out. Or `sends` is empty: it waits for the decision of claims,
 * because it was not known before that apps claim by patterns.
 */
export interface AppendAwaits {
  status: 'awaits';
  sends: readonly string[];
}

/** What an append does in the same transaction for topics that build on the log. */
export interface AppendParts {
  claims: ClaimRegistry;
  questions: QuestionAnswers;
  /** Stores the messages, chats and people of the updates. */
  archive(
    dialect: DialectName,
    entries: readonly ArchiveEntry[],
    nowMs: number,
    managed?: ManagedBots,
    marks?: readonly BackfillMark[],
  ): Step<void>;
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

/**
 * Appends for many bots at once, so that they share one commit. Each request is checked separately.
 */
export function* append(
  dialect: DialectName,
  { archive, claims, questions }: AppendParts,
  requests: readonly AppendRequest[],
): Step<(AppendOutcome | AppendAwaits)[]> {
  if (requests.length === 0) return [];
  const botIds = [...new Set(requests.map((request) => request.botId))].sort((a, b) => a - b);
  const offered = numbersOf(requests);
  const findDeciders = yield* claims.begin(requests);
  const { heads, seen, managed, marks } =
    dialect === 'sqlite' ? yield* readState(botIds, offered) : yield* lockState(botIds, offered);

  const known = requests.map((request) => {
    const head = heads.get(request.botId);
    if (!head) return 'gone' as const;
    const stale = request.epoch !== undefined && head.epoch !== request.epoch;
    return stale ? ('stale' as const) : request;
  });
  const deciders = yield* findDeciders(
    known.flatMap((request) => {
      if (typeof request === 'string') return [];
      const { botId, updates } = request;
      return { botId, updates, version: (heads.get(botId) as Head).appsVersion };
    }),
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
  const asked = accepted.flatMap((request) => {
    if ('status' in request) return [];
    const isAsked = (heads.get(request.botId) as Head).openQuestions > 0;
    return isAsked || request.updates.some(pressesQuestion) ? request : [];
  });
  const takers = asked.length > 0 ? yield* questions.begin(asked) : undefined;
  const archived: ArchiveEntry[] = [];
  const rows: { bot_id: number; [column: string]: unknown }[] = [];

  const outcomes = accepted.map((request): AppendOutcome | AppendAwaits => {
    if ('status' in request) return request;
    const { botId, receivedAt, updates } = request;
    const head = heads.get(botId) as Head;
    const freshOfBot = fresh.get(botId);
    const decider = deciders.get(botId);
    const taker = takers?.get(botId);
    const entries: LogEntry[] = [];
    for (const update of updates) {
      // Deleting the number makes the second copy within one batch a duplicate, too.
      if (!freshOfBot?.delete(update.updateId)) continue;
      const position = ++head.position;
      head.added++;
      head.addedBytes += update.raw.length;
      const { updateId, kind, queue, raw: text } = update;
      const isAnswer = taker?.takes(update, position, receivedAt) === true;
      const claimedBy = isAnswer
        ? answerClaim
        : ownClaimOf(update.facts) || (decider?.claimFor(update) ?? 0);
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
      const facts = claimedBy < 0 ? withoutTurn(update.archive) : update.archive;
      archived.push({ botId, facts, origin: 'received', position });
    }
    return { status: 'stored', entries, duplicates: updates.length - entries.length };
  });

  const grown = [...heads].filter(([, { added }]) => added > 0);
  if (dialect === 'postgres') {
    // All of these may only run under the lock of the heads.
    const parts: Statement[] = [];
    if (ranges.length > 0) parts.push(keepRanges.onArrays(ranges));
    if (grown.length > 0) parts.push(movedHeads(grown), insertLog.onArrays(rows as never));
    if (parts.length > 0) yield together(parts);
  } else {
    yield* keepRanges(dialect, ranges);
    yield* insertLog(dialect, rows as never);
    yield* moveEach(grown);
  }
  yield* archive(dialect, archived, requests[0]?.receivedAt ?? 0, managed, marks);
  if (takers) yield* questions.settle(takers);
  return outcomes;
}

/** Nobody has to answer what the relay claims. */
function withoutTurn(facts: ArchiveFacts): ArchiveFacts {
  const without = { ...facts };
  delete without.turn;
  return without;
}

/** The end of a bot's log, and the lease that may append to it. */
interface Head {
  position: number;
  /** The epoch of the bot's lease; null if there is none. */
  epoch: number | null;
  /** Changes with the bot's apps; 0 while it has none that could claim an update. */
  appsVersion: number;
  openQuestions: number;
  /** The number of updates that this append adds. */
  added: number;
  addedBytes: number;
}

/** The stored facts that decide an append. */
interface State {
  heads: Map<number, Head>;
  seen: KnownRanges;
  /** Those of these bots that are managed; if left out, the archive asks. */
  managed?: ManagedBots;
  marks?: readonly BackfillMark[];
}

type Offered = ReadonlyMap<number, OfferedNumbers>;

type HeadRow = {
  last_position: number;
  apps_version: number;
  open_questions: number;
  epoch: number | null;
};

/**
 * Reads the state, which stays valid until the end of the transaction, as there is only one writer.
 */
function* readState(botIds: readonly number[], offered: Offered): Step<State> {
  const heads = new Map<number, Head>();
  const find = `select last_position, apps_version, open_questions, epoch
    from log_heads left join leases using (bot_id) where bot_id = $1`;
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

/**
 * The lease, the bot and the seen ranges near one run of numbers; the range is null if there is
 * none.
 */
type StateRow = Omit<KnownRange, 'first'> & {
  first: number | null;
  epoch: number | null;
  managed: number | null;
  automatic_answers: string;
  handoff: string;
  per_topic: number;
  counted_chat: number | null;
  counted_message: number | null;
};

/**
 * Locks the heads on PostgreSQL and reads everything else after that, because it may change until
 * then.
 */
function* lockState(botIds: readonly number[], offered: Offered): Step<State> {
  const lock = () =>
    raw<{ bot_id: number } & Omit<HeadRow, 'epoch'>>(
      `select bot_id, last_position, apps_version, open_questions from log_heads where bot_id = any($1::bigint[])
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
    `with mark as materialized (${backfillMarks} where bot_id = any($1::bigint[]) for share)
     select look.bot as "botId", r.first, r.last, r."begunAt", r."seenAt",
       (select epoch from leases where bot_id = look.bot) as epoch,
       b.manage_enabled as managed, b.automatic_answers, b.handoff, b.per_topic,
       mark.chat_id as counted_chat, mark.message_id as counted_message
     from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as look (bot, up_to, most)
     left join bots b on b.id = look.bot
     left join mark on mark.bot_id = look.bot
     left join lateral (
       select ${rangeColumns} from seen_ranges where bot_id = look.bot and first_id <= look.up_to
       order by first_id desc limit look.most
     ) r on true`,
    [0, 1, 2].map((part) => looks.map((look) => look[part])),
  );
  const marks: BackfillMark[] = [];
  for (const { botId, counted_chat: chat_id, counted_message: message_id } of rows) {
    if (chat_id !== null && message_id !== null) marks.push({ bot_id: botId, chat_id, message_id });
  }
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
    managed: new Map(rows.filter(({ managed }) => managed === 1).map((row) => [row.botId, row])),
    marks,
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

function headAt({ last_position, apps_version, open_questions, epoch }: HeadRow): Head {
  return {
    position: last_position,
    appsVersion: apps_version,
    openQuestions: open_questions,
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

/*
 * Stores the results of push: its attempts, and the one transaction that moves the readers of many
 * bots.
 *
 * Invariants: a position leaves the reader only together with what takes it over (a retry queue, a
 * dead letter) or after the backend took it; a node that lost a bot's lease changes nothing of that
 * bot, and does not affect the other bots.
 */
import type { Reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { type BackendNote, noteBackendHealth } from './backend-health.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { addDeadLetters, type NewDeadLetter, removeDeadLetter } from './dead-letters.ts';
import { together } from '../sql/together.ts';
import { type DialectName, type Engine, raw, type Statement, type Step } from '../engine.ts';
import {
  addRetryPositions,
  type RetryQueue,
  type PositionRow,
  type RemovedPosition,
  removeRetryPositions,
  removeRetryQueue,
  saveRetryQueue,
} from './retry-queues.ts';
import { filter, ofBots } from '../sql/filter.ts';
import { createReplayRepository, type ReplayRepository } from './replays.ts';

export interface AttemptRow {
  bot_id: number;
  reader: string;
  position: number;
  update_id: number;
  queue: string;
  started_at: number;
  duration_ms: number;
  /** The HTTP status; 0 if there was no answer. */
  status: number;
  /** '' for a delivery. */
  error: string;
  answer: string;
  replay: number;
}

export interface StoredAttempt extends AttemptRow {
  id: number;
  error_detail: Reason | null;
}

export type QueueChange =
  | (RetryQueue & { kind: 'waiting'; lastError: string })
  | { kind: 'emptied'; requestedAt: number };

/** The changes that one push reader has to store. */
export interface PushChanges<Call = unknown> {
  botId: number;
  /** The name of the reader that moves. */
  reader: string;
  /** The app that the reader delivers for: by now, another app may have its name. */
  appId?: number | undefined;
  /** The epoch of the lease that the node believes to hold. */
  epoch: number | undefined;
  /** The generation of the reader when it was opened. */
  generation: number;
  cursor: { position: number; state: string };
  attempts: AttemptRow[];
  /** Positions that enter a retry queue, or (null) leave it. */
  positions: Map<number, { queue: string; replay: boolean } | null>;
  queues: Map<string, QueueChange>;
  deadLetters: NewDeadLetter[];
  /** Positions whose replay ended, so that their dead letters are deleted. */
  replayed: number[];
  /** Method calls that backends returned as answers. */
  calls: { position: number; call: Call }[];
  /** News about the backend: it took an update, or an update became a dead letter. */
  backend: BackendNote | undefined;
}

/** outdated: someone else moved the reader since it was opened. */
export type CommitResult = 'stored' | 'stale' | 'gone' | 'outdated';

export interface AttemptFilter {
  botIds: readonly number[] | null;
  reader: string;
  outcome?: 'delivered' | 'failed';
  beforeId?: number;
  limit: number;
}

export interface DeliveryRepository extends ReplayRepository {
  /** Lists attempts, newest first. */
  attempts(filter: AttemptFilter): Promise<StoredAttempt[]>;
  /**
   * Drops everything that waits: moves the reader to the log's end and empties its retry queues.
   * The node that delivers has to open the reader again, because its earlier commits are refused.
   */
  dropPending(botId: number, reader: string, nowMs: number): Promise<void>;
  /** Changes whenever anyone but the delivering node moves the reader. */
  generation(botId: number, reader: string): Promise<number>;
}

const insertAttempts = bulkInsert<AttemptRow>({
  table: 'delivery_attempts',
  columns: {
    bot_id: 'bigint',
    reader: 'text',
    position: 'bigint',
    update_id: 'bigint',
    queue: 'text',
    started_at: 'bigint',
    duration_ms: 'integer',
    status: 'integer',
    error: 'text',
    answer: 'text',
    replay: 'integer',
  },
});

/** Commits all changes in one transaction. Returns for each whether it was taken. */
export function* commitPush<Call>(
  { dialect }: Pick<Engine, 'dialect'>,
  all: readonly PushChanges<Call>[],
  nowMs: number,
  onCall: (
    from: Pick<PushChanges, 'botId' | 'reader' | 'appId'> & { position: number },
    call: Call,
  ) => Step<unknown>,
): Step<CommitResult[]> {
  const results = yield* checkLeases(dialect, all);
  const taken = all.filter((_, index) => results[index] === 'stored');
  // A delivery that happened is recorded, whatever happened to the reader since.
  const reported = all.filter((_, index) => isReported(results[index]));
  const attempts = reported.flatMap((changes) => changes.attempts);
  if (dialect === 'postgres') {
    // Both statements run under the locks of the readers.
    const parts = taken.length > 0 ? [movedReaders(taken, nowMs)] : [];
    if (attempts.length > 0) parts.push(insertAttempts.onArrays(attempts));
    if (parts.length > 0) yield together(parts);
  } else {
    yield* moveEach(taken, nowMs);
    yield* insertAttempts(dialect, attempts);
  }

  const added: PositionRow[] = [];
  const removed: RemovedPosition[] = [];
  for (const { botId, reader, positions } of taken) {
    for (const [position, waiting] of positions) {
      if (waiting) {
        const { queue, replay } = waiting;
        added.push({ bot_id: botId, reader, position, queue, replay: replay ? 1 : 0 });
      } else removed.push({ botId, reader, position });
    }
  }
  yield* addRetryPositions(dialect, added);
  yield* removeRetryPositions(dialect, removed);
  for (const { backend, botId, reader, queues, replayed } of taken) {
    if (backend) yield* noteBackendHealth(botId, reader, backend, nowMs);
    for (const [queue, change] of queues) {
      if (change.kind === 'waiting') yield* saveRetryQueue(botId, reader, change);
      else yield* removeRetryQueue(botId, reader, queue, change.requestedAt);
    }
    for (const position of replayed) yield* removeDeadLetter(botId, reader, position);
  }
  yield* addDeadLetters(
    dialect,
    taken.flatMap((changes) => changes.deadLetters),
  );
  for (const { botId, reader, appId, calls } of reported) {
    for (const { position, call } of calls) yield* onCall({ botId, reader, appId, position }, call);
  }
  return results;
}

/** True if the attempts and calls of these changes are written. */
export function isReported(result: CommitResult | undefined): boolean {
  return result === 'stored' || result === 'outdated';
}

/**
 * Checks each change separately, because those of a reader from before it was reopened may be among
 * them.
 */
function* checkLeases(dialect: DialectName, all: readonly PushChanges[]): Step<CommitResult[]> {
  const botIds = all.map((changes) => changes.botId).sort((a, b) => a - b);
  const names = [...new Set(all.map((changes) => changes.reader))];
  const { leases, readers } =
    dialect === 'sqlite' ? yield* readHolds(all, botIds, names) : yield* lockHolds(botIds, names);
  const epochs = new Map(leases.map((row) => [row.bot_id, row.number]));
  const generations = new Map(readers.map((row) => [`${row.bot_id} ${row.name}`, row.number]));
  return all.map(({ botId, reader, epoch, generation }) => {
    const stored = generations.get(`${botId} ${reader}`);
    if (stored === undefined) return 'gone';
    if (epoch !== undefined && epochs.get(botId) !== epoch) return 'stale';
    return stored === generation ? 'stored' : 'outdated';
  });
}

/**
 * What entitles a node to move a reader: the epoch of the bot's lease, the generation of the
 * reader.
 */
interface Hold {
  bot_id: number;
  number: number;
}

interface Holds {
  leases: readonly Hold[];
  readers: readonly (Hold & { name: string })[];
}

function* readHolds(
  all: readonly PushChanges[],
  botIds: readonly number[],
  names: readonly string[],
): Step<Holds> {
  const bots = JSON.stringify(botIds);
  return {
    leases: all.some((changes) => changes.epoch !== undefined)
      ? yield* raw(
          `select bot_id, epoch as number from leases
           where bot_id in (select value from json_each($1))`,
          [bots],
        )
      : [],
    readers: yield* raw(
      `select bot_id, name, generation as number from readers
       where bot_id in (select value from json_each($1)) and name in (select value from json_each($2))`,
      [bots, JSON.stringify(names)],
    ),
  };
}

/**
 * Locks both on PostgreSQL until the end, leases first, so that a takeover waits for this commit. A
 * row that waited for its lock is read in its latest form.
 */
function* lockHolds(botIds: readonly number[], names: readonly string[]): Step<Holds> {
  const rows = yield* raw<Hold & { name: string | null }>(
    `with held as (
       select bot_id, epoch from leases where bot_id = any($1::bigint[]) order by bot_id for share),
     moved as (
       select bot_id, name, generation from readers
       where bot_id = any($1::bigint[]) and name = any($2::text[]) order by bot_id, name for update)
     select bot_id, null as name, epoch as number from held
     union all select bot_id, name, generation from moved`,
    [botIds, names],
  );
  return {
    leases: rows.filter(({ name }) => name === null),
    readers: rows.filter((row): row is Hold & { name: string } => row.name !== null),
  };
}

function movedReaders(all: readonly PushChanges[], nowMs: number): Statement {
  return {
    sql: `update readers r set position = v.position, state = v.state,
         updated_at = case when r.position = v.position then r.updated_at else $4 end
       from unnest($1::bigint[], $2::bigint[], $3::text[], $5::text[])
         as v (bot_id, position, state, name)
       where r.bot_id = v.bot_id and r.name = v.name`,
    parameters: [
      all.map((changes) => changes.botId),
      all.map((changes) => changes.cursor.position),
      all.map((changes) => changes.cursor.state),
      nowMs,
      all.map((changes) => changes.reader),
    ],
  };
}

function* moveEach(all: readonly PushChanges[], nowMs: number): Step<void> {
  for (const { botId, cursor, reader } of all) {
    yield* raw(
      `update readers set position = $1, state = $2,
         updated_at = case when position = $1 then updated_at else $3 end
       where bot_id = $4 and name = $5`,
      [cursor.position, cursor.state, nowMs, botId, reader],
    );
  }
}

export function* dropPending(botId: number, reader: string, nowMs: number): Step<void> {
  // The reader is locked first, as in its owner's commits.
  yield* raw(
    `update readers set state = '', updated_at = $1, generation = generation + 1, position = coalesce(
       (select last_position from log_heads h where h.bot_id = readers.bot_id), position)
     where bot_id = $2 and name = $3`,
    [nowMs, botId, reader],
  );
  yield* raw('delete from retry_positions where bot_id = $1 and reader = $2', [botId, reader]);
  yield* raw('delete from retry_queues where bot_id = $1 and reader = $2', [botId, reader]);
  // Dead letters whose replay was dropped can be replayed again.
  yield* raw(
    `update dead_letters set replayed_at = 0
     where bot_id = $1 and reader = $2 and replayed_at > 0`,
    [botId, reader],
  );
}

export function createDeliveryRepository(engine: Engine): DeliveryRepository {
  return {
    async attempts({ botIds, reader, outcome, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ['reader = ?', reader],
        ofBots(engine.dialect, botIds),
        outcome !== undefined && [outcome === 'failed' ? `error <> ''` : `error = ''`],
        beforeId !== undefined && ['id < ?', beforeId],
      ]);
      // A filter may look at many rows before it finds enough.
      const rows = await engine.readHeavy<StoredAttempt>(
        `select * from delivery_attempts ${where} order by id desc limit $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map((row) => {
        const { text: error, detail } = unpackReason(row.error);
        return { ...row, error, error_detail: detail };
      });
    },
    ...createReplayRepository(engine),
    async generation(botId, reader) {
      const [row] = await engine.readRaw<{ generation: number }>(
        'select generation from readers where bot_id = $1 and name = $2',
        [botId, reader],
      );
      return row?.generation ?? 0;
    },
    dropPending: (botId, reader, nowMs) => engine.write(() => dropPending(botId, reader, nowMs)),
  };
}

/*
 * Hands the queue over. At Telegram a bot has one queue: what the webhook took is never polled, and
 * the other way round. Here a push reader and the consumer of the same name (or without a name) are
 * two readers of the log, so setWebhook and deleteWebhook hand over what waits.
 *
 * Invariants: what neither of them finished goes to the one that continues, exactly once; a reader
 * that gave its updates away begins without updates. Replays are no part of the queue: a person
 * asked for their delivery to a backend, and they wait for the next one.
 */
import { type AllowedUpdatesEntry, readState, writeState } from '../../core/log/consumer-state.ts';
import { dropPending } from './deliveries.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { headOf, type LogHead } from '../log/log.ts';
import { removeEmptyRetryQueues } from './retry-queues.ts';
import { readReaderState, writeReaderState } from '../../core/log/push-progress.ts';
import { type Range, without } from '../../core/log/ranges.ts';
import { readerName, readerOf } from '../../core/log/reader-kinds.ts';

interface ReaderRow {
  name: string;
  position: number;
  state: string;
  opened: number;
}

/** The cursor of a reader that has to finish only some of what follows. */
interface QueueStart {
  position: number;
  finished: Range[];
}

export interface QueueTransferOptions {
  dialect: DialectName;
  nowMs: number;
  /** Hands over nothing: both readers begin at the log's end. */
  dropsPending: boolean;
}

/** Telegram keeps updates that nobody asks for this long. */
export const unaskedMs = 86_400_000;
// This is far more gaps than failing chats leave. If the smallest gaps are left out, a few updates
// come twice.
const maxGaps = 1_000;

/** Runs for deleteWebhook: the consumer continues with what the push reader did not finish. */
export function* handToPull(
  botId: number,
  reader: string,
  allowedUpdatesHistory: readonly AllowedUpdatesEntry[] | undefined,
  { dialect, nowMs, dropsPending: drops }: QueueTransferOptions,
): Step<void> {
  const { push, pull } = yield* lockReaders(dialect, botId, reader);
  const head = yield* headOf(botId);
  if (!push && !drops) return;
  const waiting = drops ? [] : yield* waitingFor(botId, head, push, pull);
  if (push) {
    yield* empty(botId, reader, nowMs, drops);
    yield* raw(
      `update readers set position = $1, opened = $1, state = '',
         generation = generation + 1, updated_at = $2
       where bot_id = $3 and name = $4`,
      [head.lastPosition, nowMs, botId, reader],
    );
  }
  const { position, finished } = queueStartOf(waiting, head.lastPosition);
  const before = readState(pull?.state ?? '');
  const goesOn = pull !== undefined && position >= pull.position;
  const state = writeState({
    shown: goesOn ? before.shown : null,
    allowedUpdatesHistory: allowedUpdatesHistory ?? before.allowedUpdatesHistory,
    ...(finished.length > 0 ? { finished } : {}),
    // Offsets that a client knows from before the webhook say nothing about later updates.
    ...(goesOn && !before.rewound ? {} : { rewound: true }),
  });
  yield* putReader(botId, pullReaderBeside(reader), { position, state, nowMs });
}

/**
 * Runs for setWebhook if nothing was forwarded before: push continues with what nobody polled.
 * Returns the kinds that the consumer wanted, which still apply to what was queued under them;
 * undefined if push had the queue already.
 */
export function* handToPush(
  botId: number,
  reader: string,
  { dialect, nowMs, dropsPending: drops }: QueueTransferOptions,
): Step<readonly AllowedUpdatesEntry[] | undefined> {
  const { push, pull } = yield* lockReaders(dialect, botId, reader);
  const head = yield* headOf(botId);
  if (push && !pull) {
    // Push had the queue all along.
    if (drops) yield* dropPending(botId, reader, nowMs);
    return undefined;
  }
  const unasked = push || pull ? 0 : yield* positionBefore(botId, nowMs - unaskedMs, head);
  const waiting = drops ? [] : yield* waitingFor(botId, head, push, pull, unasked);
  const { position, finished } = queueStartOf(waiting, head.lastPosition);
  if (push) yield* empty(botId, reader, nowMs, drops);
  const state = writeReaderState({ finished, paused: false });
  yield* putReader(botId, reader, { position, state, nowMs });
  yield* raw('delete from readers where bot_id = $1 and name = $2', [
    botId,
    pullReaderBeside(reader),
  ]);
  return [{ after: 0, kinds: null }, ...readState(pull?.state ?? '').allowedUpdatesHistory];
}

/**
 * Returns the start of a consumer when a client polls while a webhook is set: the push reader's
 * cursor.
 */
export function* startBesidePush(botId: number, reader: string): Step<QueueStart> {
  const { push } = yield* readersOf(botId, reader);
  const head = yield* headOf(botId);
  return queueStartOf(yield* waitingFor(botId, head, push, undefined), head.lastPosition);
}

/** The name of the consumer that shares its queue with a push reader. */
const pullReaderBeside = (reader: string): string => readerOf('pull', readerName(reader));

function* lockReaders(dialect: DialectName, botId: number, reader: string) {
  return yield* readersOf(botId, reader, wordsOf[dialect].lock('for update'));
}

function* readersOf(
  botId: number,
  reader: string,
  lock = '',
): Step<{ push: ReaderRow | undefined; pull: ReaderRow | undefined }> {
  const pullReader = pullReaderBeside(reader);
  // The rows are locked in the same order as in retention.
  const rows = yield* raw<ReaderRow>(
    `select name, position, state, opened from readers
     where bot_id = $1 and name in ($2, $3) order by name ${lock}`,
    [botId, pullReader, reader],
  );
  const named = (wanted: string) => rows.find(({ name }) => name === wanted);
  return { push: named(reader), pull: named(pullReader) };
}

/** Returns what neither reader finished since the first of them began. */
function* waitingFor(
  botId: number,
  { lastPosition, trimmedTo }: LogHead,
  push: ReaderRow | undefined,
  pull: ReaderRow | undefined,
  unasked = lastPosition,
): Step<Range[]> {
  const begins = [push, pull].flatMap((row) => (row ? [row.opened] : []));
  const from = Math.max(trimmedTo, begins.length > 0 ? Math.min(...begins) : unasked);
  const inRetryQueues = push ? yield* retryRanges(botId, push.name, trimmedTo) : [];
  let waiting = inRetryQueues.filter(([position]) => position <= from);
  if (from < lastPosition) waiting.push([from + 1, lastPosition]);
  if (pull) waiting = without(waiting, passedBy(pull, readState(pull.state).finished ?? []));
  if (push) {
    const taken = without(passedBy(push, readReaderState(push.state).finished), inRetryQueues);
    waiting = without(waiting, taken);
  }
  return waiting;
}

function* retryRanges(botId: number, reader: string, after: number): Step<Range[]> {
  const rows = yield* raw<{ position: number }>(
    `select position from retry_positions
     where bot_id = $1 and reader = $2 and replay = 0 and position > $3 order by position`,
    [botId, reader, after],
  );
  return rows.map(({ position }) => [position, position]);
}

function passedBy({ opened, position }: ReaderRow, finished: readonly Range[]): Range[] {
  const passed: Range[] = opened < position ? [[opened + 1, position]] : [];
  return [...passed, ...finished.filter(([, to]) => to > position)];
}

function queueStartOf(waiting: readonly Range[], lastPosition: number): QueueStart {
  const [first] = waiting;
  if (!first) return { position: lastPosition, finished: [] };
  const position = first[0] - 1;
  const gaps = without([[position + 1, lastPosition]], waiting);
  if (gaps.length <= maxGaps) return { position, finished: gaps };
  const largest = gaps.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, maxGaps);
  return { position, finished: largest.sort((a, b) => a[0] - b[0]) };
}

/** Removes from push what waits behind failures; replays stay, unless everything is dropped. */
function* empty(botId: number, reader: string, nowMs: number, drops: boolean): Step<void> {
  if (drops) {
    yield* dropPending(botId, reader, nowMs);
    return;
  }
  yield* raw('delete from retry_positions where bot_id = $1 and reader = $2 and replay = 0', [
    botId,
    reader,
  ]);
  yield* removeEmptyRetryQueues(botId, reader);
}

function* putReader(
  botId: number,
  name: string,
  { position, state, nowMs }: { position: number; state: string; nowMs: number },
): Step<void> {
  yield* raw(
    `insert into readers (bot_id, name, position, opened, state, created_at, updated_at)
     values ($1, $2, $3, $3, $4, $5, $5)
     on conflict (bot_id, name) do update set position = excluded.position,
       opened = excluded.opened, state = excluded.state, generation = readers.generation + 1,
       updated_at = excluded.updated_at`,
    [botId, name, position, state, nowMs],
  );
}

/** Finds the position before the first update received at that time or later. */
function* positionBefore(botId: number, atMs: number, head: LogHead): Step<number> {
  let low = head.trimmedTo;
  let high = head.lastPosition;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const [entry] = yield* raw<{ at: number }>(
      'select received_at as at from log where bot_id = $1 and position = $2',
      [botId, middle],
    );
    if ((entry?.at ?? 0) < atMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/* Counts updates that retention deletes although a reader had not finished them. */
import { defaultApp } from '../../core/apps/app.ts';
import type { AppFilter } from '../../core/apps/app-filter.ts';
import { type Sees, seenByApp, seesUnclaimed } from '../../core/apps/claims.ts';
import { readState, wants } from '../../core/log/consumer-state.ts';
import { readReaderState } from '../../core/log/push-progress.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { readerApp, readerKind } from '../../core/log/reader-kinds.ts';
import type { PatternTimes } from '../../core/search/pattern-time.ts';
import { raw, type Step } from '../engine.ts';
import { isWaitedFor } from './reader-sql.ts';

export type AskedPatterns = PatternTimes['asked'];

/** An entry of the log that is removed. */
export interface Received {
  position: number;
  kind: string;
  receivedAt: number;
  raw: string;
  claimedBy: number;
}

/** A position in a retry queue. */
export interface WaitingPosition {
  reader: string;
  position: number;
}

interface Removed {
  botId: number;
  /** The removed entries, oldest first. */
  gone: readonly Received[];
  /** The removed positions of retry queues. */
  waiting: readonly WaitingPosition[];
  nowMs: number;
}

/** A reader that had not finished what was removed, with the username of its bot. */
interface Unfinished {
  name: string;
  position: number;
  state: string;
  username: string;
}

/** SQL: the readers of a bot for which retention waits. */
export const needing = `readers r join bots b on b.id = r.bot_id where r.bot_id = $1
  and ${isWaitedFor('r.name')}`;

/**
 * The processor time for the filters of one portion, because appends wait meanwhile. Updates left
 * over count.
 */
const filterMs = 10;

/** Counts removed updates for the readers that had not finished them; returns their sum. */
export function* countDropped(
  { botId, gone, waiting, nowMs }: Removed,
  patterns: AskedPatterns,
): Step<number> {
  const upTo = gone.at(-1)?.position ?? 0;
  const readers = yield* raw<Unfinished>(
    `select r.name, r.position, r.state, b.username from ${needing} and r.position < $2`,
    [botId, upTo],
  );
  const apps = yield* raw<{ id: number; name: string; filter: string }>(
    'select id, name, filter from apps where bot_id = $1 and name <> $2',
    [botId, defaultApp],
  );
  const filters = new Map(
    apps.map(({ id, name, filter }) => [name, { id, filter: JSON.parse(filter) as AppFilter }]),
  );
  const until = patterns.clock.computed() + filterMs;
  const counts = readers.map((reader) => {
    const app = filters.get(readerApp(reader.name));
    return { name: reader.name, lost: countFor(reader, app, gone, { patterns, until }) };
  });
  let dropped = 0;
  for (const { name, lost } of counts) dropped += yield* addDropped(botId, name, lost, nowMs);
  // Updates in retry queues are behind their reader's position, so they are not counted above.
  const positions = new Map(readers.map(({ name, position }) => [name, position]));
  for (const [name, ofReader] of Map.groupBy(waiting, ({ reader }) => reader)) {
    const passed = positions.get(name) ?? upTo;
    const behind = ofReader.filter(({ position }) => position <= passed).length;
    dropped += yield* addDropped(botId, name, behind, nowMs);
  }
  return dropped;
}

/**
 * Counts those that were for the reader and are not finished. Patterns are left out, because they
 * take too long.
 */
function countFor(
  { name, position, state, username }: Unfinished,
  app: { id: number; filter: AppFilter } | undefined,
  gone: readonly Received[],
  { patterns, until }: { patterns: AskedPatterns; until: number },
): number {
  const { finished } = readReaderState(state);
  const pull = readerKind(name) === 'pull' ? readState(state) : undefined;
  const left = gone.filter(
    (entry) =>
      entry.position > position &&
      !inRanges(finished, entry.position) &&
      (!pull || wants(pull, app?.filter.kinds ?? [], entry)),
  );
  if (readerApp(name) === '') return left.length;
  if (!app) return left.filter(seesUnclaimed).length;
  const { regex: _, ...filter } = app.filter;
  let sees: Sees | undefined;
  return left.filter((entry) => {
    if (entry.claimedBy !== 0) return entry.claimedBy === app.id;
    if (patterns.clock.computed() > until) return true;
    sees ??= seenByApp({ id: app.id, bot_id: 0, filter }, username, patterns);
    return sees(entry);
  }).length;
}

function* addDropped(botId: number, name: string, count: number, nowMs: number): Step<number> {
  if (count === 0) return 0;
  yield* raw(
    'update readers set dropped = dropped + $3, dropped_at = $4 where bot_id = $1 and name = $2',
    [botId, name, count, nowMs],
  );
  return count;
}

/*
 * Counts what the readers of apps have yet to read: exactly near the end of the log, while older
 * updates count unseen. Results of filters are cached, so that each update is read and parsed once,
 * however often someone asks while an app is behind.
 */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { seenByApp, type Sees } from '../../core/apps/claims.ts';
import { readState, wants } from '../../core/log/consumer-state.ts';
import {
  lookedAt,
  type PushProgress,
  readReaderState,
  unfinished,
} from '../../core/log/push-progress.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { readerApp, readerKind } from '../../core/log/reader-kinds.ts';
import type { PatternTimes } from '../../core/search/pattern-time.ts';
import type { AppRepository } from './apps.ts';
import type { ConsumerRepository } from './consumers.ts';
import type { LogHead, LogRepository } from '../log/log.ts';
import type { ReaderRepository } from '../log/readers.ts';

export interface Unread {
  /** The number of updates after its position, without those in retry queues. */
  count: number;
  /** Of these, the number that its app claimed: nobody else receives them. */
  claimed: number;
}

interface Bot {
  id: number;
  username: string;
}

export interface UnreadCounts {
  /** Returns counts by the name of the reader; readers without an app are left out. */
  count(
    bot: Bot,
    apps: readonly AppRecord[],
    head: LogHead,
    readers: readonly (PushProgress & { name: string })[],
  ): Promise<ReadonlyMap<string, Unread>>;
  /** Counts for one bot. */
  of(botId: number): Promise<ReadonlyMap<string, Unread>>;
}

interface UnreadDeps {
  bots: { get(id: number): Promise<Bot | undefined> };
  consumers: Pick<ConsumerRepository, 'marks'>;
  readers: Pick<ReaderRepository, 'list'>;
  apps: Pick<AppRepository, 'list'>;
  log: Pick<LogRepository, 'head'>;
  patterns: PatternTimes;
}

const textsPerRead = 100;
/** The end of the log is cached for this many bots; for others every update counts. */
const mostBots = 1_000;
const unusedForMs = 60_000;

interface Mark {
  position: number;
  kind: string;
  claimedBy: number;
}

/** The cached end of a bot's log, without texts. */
interface Remembered {
  /** The marks of all updates after this position, up to `upTo`. */
  after: number;
  upTo: number;
  marks: Mark[];
  /** What the filters of apps that are behind let through, by app. */
  filtered: Map<number, Filtered>;
  usedAt: number;
  /** The last fill, which the next one waits for. */
  filling: Promise<void>;
}

interface Filtered {
  source: string;
  sees: Sees;
  /** The results cover the updates after this position, up to `upTo`. */
  after: number;
  upTo: number;
  seen: Mark[];
  usedAt: number;
}

/** An app with a filter, and the position of its reader that is furthest behind. */
interface Asked {
  app: AppRecord;
  position: number;
}

export function createUnreadCounts(deps: UnreadDeps): UnreadCounts {
  const { consumers, patterns } = deps;
  const { clock } = patterns.asked;
  const remembered = new Map<number, Remembered>();

  /** Undefined if there is no room for another bot. */
  function rememberedOf(botId: number, after: number): Remembered | undefined {
    const now = clock.monotonic();
    for (const [oldest, { usedAt }] of remembered) {
      if (now - usedAt < unusedForMs) break;
      remembered.delete(oldest);
    }
    let end = remembered.get(botId);
    if (!end) {
      if (remembered.size >= mostBots) return undefined;
      const filling = Promise.resolve();
      end = { after, upTo: after, marks: [], filtered: new Map(), usedAt: now, filling };
    }
    // Moves the entry to the end, so that the map is ordered by last use.
    remembered.delete(botId);
    remembered.set(botId, end);
    end.usedAt = now;
    return end;
  }

  /**
   * Returns the results for the apps that are asked about. Results of other apps are forgotten
   * after a while, and not continued until then.
   */
  function filteredOf(
    end: Remembered,
    bot: Bot,
    asked: readonly Asked[],
    start: number,
  ): Filtered[] {
    const usedAt = clock.monotonic();
    for (const [id, one] of end.filtered) {
      if (usedAt - one.usedAt >= unusedForMs) end.filtered.delete(id);
    }
    return asked.map(({ app, position }) => {
      const source = sourceOf(app, bot);
      const after = Math.max(start, position);
      const known = end.filtered.get(app.id);
      const isUsable = known?.source === source && known.after <= after && known.upTo >= start;
      const sees =
        known?.source === source ? known.sees : seenByApp(app, bot.username, patterns.asked);
      const one = isUsable ? known : { source, sees, after, upTo: after, seen: [], usedAt };
      one.usedAt = usedAt;
      if ((one.seen[0]?.position ?? start + 1) <= start) {
        one.seen = one.seen.filter((mark) => mark.position > start);
      }
      end.filtered.set(app.id, one);
      return one;
    });
  }

  async function fill(
    end: Remembered,
    bot: Bot,
    { first, head, asked }: { first: number; head: LogHead; asked: readonly Asked[] },
  ): Promise<void> {
    const start = Math.max(head.lastPosition - lookedAt, head.trimmedTo);
    const after = Math.max(start, first);
    const filtered = filteredOf(end, bot, asked, start);
    if (end.after > after || end.upTo < start)
      Object.assign(end, { after, upTo: after, marks: [] });
    if (end.after < start) {
      end.after = start;
      end.marks = end.marks.filter(({ position }) => position > start);
    }
    const needsText = filtered.length > 0;
    const size = needsText ? textsPerRead : lookedAt;
    for (
      let at = Math.min(end.upTo, ...filtered.map(({ upTo }) => upTo));
      at < head.lastPosition;
    ) {
      const batch = await consumers.marks(bot.id, at, size, needsText);
      if (batch.length === 0) break;
      for (const entry of batch) {
        const { position, kind, claimedBy } = entry;
        const mark = { position, kind, claimedBy };
        for (const one of filtered) {
          if (position <= one.upTo) continue;
          const waiting = one.sees.ready?.(entry);
          if (waiting) await waiting;
          if (one.sees(entry)) one.seen.push(mark);
          one.upTo = position;
        }
        if (position > end.upTo) {
          end.marks.push(mark);
          end.upTo = position;
        }
        at = position;
      }
      if (needsText) await patterns.slices.next();
    }
  }

  const counts: UnreadCounts = {
    async count(bot, apps, head, readers) {
      const behind = readers
        .filter(({ name, position }) => readerApp(name) !== '' && position < head.lastPosition)
        .map((reader) => {
          const name = readerApp(reader.name);
          return { reader, app: apps.find((app) => name !== defaultApp && app.name === name) };
        });
      if (behind.length === 0) return new Map();
      const first = Math.min(...behind.map(({ reader }) => reader.position));
      const positions = new Map<AppRecord, number>();
      for (const { app, reader } of behind) {
        if (!app || !hasFilter(app)) continue;
        positions.set(app, Math.min(reader.position, positions.get(app) ?? reader.position));
      }
      const asked = [...positions].map(([app, position]) => ({ app, position }));
      const end = rememberedOf(
        bot.id,
        Math.max(head.lastPosition - lookedAt, head.trimmedTo, first),
      );
      if (end) {
        const filled = end.filling.then(() => fill(end, bot, { first, head, asked }));
        end.filling = filled.catch(() => {});
        await filled;
      }
      const marks = (end?.marks ?? []).filter(({ position }) => position <= head.lastPosition);
      return new Map(
        behind.map(({ reader, app }) => {
          const { finished } = readReaderState(reader.state);
          const state = readerKind(reader.name) === 'pull' ? readState(reader.state) : undefined;
          const isLeft = ({ position }: Mark) =>
            position > reader.position &&
            position <= head.lastPosition &&
            !inRanges(finished, position);
          const left = marks.filter(isLeft);
          const filtered = app && end?.filtered.get(app.id)?.seen.filter(isLeft);
          const isFor = ({ claimedBy }: Mark) => claimedBy === 0 || claimedBy === app?.id;
          const seen = (filtered ?? left.filter(isFor)).filter(
            (mark) => !state || wants(state, app?.filter.kinds ?? [], mark),
          );
          const claimed = seen.filter(({ claimedBy }) => claimedBy === app?.id).length;
          const count = Math.max(0, unfinished(reader, head) - left.length + seen.length);
          return [reader.name, { count, claimed }];
        }),
      );
    },

    async of(botId) {
      // This yields, because many bots are asked about at once and the embedded database answers
      // immediately.
      await patterns.slices.next();
      const bot = await deps.bots.get(botId);
      if (!bot) return new Map();
      const readers = await deps.readers.list(bot.id);
      const apps = await deps.apps.list(bot.id);
      // The head is read last, so that no reader seems to be ahead of the log.
      return counts.count(bot, apps, await deps.log.head(bot.id), readers);
    },
  };
  return counts;
}

const hasFilter = ({ filter }: AppRecord): boolean => Object.keys(filter).length > 0;

const sourceOf = ({ filter }: AppRecord, { username }: Bot): string =>
  JSON.stringify([filter, filter.commands?.length ? username : '']);

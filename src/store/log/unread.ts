/*
 * What the readers of apps have yet to read: exact over the end of the log; what is older counts
 * without a look at it. What the filters let through is remembered, so that each update is read and
 * parsed once, however often someone asks while an app is behind.
 */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { seenByApp, type Sees } from '../../core/apps/claims.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { readerApp, readerKind } from '../../core/log/reader-kinds.ts';
import type { PatternTimes } from '../../core/search/pattern-time.ts';
import type { AppRepository } from '../apps/apps.ts';
import { type PushProgress, readReaderState, unfinished } from '../delivery/push-progress.ts';
import { readState, wants } from './consumer-state.ts';
import type { ConsumerRepository } from './consumers.ts';
import type { LogHead, LogRepository } from './log.ts';
import type { ReaderRepository } from './readers.ts';

export interface Unread {
  /** After its position, without what waits in retry queues. */
  count: number;
  /** Of these, what its app claimed: nobody else receives it. */
  claimed: number;
}

interface Bot {
  id: number;
  username: string;
}

export interface UnreadCounts {
  /** By the name of the reader; those that read for no app are left out. */
  count(
    bot: Bot,
    apps: readonly AppRecord[],
    head: LogHead,
    readers: readonly (PushProgress & { name: string })[],
  ): Promise<ReadonlyMap<string, Unread>>;
  /** Of one bot. */
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

/** So many at the end of a log are looked at one by one. */
export const lookedAt = 1_000;
const textsPerRead = 100;
/** Of so many bots the end of the log is remembered; of others everything counts. */
const mostBots = 1_000;
const unusedForMs = 60_000;

interface Mark {
  position: number;
  kind: string;
  claimedBy: number;
}

/** The end of the log of a bot, without texts. */
interface Remembered {
  /** Everything after this position, and up to the other one. */
  after: number;
  upTo: number;
  marks: Mark[];
  /** What the filters of apps let through, by the app. */
  filtered: Map<number, { source: string; sees: Sees; seen: Mark[] }>;
  usedAt: number;
  /** The last one who fills it. */
  filling: Promise<void>;
}

export function createUnreadCounts(deps: UnreadDeps): UnreadCounts {
  const { consumers, patterns } = deps;
  const { clock } = patterns.asked;
  const remembered = new Map<number, Remembered>();

  /** Undefined when there is no room for one more bot. */
  function rememberedOf(botId: number, after: number): Remembered | undefined {
    const now = clock.monotonic();
    let end = remembered.get(botId);
    if (!end) {
      const [oldest] = remembered;
      if (oldest && remembered.size >= mostBots) {
        if (now - oldest[1].usedAt < unusedForMs) return undefined;
        remembered.delete(oldest[0]);
      }
      const filling = Promise.resolve();
      end = { after, upTo: after, marks: [], filtered: new Map(), usedAt: now, filling };
    }
    // The one that was used last is the last.
    remembered.delete(botId);
    remembered.set(botId, end);
    end.usedAt = now;
    return end;
  }

  async function fill(
    end: Remembered,
    bot: Bot,
    apps: readonly AppRecord[],
    { first, head, asked }: { first: number; head: LogHead; asked: readonly AppRecord[] },
  ): Promise<void> {
    const start = Math.max(head.lastPosition - lookedAt, head.trimmedTo);
    const after = Math.max(start, first);
    const known = new Map(apps.map((app) => [app.id, sourceOf(app, bot)]));
    for (const [id, { source }] of end.filtered) {
      if (known.get(id) !== source) end.filtered.delete(id);
    }
    const isNew = asked.some(({ id }) => !end.filtered.has(id));
    if (isNew || end.after > after || end.upTo < start) {
      Object.assign(end, { after, upTo: after, marks: [] });
      for (const app of asked) {
        const source = sourceOf(app, bot);
        const sees = end.filtered.get(app.id)?.sees ?? seenByApp(app, bot.username, patterns.asked);
        end.filtered.set(app.id, { source, sees, seen: [] });
      }
      for (const one of end.filtered.values()) one.seen = [];
    }
    const isLeft = ({ position }: Mark) => position > start;
    if (end.after < start) {
      end.after = start;
      end.marks = end.marks.filter(isLeft);
      for (const one of end.filtered.values()) one.seen = one.seen.filter(isLeft);
    }
    const needsText = end.filtered.size > 0;
    const size = needsText ? textsPerRead : lookedAt;
    while (end.upTo < head.lastPosition) {
      const batch = await consumers.marks(bot.id, end.upTo, size, needsText);
      if (batch.length === 0) break;
      let isOver = patterns.slices.begin();
      for (const entry of batch) {
        const { position, kind, claimedBy } = entry;
        const mark = { position, kind, claimedBy };
        for (const one of end.filtered.values()) {
          if (one.sees(entry)) one.seen.push(mark);
          if (!isOver()) continue;
          await patterns.slices.next();
          isOver = patterns.slices.begin();
        }
        end.marks.push(mark);
        end.upTo = position;
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
      const asked = behind.flatMap(({ app }) => (app && hasFilter(app) ? app : []));
      const end = rememberedOf(
        bot.id,
        Math.max(head.lastPosition - lookedAt, head.trimmedTo, first),
      );
      if (end) {
        const filled = end.filling.then(() => fill(end, bot, apps, { first, head, asked }));
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
            (mark) => !state || wants(state, mark),
          );
          const claimed = seen.filter(({ claimedBy }) => claimedBy === app?.id).length;
          const count = Math.max(0, unfinished(reader, head) - left.length + seen.length);
          return [reader.name, { count, claimed }];
        }),
      );
    },

    async of(botId) {
      // Many bots are asked about at once, and the embedded database answers at once.
      await patterns.slices.next();
      const bot = await deps.bots.get(botId);
      if (!bot) return new Map();
      const readers = await deps.readers.list(bot.id);
      const apps = await deps.apps.list(bot.id);
      // The head last, so that no reader seems to be ahead of the log.
      return counts.count(bot, apps, await deps.log.head(bot.id), readers);
    },
  };
  return counts;
}

const hasFilter = ({ filter }: AppRecord): boolean => Object.keys(filter).length > 0;

const sourceOf = ({ filter }: AppRecord, { username }: Bot): string =>
  JSON.stringify([filter, filter.commands?.length ? username : '']);

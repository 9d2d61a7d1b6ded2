/*
 * Caches the ends of logs without texts, and what the filters of apps let through there. Each
 * update is read and parsed once, however often someone asks while an app is behind.
 */
import type { AppRecord } from '../../core/apps/app.ts';
import { seenByApp, type Sees } from '../../core/apps/claims.ts';
import { lookedAt } from '../../core/log/push-progress.ts';
import type { PatternTimes } from '../../core/search/pattern-time.ts';
import type { LogHead } from '../log/log.ts';
import type { ConsumerRepository } from './consumers.ts';

export interface NamedBot {
  id: number;
  username: string;
}

const textsPerRead = 100;
/** The end of the log is cached for this many bots; for others every update counts. */
const mostBots = 1_000;
const unusedForMs = 60_000;

export interface Mark {
  position: number;
  kind: string;
  claimedBy: number;
}

/** The cached end of a bot's log, without texts. */
export interface LogEnd {
  /** The marks of all updates after this position, up to `upTo`. */
  after: number;
  upTo: number;
  marks: Mark[];
  /** What the filters of apps that are behind let through, by app. */
  filtered: Map<number, Filtered>;
  usedAt: number;
  /** The last read, which the next one waits for. */
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

interface Wanted {
  bot: NamedBot;
  head: LogHead;
  /** The position of the reader that is furthest behind. */
  first: number;
  asked: readonly Asked[];
}

export interface LogEnds {
  /**
   * Reads the end of a log up to its head and uses it before the next read changes it; undefined if
   * there is no room for another.
   */
  read<T>(wanted: Wanted, use: (end: LogEnd | undefined) => T): Promise<T>;
}

export interface LogEndsDeps {
  consumers: Pick<ConsumerRepository, 'marks'>;
  patterns: PatternTimes;
}

export function createLogEnds({ consumers, patterns }: LogEndsDeps): LogEnds {
  const { clock } = patterns.asked;
  const remembered = new Map<number, LogEnd>();

  /** Undefined if there is no room for another bot. */
  function endOf(botId: number, after: number): LogEnd | undefined {
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
    end: LogEnd,
    bot: NamedBot,
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

  async function fill(end: LogEnd, { bot, first, head, asked }: Wanted): Promise<void> {
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

  return {
    async read(wanted, use) {
      const { bot, head, first } = wanted;
      const start = Math.max(head.lastPosition - lookedAt, head.trimmedTo);
      const end = endOf(bot.id, Math.max(start, first));
      if (!end) return use(undefined);
      const used = end.filling.then(async () => {
        await fill(end, wanted);
        return use(end);
      });
      end.filling = used.then(
        () => {},
        () => {},
      );
      return used;
    },
  };
}

const sourceOf = ({ filter }: AppRecord, { username }: NamedBot): string =>
  JSON.stringify([filter, filter.commands?.length ? username : '']);

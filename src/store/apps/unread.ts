/*
 * Counts what the readers of apps have yet to read: exactly near the end of the log, while older
 * updates count unseen.
 */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { readState, wants } from '../../core/log/consumer-state.ts';
import { type PushProgress, readReaderState, unfinished } from '../../core/log/push-progress.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { readerApp, readerKind } from '../../core/log/reader-kinds.ts';
import type { AppRepository } from './apps.ts';
import { createLogEnds, type LogEndsDeps, type Mark, type NamedBot } from './log-ends.ts';
import type { LogHead, LogRepository } from '../log/log.ts';
import type { ReaderRepository } from '../log/readers.ts';

export interface Unread {
  /** The number of updates after its position, without those in retry queues. */
  count: number;
  /** Of these, the number that its app claimed: nobody else receives them. */
  claimed: number;
}

export interface UnreadCounts {
  /** Returns counts by the name of the reader; readers without an app are left out. */
  count(
    bot: NamedBot,
    apps: readonly AppRecord[],
    head: LogHead,
    readers: readonly (PushProgress & { name: string })[],
  ): Promise<ReadonlyMap<string, Unread>>;
  /** Counts for one bot. */
  of(botId: number): Promise<ReadonlyMap<string, Unread>>;
}

interface UnreadDeps extends LogEndsDeps {
  bots: { get(id: number): Promise<NamedBot | undefined> };
  readers: Pick<ReaderRepository, 'list'>;
  apps: Pick<AppRepository, 'list'>;
  log: Pick<LogRepository, 'head'>;
}

export function createUnreadCounts(deps: UnreadDeps): UnreadCounts {
  const ends = createLogEnds(deps);

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
      return ends.read({ bot, head, first, asked }, (end) => {
        const marks = (end?.marks ?? []).filter(({ position }) => position <= head.lastPosition);
        const countFor = ({ reader, app }: (typeof behind)[number]): Unread => {
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
          return { count, claimed };
        };
        return new Map(behind.map((one) => [one.reader.name, countFor(one)]));
      });
    },

    async of(botId) {
      // This yields, because many bots are asked about at once and the embedded database answers
      // immediately.
      await deps.patterns.slices.next();
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

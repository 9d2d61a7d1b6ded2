/*
 * What the readers of apps have yet to read: exact over the end of the log; what is older counts
 * without a look at it.
 */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { seenByApp, seesUnclaimed } from '../../core/apps/claims.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { readerApp, readerKind } from '../../core/log/reader-kinds.ts';
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

/** So many at the end of a log are looked at one by one. */
export const lookedAt = 1_000;

/** By the name of the reader; those that read for no app are left out. */
export async function countUnread(
  consumers: Pick<ConsumerRepository, 'marks'>,
  bot: Bot,
  apps: readonly AppRecord[],
  head: LogHead,
  readers: readonly (PushProgress & { name: string })[],
): Promise<ReadonlyMap<string, Unread>> {
  const behind = readers
    .filter(({ name, position }) => readerApp(name) !== '' && position < head.lastPosition)
    .map((reader) => {
      const name = readerApp(reader.name);
      return { reader, app: apps.find((app) => name !== defaultApp && app.name === name) };
    });
  if (behind.length === 0) return new Map();
  const first = Math.min(...behind.map(({ reader }) => reader.position));
  const after = Math.max(head.lastPosition - lookedAt, head.trimmedTo, first);
  const needsText = behind.some(({ app }) => app && Object.keys(app.filter).length > 0);
  const read = await consumers.marks(bot.id, after, lookedAt, needsText);
  const marks = read.filter(({ position }) => position <= head.lastPosition);
  return new Map(
    behind.map(({ reader, app }) => {
      const sees = app ? seenByApp(app, bot.username) : seesUnclaimed;
      const { finished } = readReaderState(reader.state);
      const state = readerKind(reader.name) === 'pull' ? readState(reader.state) : undefined;
      const left = marks.filter(
        ({ position }) => position > reader.position && !inRanges(finished, position),
      );
      const seen = left.filter((mark) => (!state || wants(state, mark)) && sees(mark));
      const claimed = seen.filter(({ claimedBy }) => claimedBy === app?.id).length;
      const count = Math.max(0, unfinished(reader, head) - left.length + seen.length);
      return [reader.name, { count, claimed }];
    }),
  );
}

/** Of one bot. */
export async function unreadOf(
  store: {
    bots: { get(id: number): Promise<Bot | undefined> };
    consumers: Pick<ConsumerRepository, 'marks'>;
    readers: Pick<ReaderRepository, 'list'>;
    apps: Pick<AppRepository, 'list'>;
    log: Pick<LogRepository, 'head'>;
  },
  botId: number,
): Promise<ReadonlyMap<string, Unread>> {
  const bot = await store.bots.get(botId);
  if (!bot) return new Map();
  const readers = await store.readers.list(bot.id);
  const apps = await store.apps.list(bot.id);
  // The head last, so that no reader seems to be ahead of the log.
  return countUnread(store.consumers, bot, apps, await store.log.head(bot.id), readers);
}

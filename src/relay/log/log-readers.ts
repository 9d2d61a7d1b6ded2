/*
 * Registers all readers of the update log. Each kind of reader answers the same questions, for all
 * readers of its kind that a bot has; the rest of the service asks the registry and never tells
 * kinds apart itself. Readers are passed by their stored names.
 */
import type { Clock } from '../../clock.ts';
import type { AppRecord } from '../../core/apps/app.ts';
import {
  allReaderKinds,
  isKnownReader,
  type ReaderKind,
  readerApp,
  readerKind,
} from '../../core/log/reader-kinds.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { AppRepository } from '../../store/apps/apps.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { ListedReader, ReaderRepository } from '../../store/log/readers.ts';

export interface LogReader {
  /** Called before the first bot is taken. */
  start?(): Promise<void>;
  /** True if anything reads through this reader of that app. Not asked for a disabled bot. */
  isActive(bot: BotRecord, reader: string, app?: AppRecord): boolean | Promise<boolean>;
  /**
   * Creates the readers that a bot's settings call for, so that no update received from now on is
   * missed.
   */
  prepare(bot: BotRecord): Promise<void>;
  /**
   * Set for readers that one node at a time runs: starts, changes or stops reading for a bot of
   * this node, under its lease. Other readers serve clients on every node.
   */
  run?: {
    apply(bot: BotRecord, leaseEpoch: number): Promise<void>;
    stop(botId: number): Promise<void>;
    stopAll(): Promise<void>;
  };
  /** Someone moved or removed a reader, on this node or another. */
  onMoved(botId: number, reader: string): void | Promise<void>;
  /** Set if a move takes more than a new position; works like `LogReaders.rewind`. */
  rewind?(botId: number, reader: string, position: number): Promise<number | undefined>;
  /** True if a client waits for updates on this node. */
  isWaiting?(botId: number, reader: string): boolean;
  /** Tells people what to do instead of removing the unnamed reader. */
  insteadOfRemoving?: Reason;
}

export interface BotReader extends ListedReader {
  kind: ReaderKind;
  /** The name of the app that the reader belongs to; empty if there is none. */
  app: string;
  /** The app has a token, so the reader can be removed only with its app, not as a consumer. */
  hasToken: boolean;
  isActive: boolean;
  isWaiting: boolean;
}

export interface LogReaders {
  start(): Promise<void>;
  readersOf(bot: BotRecord): Promise<BotReader[]>;
  prepare(bot: BotRecord): Promise<void>;
  /** Applies the settings of a bot of this node to its readers; ends early if the bot is lost. */
  apply(bot: BotRecord, leaseEpoch: number, isOwn: () => boolean): Promise<void>;
  stop(botId: number): Promise<void>;
  stopAll(): Promise<void>;
  /**
   * Moves a reader to another position on every node; returns the previous one, undefined if there
   * is no such reader.
   */
  rewind(botId: number, reader: string, position: number): Promise<number | undefined>;
  /** Another node moved or removed a reader. */
  moved(botId: number, reader: string): Promise<void>;
  insteadOfRemoving(kind: ReaderKind): Reason;
}

interface LogReadersDeps {
  kinds: Record<ReaderKind, LogReader>;
  readers: Pick<ReaderRepository, 'list' | 'rewind'>;
  apps: Pick<AppRepository, 'list'>;
  clock: Clock;
  /** Tells the other nodes that a reader was moved. */
  publishMoved(botId: number, reader: string): void;
}

export function createLogReaders(deps: LogReadersDeps): LogReaders {
  const { kinds, readers } = deps;
  const all = allReaderKinds.map((kind) => kinds[kind]);
  const runs = all.flatMap(({ run }) => run ?? []);

  async function viewOf(
    bot: BotRecord,
    reader: ListedReader,
    apps: readonly AppRecord[],
  ): Promise<BotReader> {
    const kind = readerKind(reader.name);
    const app = readerApp(reader.name);
    const record = apps.find(({ name }) => name === app);
    return {
      ...reader,
      kind,
      app,
      hasToken: record?.hasToken ?? false,
      isActive: !bot.disabled && (await kinds[kind].isActive(bot, reader.name, record)),
      isWaiting: kinds[kind].isWaiting?.(bot.id, reader.name) ?? false,
    };
  }

  return {
    async start() {
      for (const reader of all) await reader.start?.();
    },
    async readersOf(bot) {
      const listed = await readers.list(bot.id);
      const known = listed.filter(({ name }) => isKnownReader(name));
      const apps = await deps.apps.list(bot.id);
      return Promise.all(known.map((reader) => viewOf(bot, reader, apps)));
    },
    async prepare(bot) {
      for (const reader of all) await reader.prepare(bot);
    },
    async apply(bot, leaseEpoch, isOwn) {
      for (const run of runs) if (isOwn()) await run.apply(bot, leaseEpoch);
    },
    async stop(botId) {
      await Promise.all(runs.map((run) => run.stop(botId)));
    },
    async stopAll() {
      await Promise.all(runs.map((run) => run.stopAll()));
    },
    async rewind(botId, reader, position) {
      const kind = kinds[readerKind(reader)];
      if (kind.rewind) return kind.rewind(botId, reader, position);
      const moved = await readers.rewind(botId, reader, position, deps.clock.now());
      if (!moved) return undefined;
      deps.publishMoved(botId, reader);
      await kind.onMoved(botId, reader);
      return moved.before;
    },
    async moved(botId, reader) {
      if (isKnownReader(reader)) await kinds[readerKind(reader)].onMoved(botId, reader);
    },
    insteadOfRemoving: (kind) =>
      kinds[kind].insteadOfRemoving ?? reason('reader_is_no_consumer', { reader: kind }),
  };
}

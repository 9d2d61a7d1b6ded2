/* Shows the readers of a bot's log to users and lets them act. */
import type { Clock } from '../../clock.ts';
import { type Caller, callersBot } from '../../core/access/access.ts';
import {
  allReaderKinds,
  publicName,
  type ReaderKind,
  readerKinds,
  readerName,
  readerOf,
  storedName,
} from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { AppRepository } from '../../store/apps/apps.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { unfinished } from '../../core/log/push-progress.ts';
import type { LogHead, LogRepository } from '../../store/log/log.ts';
import { failureOf } from '../../core/log/reader-failure.ts';
import type { ReaderRepository } from '../../store/log/readers.ts';
import type { Unread, UnreadCounts } from '../../store/apps/unread.ts';
import type { Pullers } from '../pull/pullers.ts';
import type { BotReader, LogReaders } from './log-readers.ts';

export interface ReaderView {
  /** The public name: the kind, or the kind, a colon and the reader's own name. */
  reader: string;
  kind: ReaderKind;
  /** The reader's own name; empty if it has none. */
  name: string;
  /** The app that the reader belongs to; empty if there is none. */
  app: string;
  isRemovable: boolean;
  position: number;
  behind: number;
  /** Of the updates behind, those that push has read and that wait behind a failure. */
  inRetry: number;
  oldestWaitingSeconds: number;
  dropped: number;
  lastMovedAt: number;
  isActive: boolean;
  isWaiting: boolean;
  /** The code of what keeps the reader from moving on; empty if nothing does. */
  failure: string;
}

export interface ReadersView {
  logStart: number;
  logEnd: number;
  readers: ReaderView[];
}

export interface RewindRequest {
  bot_id: number;
  reader: string;
  position?: number;
  /** Unix seconds. */
  since?: number;
  to?: 'start' | 'end';
}

export interface RewindOutcome {
  position: number;
  previousPosition: number;
  readAgain: number;
  skipped: number;
}

export interface ReaderService {
  list(caller: Caller, botId: number): Promise<ReadersView>;
  rewind(caller: Caller, request: RewindRequest): Promise<RewindOutcome>;
  /** Returns the previous position. */
  remove(caller: Caller, botId: number, consumer: string): Promise<number>;
}

export interface ReaderServiceDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  log: Pick<LogRepository, 'head'>;
  readers: Pick<ReaderRepository, 'positionBefore'>;
  unread: Pick<UnreadCounts, 'count'>;
  apps: Pick<AppRepository, 'list'>;
  logReaders: LogReaders;
  pullers: Pick<Pullers, 'remove'>;
  clock: Clock;
}

export function createReaderService(deps: ReaderServiceDeps): ReaderService {
  const { readers, logReaders, pullers, log, clock } = deps;

  const botOf = (caller: Caller, botId: number) => callersBot(deps.bots, caller, botId);

  function viewOf(head: LogHead, reader: BotReader, unread: Unread | undefined): ReaderView {
    const { byClients, finishesAhead } = readerKinds[reader.kind];
    const name = readerName(reader.name);
    const ahead =
      unread?.count ?? unfinished(finishesAhead ? reader : { ...reader, state: '' }, head);
    const oldestAt = Math.min(
      (ahead > 0 ? reader.oldestAt : null) ?? Infinity,
      reader.oldestWaitingAt ?? Infinity,
    );
    return {
      reader: publicName(reader.name),
      kind: reader.kind,
      name,
      app: reader.app,
      isRemovable: byClients && name !== '' && !reader.hasToken,
      position: reader.position,
      behind: reader.inRetry + ahead,
      inRetry: reader.inRetry,
      oldestWaitingSeconds: Number.isFinite(oldestAt)
        ? Math.max(0, Math.floor((clock.now() - oldestAt) / 1000))
        : 0,
      dropped: reader.dropped,
      lastMovedAt: reader.updatedAt,
      isActive: reader.isActive,
      isWaiting: reader.isWaiting,
      failure: ahead > 0 ? failureOf(reader.state) : '',
    };
  }

  async function targetOf(request: RewindRequest, head: LogHead): Promise<number> {
    const { bot_id: botId, position, since, to } = request;
    if (to !== undefined) return to === 'start' ? head.trimmedTo : head.lastPosition;
    if (since !== undefined) return readers.positionBefore(botId, since * 1000, head);
    const target = position ?? 0;
    if (target < head.trimmedTo) {
      throw invalidField(
        'position',
        reason('before_log', { least: head.trimmedTo, bot_id: botId }),
      );
    }
    if (target > head.lastPosition) {
      throw invalidField(
        'position',
        reason('beyond_log', { most: head.lastPosition, bot_id: botId }),
      );
    }
    return target;
  }

  /** Counts the updates for the reader after a position, in the same way as `behind`. */
  async function leftFor(
    bot: BotRecord,
    name: string,
    position: number,
    head: LogHead,
  ): Promise<number> {
    const reader = { name, position, state: '' };
    const apps = await deps.apps.list(bot.id);
    const unread = await deps.unread.count(bot, apps, head, [reader]);
    return unread.get(name)?.count ?? unfinished(reader, head);
  }

  return {
    async list(caller, botId) {
      const bot = await botOf(caller, botId);
      // The head is read last, so that no reader seems to be ahead of the log.
      const listed = await logReaders.readersOf(bot);
      const head = await log.head(botId);
      const apps = await deps.apps.list(botId);
      const unread = await deps.unread.count(bot, apps, head, listed);
      return {
        logStart: head.trimmedTo + 1,
        logEnd: head.lastPosition,
        readers: listed.map((reader) => viewOf(head, reader, unread.get(reader.name))),
      };
    },
    async rewind(caller, request) {
      const { bot_id: botId, reader, position, since, to } = request;
      if ([position, since, to].filter((way) => way !== undefined).length !== 1) {
        throw invalidField('position', reason('rewind_target_needed'));
      }
      const bot = await botOf(caller, botId);
      const head = await log.head(botId);
      const target = await targetOf(request, head);
      const stored = storedName(reader);
      const before =
        stored === undefined ? undefined : await logReaders.rewind(botId, stored, target);
      if (stored === undefined || before === undefined) throw noReader(botId, reader);
      const passed =
        (await leftFor(bot, stored, target, head)) - (await leftFor(bot, stored, before, head));
      return {
        position: target,
        previousPosition: before,
        readAgain: Math.max(0, passed),
        skipped: Math.max(0, -passed),
      };
    },
    async remove(caller, botId, consumer) {
      await botOf(caller, botId);
      const position = consumer === '' ? undefined : await pullers.remove(botId, consumer);
      if (position !== undefined) return position;
      const kind = consumer === '' ? 'pull' : ownReader(consumer);
      throw kind
        ? new RelayError('conflict', logReaders.insteadOfRemoving(kind))
        : noReader(botId, readerOf('pull', consumer));
    },
  };
}

/**
 * Returns the kind if the name is that of one of the service's own readers, which someone mistook
 * for a consumer.
 */
const ownReader = (name: string): ReaderKind | undefined =>
  allReaderKinds.find((kind) => kind === name && !readerKinds[kind].byClients);

function noReader(botId: number, reader: string): RelayError {
  return new RelayError('not_found', reason('no_such_reader', { bot_id: botId, reader }));
}

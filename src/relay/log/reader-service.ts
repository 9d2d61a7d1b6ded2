/* What people may see of the readers of a bot's log, and do with them. */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { type Caller, requireBot } from '../../core/access/access.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { pullPrefix } from '../../store/log/consumer-state.ts';
import type { LogHead, LogRepository } from '../../store/log/log.ts';
import { unfinished, waitingForPush } from '../../store/delivery/push-progress.ts';
import {
  type ListedReader,
  publicName,
  type ReaderKind,
  readerKind,
  type ReaderRepository,
} from '../../store/log/readers.ts';
import { routingReader } from '../../store/routing/routing.ts';
import type { Pullers } from '../pull/pullers.ts';

export interface ReaderView {
  /** By which people name it: push, routing, pull, or pull: and the consumer's name. */
  reader: string;
  kind: ReaderKind;
  consumer: string;
  position: number;
  behind: number;
  /** Of these, what push has read and waits behind a failure. */
  parked: number;
  oldestWaitingSeconds: number;
  dropped: number;
  lastMovedAt: number;
  isActive: boolean;
  isWaiting: boolean;
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
  /** Tells where the consumer stood. */
  remove(caller: Caller, botId: number, consumer: string): Promise<number>;
}

export interface ReaderServiceDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  log: Pick<LogRepository, 'head'>;
  readers: ReaderRepository;
  pullers: Pick<Pullers, 'rewind' | 'remove' | 'isWaiting'>;
  /** Whether a bot has anything to route. */
  routes(botId: number): Promise<boolean>;
  /** A reader that one node runs was moved: has that node go on from there. */
  onMoved(botId: number, name: string): Promise<void>;
  clock: Clock;
}

const insteadOfRemoving: Record<string, Reason> = {
  '': reason('unnamed_consumer_stays'),
  push: reason('push_is_no_consumer'),
  routing: reason('routing_is_no_consumer'),
};

export function createReaderService(deps: ReaderServiceDeps): ReaderService {
  const { readers, pullers, log, clock } = deps;

  async function botOf(caller: Caller, botId: number): Promise<BotRecord> {
    requireBot(caller, botId);
    const bot = await deps.bots.get(botId);
    if (bot) return bot;
    throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: botId }));
  }

  async function isActive(bot: BotRecord, kind: ReaderKind): Promise<boolean> {
    if (bot.disabled) return false;
    if (kind === 'pull') return bot.long_poll_enabled;
    if (kind === 'push') return bot.proxy_enabled && bot.backend_url !== '';
    return deps.routes(bot.id);
  }

  async function viewOf(bot: BotRecord, head: LogHead, reader: ListedReader): Promise<ReaderView> {
    const kind = readerKind(reader.name);
    const consumer = kind === 'pull' ? reader.name.slice(pullPrefix.length) : '';
    const ofPush = kind === 'push';
    // Some of what comes after the position of push, or of pull after a webhook, is finished.
    const ahead = unfinished(kind === 'routing' ? { ...reader, state: '' } : reader, head);
    const oldestAt = Math.min(
      (ahead > 0 ? reader.oldestAt : null) ?? Infinity,
      reader.oldestParkedAt ?? Infinity,
    );
    return {
      reader: publicName(reader.name),
      kind,
      consumer,
      position: reader.position,
      behind: ofPush ? waitingForPush(reader, head, reader.parked) : ahead,
      parked: ofPush ? reader.parked : 0,
      oldestWaitingSeconds: Number.isFinite(oldestAt)
        ? Math.max(0, Math.floor((clock.now() - oldestAt) / 1000))
        : 0,
      dropped: reader.dropped,
      lastMovedAt: reader.updatedAt,
      isActive: await isActive(bot, kind),
      isWaiting: kind === 'pull' && pullers.isWaiting(bot.id, consumer),
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

  async function move(botId: number, name: string, position: number): Promise<number | undefined> {
    if (readerKind(name) === 'pull') {
      return pullers.rewind(botId, name.slice(pullPrefix.length), position);
    }
    const moved = await readers.rewind(botId, name, position, clock.now());
    if (moved) await deps.onMoved(botId, name);
    return moved?.before;
  }

  return {
    async list(caller, botId) {
      const bot = await botOf(caller, botId);
      // The head last, so that no reader seems to be ahead of the log.
      const listed = await readers.list(botId);
      const head = await log.head(botId);
      return {
        logStart: head.trimmedTo + 1,
        logEnd: head.lastPosition,
        readers: await Promise.all(listed.map((reader) => viewOf(bot, head, reader))),
      };
    },
    async rewind(caller, request) {
      const { bot_id: botId, reader, position, since, to } = request;
      if ([position, since, to].filter((way) => way !== undefined).length !== 1) {
        throw invalidField('position', reason('rewind_target_needed'));
      }
      await botOf(caller, botId);
      const head = await log.head(botId);
      const target = await targetOf(request, head);
      const before = await move(botId, storedName(reader), target);
      if (before === undefined) throw noReader(botId, reader);
      const previous = Math.max(before, head.trimmedTo);
      return {
        position: target,
        previousPosition: before,
        readAgain: Math.max(0, previous - target),
        skipped: Math.max(0, target - previous),
      };
    },
    async remove(caller, botId, consumer) {
      await botOf(caller, botId);
      const position = consumer === '' ? undefined : await pullers.remove(botId, consumer);
      if (position !== undefined) return position;
      const instead = insteadOfRemoving[consumer];
      throw instead ? new RelayError('conflict', instead) : noReader(botId, `pull:${consumer}`);
    },
  };
}

function storedName(reader: string): string {
  if (reader === 'pull') return pullPrefix;
  return reader === 'routing' ? routingReader : reader;
}

function noReader(botId: number, reader: string): RelayError {
  return new RelayError('not_found', reason('no_such_reader', { bot_id: botId, reader }));
}

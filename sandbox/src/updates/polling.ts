import { type ApiFailure, conflict } from '../api-error.ts';
import type { SandboxClock } from '../clock.ts';
import type { BotRecord, UpdateKind } from '../world/bot-records.ts';
import { dropExpired, updateJson } from './queue.ts';

export interface PollRequest {
  offset: number;
  limit: number;
  timeoutSeconds: number;
  /** Undefined keeps the bot's former choice. */
  allowedUpdates?: { value: UpdateKind[] | undefined };
  signal?: AbortSignal | undefined;
}

interface Waiter {
  limit: number;
  answer(json: string): void;
  refuse(failure: ApiFailure): void;
}

const responseBytes = 4 * 1024 * 1024;
const farPastNewest = 10;

export interface Polling {
  /** Resolves with the JSON of an array of updates. */
  getUpdates(bot: BotRecord, request: PollRequest): string | Promise<string>;
  wake(bot: BotRecord): void;
  /** Ends a waiting poll of this bot, if there is one. */
  terminate(botId: number, failure: ApiFailure): void;
  isWaiting(botId: number): boolean;
  stop(): void;
}

/** Confirms updates: forgets those below the offset. */
function confirm(bot: BotRecord, offset: number): void {
  if (offset > 0) {
    const newest = bot.nextUpdateId - 1;
    if (offset > newest + farPastNewest) return;
    for (const id of bot.updates.keys()) {
      if (id >= offset) return;
      bot.updates.delete(id);
    }
  } else if (offset < 0) {
    let surplus = bot.updates.size + offset;
    for (const id of bot.updates.keys()) {
      if (surplus-- <= 0) return;
      bot.updates.delete(id);
    }
  }
}

function batch(bot: BotRecord, limit: number): string {
  const parts: string[] = [];
  let size = 0;
  for (const update of bot.updates.values()) {
    if (parts.length >= limit || size >= responseBytes) break;
    const json = updateJson(update);
    size += Buffer.byteLength(json);
    if (parts.length > 0 && size > responseBytes) break;
    parts.push(json);
  }
  return `[${parts.join(',')}]`;
}

/**
 * `callersClock` is not moved with the world's, because a client that waits for a response waits in
 * real time.
 */
export function createPolling(clock: SandboxClock, callersClock: SandboxClock): Polling {
  const waiting = new Map<number, Waiter>();
  const nowSeconds = (): number => Math.floor(clock.now() / 1000);

  function terminate(botId: number, failure: ApiFailure): void {
    const waiter = waiting.get(botId);
    if (!waiter) return;
    waiting.delete(botId);
    waiter.refuse(failure);
  }

  function wait(bot: BotRecord, request: PollRequest): string | Promise<string> {
    // A client that has disconnected does not wait and blocks no other.
    if (request.signal?.aborted) return '[]';
    terminate(
      bot.id,
      conflict(
        'terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    );
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        callersClock.clearTimeout(timer);
        request.signal?.removeEventListener('abort', gone);
        if (waiting.get(bot.id) === waiter) waiting.delete(bot.id);
      };
      const waiter: Waiter = {
        limit: request.limit,
        answer: (json) => {
          leave();
          resolve(json);
        },
        refuse: (failure) => {
          leave();
          reject(failure);
        },
      };
      const gone = (): void => waiter.answer('[]');
      const timer = callersClock.setTimeout(
        () => waiter.answer('[]'),
        request.timeoutSeconds * 1000,
      );
      request.signal?.addEventListener('abort', gone);
      waiting.set(bot.id, waiter);
    });
  }

  return {
    getUpdates(bot, request) {
      if (bot.webhook) {
        throw conflict(
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        );
      }
      if (request.allowedUpdates) {
        if (request.allowedUpdates.value) bot.allowedUpdates = request.allowedUpdates.value;
        else delete bot.allowedUpdates;
      }
      dropExpired(bot, nowSeconds());
      confirm(bot, request.offset);
      if (bot.updates.size > 0 || request.timeoutSeconds === 0) return batch(bot, request.limit);
      return wait(bot, request);
    },
    wake(bot) {
      const waiter = waiting.get(bot.id);
      if (waiter && bot.updates.size > 0) waiter.answer(batch(bot, waiter.limit));
    },
    terminate,
    isWaiting: (botId) => waiting.has(botId),
    stop() {
      for (const waiter of [...waiting.values()]) waiter.answer('[]');
    },
  };
}

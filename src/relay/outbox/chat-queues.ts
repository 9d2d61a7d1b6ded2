/*
 * Decides whose turn it is to send through a bot. Waiting sends queue in one line per bot:
 * by priority, first come first served, and a send to a chat that has to pause lets
 * others pass.
 */
import { reason } from '../../core/reasons/reason.ts';
import {
  type SendClass,
  sendClassOf,
  type SendPriority,
  sendPriorities,
} from '../../core/messages/send-class.ts';
import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';
import type { Refusal } from './bucket.ts';
import type { SendRateLimiter } from './rate-limiter.ts';
import type { SharedLimits } from './shared-limits.ts';

interface QueuedSend {
  botId: number;
  chatId: number;
  method: string;
  priority: SendPriority;
  /** The bot pays for sending faster. */
  isPaid?: boolean;
  /** The send is refused if its turn does not come within this time. */
  maxWaitMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

type PassedCall = Pick<QueuedSend, 'botId' | 'chatId' | 'method' | 'isPaid'>;

interface Waiting extends QueuedSend {
  sendClass: SendClass;
  /** True while the send waits for its place in the limits of all nodes. */
  isAsking: boolean;
  resolve: (turnAt: number) => void;
  reject: (error: unknown) => void;
  leave: () => void;
}

export interface ChatQueues {
  /**
   * Resolves at the send's turn, which is then taken; returns its beginning by the monotonic clock.
   */
  next(request: QueuedSend): Promise<number>;
  /**
   * Call this right before the send: it resolves at once while the turn is still valid. The
   * platform counts arrivals, so a send that was delayed takes another turn.
   */
  keep(turnAt: number, request: QueuedSend): Promise<void>;
  /** Returns how long the limits that this node knows would hold such a send back. */
  delayMs(call: PassedCall): number;
  /** Counts a send that went out without waiting for a turn. */
  passed(call: PassedCall): void;
  /** Applies a 429 of the platform. Resolves when the other nodes hold back, too. */
  refused(call: PassedCall, refusal: Refusal): Promise<void>;
}

/** A turn is valid for this long, which is far longer than the database takes to record a send. */
export const turnMs = 5_000;

/** The time from one message of a broadcast to the next: 25 a second leave room for others. */
const paceMs = 40;
/** Telegram takes 1,000 a second that are paid for. */
const paidPaceMs = 4;

const rankOf = ({ priority }: QueuedSend) => sendPriorities.indexOf(priority);

/** `shared` is given if other nodes may send through the same bots. */
export function createChatQueues(
  clock: Clock,
  rateLimiter: SendRateLimiter,
  shared?: SharedLimits,
): ChatQueues {
  const lines = new Map<number, { waiting: Waiting[]; cancelTimer: () => void }>();
  const pace = createPace(clock);

  function delayOf(one: Waiting): number {
    return Math.max(rateLimiter.delayMs(one.botId, one), pace.delayMs(one));
  }

  function serve(botId: number): void {
    const line = lines.get(botId);
    if (!line) return;
    line.cancelTimer();
    line.cancelTimer = () => {};
    let soonestMs = Number.POSITIVE_INFINITY;
    // While a send to a chat waits, no later send to that chat may pass it, except under another
    // limit.
    const pausing = new Set<string>();
    for (const one of [...line.waiting]) {
      const limit = `${one.chatId} ${one.sendClass}`;
      if (pausing.has(limit)) continue;
      const delayMs = one.isAsking ? Number.POSITIVE_INFINITY : delayOf(one);
      if (delayMs <= 0) {
        pace.take(one);
        rateLimiter.take(botId, one);
        if (!shared) {
          grant(one, clock.monotonic());
          continue;
        }
        ask(shared, one);
      } else soonestMs = Math.min(soonestMs, delayMs);
      if (one.chatId !== 0) pausing.add(limit);
    }
    if (line.waiting.length === 0) lines.delete(botId);
    else if (Number.isFinite(soonestMs)) {
      line.cancelTimer = clock.after(Math.max(1, soonestMs), () => serve(botId));
    }
  }

  function grant(one: Waiting, turnAt: number): void {
    one.leave();
    one.resolve(turnAt);
  }

  function ask(limits: SharedLimits, one: Waiting): void {
    one.isAsking = true;
    // The turn begins when the question was asked, because this node may have been suspended before
    // the answer came.
    const askedAt = clock.monotonic();
    limits
      .take(one.botId, one)
      .then(
        (isGranted) => {
          one.isAsking = false;
          const delayMs = rateLimiter.delayMs(one.botId, one);
          if (isGranted) grant(one, askedAt);
          else if (one.maxWaitMs !== undefined && delayMs > one.maxWaitMs) {
            one.leave();
            one.reject(tooBusy(delayMs));
          }
        },
        (error: unknown) => {
          one.leave();
          one.reject(error);
        },
      )
      .finally(() => serve(one.botId));
  }

  function enter(one: Waiting): void {
    const line = lines.get(one.botId) ?? { waiting: [], cancelTimer: () => {} };
    lines.set(one.botId, line);
    const after = line.waiting.findIndex((other) => rankOf(other) > rankOf(one));
    line.waiting.splice(after === -1 ? line.waiting.length : after, 0, one);
    serve(one.botId);
  }

  function remove(one: Waiting): void {
    const line = lines.get(one.botId);
    const at = line?.waiting.indexOf(one) ?? -1;
    if (line && at >= 0) line.waiting.splice(at, 1);
  }

  function next(request: QueuedSend): Promise<number> {
    return new Promise((resolve, reject) => {
      if (request.signal?.aborted) {
        reject(request.signal.reason as Error);
        return;
      }
      const onAbort = () => {
        one.leave();
        reject(request.signal?.reason as Error);
      };
      let cancelTimeout = () => {};
      const one: Waiting = {
        ...request,
        sendClass: sendClassOf(request.method),
        isAsking: false,
        resolve,
        reject,
        leave() {
          remove(one);
          cancelTimeout();
          request.signal?.removeEventListener('abort', onAbort);
        },
      };
      const { maxWaitMs } = request;
      if (maxWaitMs !== undefined) {
        const delayMs = rateLimiter.delayMs(one.botId, one);
        if (delayMs > maxWaitMs) {
          reject(tooBusy(delayMs));
          return;
        }
        cancelTimeout = clock.after(maxWaitMs, () => {
          one.leave();
          reject(tooBusy(rateLimiter.delayMs(one.botId, one)));
        });
      }
      request.signal?.addEventListener('abort', onAbort, { once: true });
      enter(one);
    });
  }

  return {
    next,
    async keep(turnAt, request) {
      if (clock.monotonic() - turnAt > turnMs) await next(request);
    },
    delayMs: ({ botId, chatId, isPaid = false, method }) =>
      rateLimiter.delayMs(botId, { chatId, sendClass: sendClassOf(method), isPaid }),
    passed({ botId, chatId, method }) {
      const send = { chatId, sendClass: sendClassOf(method) };
      // If this node knows of no room, the shared limits have none either.
      if (rateLimiter.passed(botId, send)) shared?.passed(botId, send);
    },
    async refused({ botId, chatId, method }, refusal) {
      const send = { chatId, sendClass: sendClassOf(method) };
      rateLimiter.refused(botId, send, refusal);
      serve(botId);
      await shared?.refused(botId, send, refusal);
    },
  };
}

/** Keeps the messages of broadcasts apart. */
function createPace(clock: Clock) {
  /** The key is the bot. */
  const nextAt = new Map<number, number>();
  return {
    delayMs: ({ botId, priority }: QueuedSend) =>
      priority === 'broadcast' ? (nextAt.get(botId) ?? 0) - clock.monotonic() : 0,
    take({ botId, isPaid, priority }: QueuedSend) {
      if (priority !== 'broadcast') return;
      nextAt.set(botId, clock.monotonic() + (isPaid ? paidPaceMs : paceMs));
    },
  };
}

function tooBusy(delayMs: number): RelayError {
  const seconds = Math.max(1, Math.ceil(delayMs / 1000));
  return new RelayError('rate_limited', reason('chat_limit_reached', { seconds }), {
    retryAfterSeconds: seconds,
  });
}

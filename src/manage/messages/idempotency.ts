/*
 * Makes a request with an idempotency key take effect once.
 *
 * Invariant: work under a key is started only by the request that wrote the key's record, and the
 * record is removed only if the work certainly had no effect. A record without a response whose
 * owner is gone therefore means "perhaps it happened", and is reported so, never tried again.
 */
import { reason } from '../../core/reasons/reason.ts';
import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { type ErrorCode, RelayError } from '../../errors.ts';
import type { BegunRequest, IdempotencyRepository } from '../../store/outbox/idempotency.ts';

export interface KeyedRequest {
  /** The owner of the key: keys of different callers never meet. */
  scope: string;
  key: string;
  /** Everything that must be equal for two requests to be the same. */
  content: unknown;
}

export interface Idempotency {
  /** `signal` ends only the wait for another request's work: work that has begun is finished. */
  once<T>(request: KeyedRequest, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** The work that several requests with one key on this node wait for together. */
interface Running {
  hash: string;
  outcome: Promise<unknown>;
  waiting: number;
  /** Aborted when no caller waits any longer. */
  abandoned: AbortController;
}

const lifetimeMs = 24 * 60 * 60_000;
const purgeEveryMs = 60 * 60_000;
/** After this time, the request on another node counts as lost. */
const ownerTimeoutMs = 40_000;
/** How long a repeated request waits for the first one on another node. */
const waitMs = 10_000;
const lookEveryMs = 100;

/** Failures after which Telegram has certainly not acted. */
const harmless = new Set<ErrorCode>([
  'platform_refused',
  'platform_rate_limited',
  'platform_unreachable',
  'rate_limited',
  'bot_disabled',
  'bot_not_found',
  'invalid_request',
  'conflict',
  'shutting_down',
]);

export function createIdempotency(options: {
  store: IdempotencyRepository;
  clock: Clock;
}): Idempotency {
  const { store, clock } = options;
  const running = new Map<string, Running>();
  let purgedAt = Number.NEGATIVE_INFINITY;

  async function perform<T>(
    { scope, key }: KeyedRequest,
    hash: string,
    work: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const now = clock.now();
    await purge(now);
    for (;;) {
      const begun = await store.begin(scope, key, hash, now, now - lifetimeMs);
      if (!begun) return own(scope, key, work);
      if (begun.request_hash !== hash) throw keyMismatch();
      const finished = await finishedBy(scope, key, begun, signal);
      if (finished) return answerOf(finished) as T;
    }
  }

  async function own<T>(scope: string, key: string, work: () => Promise<T>): Promise<T> {
    let answer: T;
    try {
      answer = await work();
    } catch (error) {
      const isHarmless = error instanceof RelayError && harmless.has(error.code);
      await unlessLost(
        isHarmless
          ? store.forget(scope, key)
          : store.finish(scope, key, JSON.stringify({ unknown: true })),
      );
      throw error;
    }
    await unlessLost(store.finish(scope, key, JSON.stringify({ answer })));
    return answer;
  }

  /** The result is returned even if it could not be stored: the key then says "perhaps". */
  async function unlessLost(written: Promise<void>): Promise<void> {
    await written.catch(() => {});
  }

  /** Returns the response of a request begun elsewhere; undefined if it failed and its record was removed. */
  async function finishedBy(
    scope: string,
    key: string,
    begun: BegunRequest,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    let current: BegunRequest | undefined = begun;
    const ownersMs = begun.created_at + ownerTimeoutMs - clock.now();
    const giveUpAt = clock.monotonic() + Math.min(waitMs, ownersMs);
    while (current && current.response === null) {
      if (clock.monotonic() >= giveUpAt) throw unknownOutcome();
      await clock.sleep(lookEveryMs, signal);
      current = await store.get(scope, key);
    }
    return current?.response ?? undefined;
  }

  async function purge(now: number): Promise<void> {
    if (clock.monotonic() - purgedAt < purgeEveryMs) return;
    purgedAt = clock.monotonic();
    await store.purge(now - lifetimeMs);
  }

  return {
    async once<T>(request: KeyedRequest, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const hash = createHash('sha256').update(JSON.stringify(request.content)).digest('base64url');
      const name = JSON.stringify([request.scope, request.key]);
      let current = running.get(name);
      if (current && current.hash !== hash) throw keyMismatch();
      if (!current) {
        const abandoned = new AbortController();
        const outcome = perform(request, hash, work, abandoned.signal);
        current = { hash, outcome, waiting: 0, abandoned };
        running.set(name, current);
      }
      current.waiting++;
      try {
        return (await unlessAborted(current.outcome, signal)) as T;
      } finally {
        if (--current.waiting === 0) {
          if (running.get(name) === current) running.delete(name);
          current.abandoned.abort(signal.reason);
        }
      }
    },
  };
}

function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

function answerOf(response: string): unknown {
  const stored = JSON.parse(response) as { answer?: unknown; unknown?: true };
  if (stored.unknown) throw unknownOutcome();
  return stored.answer;
}

export function keyMismatch(): RelayError {
  return new RelayError('idempotency_mismatch', reason('key_reused'), {
    details: [{ field: 'idempotency-key', problem: reason('used_with_other_request') }],
  });
}

function unknownOutcome(): RelayError {
  return new RelayError('platform_timeout', reason('first_request_cut_off'));
}

import { reason } from '../../core/reasons/reason.ts';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';

const burstSeconds = 10;
// Full buckets are dropped. At most this many others are kept, the newest.
const maxBuckets = 50_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket per name: `perSecond` on average, with bursts of ten seconds. */
export interface RateLimiter {
  /** Takes one token and sets the rate limit headers, or throws `rate_limited`. */
  take(name: string, reply: FastifyReply): void;
  /** Takes no token; throws `rate_limited` if `take` would. */
  require(name: string): void;
}

export function createRateLimiter(options: {
  clock: Clock;
  policy: string;
  perSecond: number;
}): RateLimiter {
  const { clock, perSecond, policy } = options;
  const capacity = perSecond * burstSeconds;
  const policyHeader = `"${policy}";q=${capacity};w=${burstSeconds}`;
  const buckets = new Map<string, Bucket>();

  function bucketOf(name: string, now: number): Bucket {
    const found = buckets.get(name);
    if (found) {
      const elapsedMs = now - found.at;
      found.tokens = Math.min(capacity, found.tokens + (elapsedMs / 1_000) * perSecond);
      found.at = now;
      return found;
    }
    if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value as string);
    const fresh = { tokens: capacity, at: now };
    buckets.set(name, fresh);
    return fresh;
  }

  function tooManyRequests({ tokens }: Bucket): RelayError {
    const waitSeconds = Math.max(1, Math.ceil((1 - tokens) / perSecond));
    return new RelayError(
      'rate_limited',
      reason('too_many_requests', { per_second: perSecond, seconds: waitSeconds }),
      { retryAfterSeconds: waitSeconds },
    );
  }

  return {
    require(name) {
      if (perSecond <= 0) return;
      const bucket = bucketOf(name, clock.monotonic());
      if (bucket.tokens < 1) throw tooManyRequests(bucket);
    },
    take(name, reply) {
      if (perSecond <= 0) return;
      const bucket = bucketOf(name, clock.monotonic());
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      const untilFull = Math.ceil((capacity - bucket.tokens) / perSecond);
      reply.header('ratelimit-policy', policyHeader);
      reply.header('ratelimit', `"${policy}";r=${Math.floor(bucket.tokens)};t=${untilFull}`);
      if (!allowed) throw tooManyRequests(bucket);
    },
  };
}

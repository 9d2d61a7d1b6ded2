import type { DeliveryOutcomeLabel } from '../../core/stats/relay-metrics.ts';
import type { OpenSpan } from '../../tracing.ts';
import { answerCall } from './answer-call.ts';
import { type DeliveryOutcome, storedAnswer } from './delivery.ts';
import { connectionWords, isUnreached, statusWords, timeoutWords } from './failure-words.ts';
import { retryAfterMs } from './plan/retry-delay.ts';
import type { AttemptResult, Moment } from './plan/plan-types.ts';

/** We cut the attempt off, so its outcome is unknown. */
export class Cancelled extends Error {}
export class TimedOut extends Error {}

// The largest integer of PostgreSQL: one attempt that does not fit would block the commit of all.
const longestDurationMs = 2_147_483_647;

/** Translates an answer, or the lack of one, into a result for the plan. */
export function attemptResult(
  outcome: DeliveryOutcome,
  about: { durationMs: number; timeoutMs: number; host: string },
  now: Moment,
): AttemptResult {
  const { status, body, retryAfter } = outcome;
  const isDelivered = status >= 200 && status < 300;
  return {
    status,
    error: isDelivered ? '' : errorOf(outcome, about),
    isUnreached: status === 0 && isUnreached(outcome.failure),
    answer: storedAnswer(body),
    durationMs: Math.min(about.durationMs, longestDurationMs),
    retryAfterMs: isDelivered ? undefined : retryAfterMs(retryAfter, now.wallMs),
    call: isDelivered && body !== '' ? answerCall(body) : undefined,
  };
}

function errorOf(
  { status, failure }: DeliveryOutcome,
  { timeoutMs, host }: { timeoutMs: number; host: string },
): string {
  if (status > 0) return statusWords(status);
  return failure instanceof TimedOut ? timeoutWords(timeoutMs) : connectionWords(failure, host);
}

export function outcomeLabel({ status, failure }: DeliveryOutcome): DeliveryOutcomeLabel {
  if (status >= 200 && status < 300) return 'delivered';
  if (status > 0) return 'rejected';
  return failure instanceof TimedOut ? 'timeout' : 'unreachable';
}

export function endSpan(span: OpenSpan, { status, failure }: DeliveryOutcome): void {
  if (status > 0) span.set({ 'http.response.status_code': status });
  if (status >= 200 && status < 300) span.end();
  else if (failure instanceof Cancelled) span.end('cancelled');
  else span.end(status > 0 ? String(status) : 'unreachable');
}

import { namesWebhook } from '../../core/reasons/platform.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';

/**
 * Says what a failed call means for a bot: `stop` until someone acts, `pause` for a time the
 * platform named, or `retry` with growing waits up to `maxWaitMs`. `explanation` is for people.
 */
export type IntakeFault =
  | { action: 'stop'; explanation: Reason }
  | { action: 'pause'; explanation: Reason; waitMs: number }
  | { action: 'retry'; explanation: Reason; maxWaitMs: number; isBlip: boolean };

const usualMaxMs = 30_000;
// A fault in the request itself only goes away when people act.
const refusedMaxMs = 300_000;

const conflicts = new Set<string>(['intake_webhook_conflict', 'intake_poll_conflict']);

export function classifyFault(error: unknown): IntakeFault {
  if (error instanceof PlatformRefused) return classifyRefusal(error);
  const explanation =
    error instanceof PlatformUnreachable ? error.why : reason('intake_not_stored');
  return { action: 'retry', explanation, maxWaitMs: usualMaxMs, isBlip: true };
}

function classifyRefusal(error: PlatformRefused): IntakeFault {
  const { description, kind } = error;
  switch (kind) {
    case 'fatal':
      return {
        action: 'stop',
        explanation: reason('intake_token_refused', { description }),
      };
    case 'wait': {
      const seconds = Math.max(error.parameters.retry_after ?? 1, 1);
      return {
        action: 'pause',
        explanation: reason('intake_wait', { seconds, description }),
        waitMs: seconds * 1000,
      };
    }
    case 'conflict':
      return {
        action: 'retry',
        explanation: conflictCause(description),
        maxWaitMs: usualMaxMs,
        isBlip: false,
      };
    case 'retry':
      return {
        action: 'retry',
        explanation: reason('platform_trouble', { description }),
        maxWaitMs: usualMaxMs,
        isBlip: true,
      };
    case 'refuse':
      return {
        action: 'retry',
        explanation: reason('intake_refused', { description }),
        maxWaitMs: refusedMaxMs,
        isBlip: false,
      };
  }
}

/** True if a poll was refused because a webhook is set. */
export function isWebhookConflict(error: unknown): boolean {
  return (
    error instanceof PlatformRefused && error.kind === 'conflict' && namesWebhook(error.description)
  );
}

/** True if the explanation is about a conflict with another program. */
export function isConflict(explanation: Reason | null): boolean {
  return explanation !== null && conflicts.has(explanation.code);
}

function conflictCause(description: string): Reason {
  return namesWebhook(description)
    ? reason('intake_webhook_conflict', { description })
    : reason('intake_poll_conflict', { description });
}

import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';

/**
 * What a failed call means for a bot: `stop` until someone acts, `pause` for a time the platform
 * named, or `retry` with growing waits up to `maxWaitMs`. `explanation` is for people.
 */
export type IntakeFault =
  | { action: 'stop'; explanation: string }
  | { action: 'pause'; explanation: string; waitMs: number }
  | { action: 'retry'; explanation: string; maxWaitMs: number; isBlip: boolean };

const usualMaxMs = 30_000;
// What is wrong with the request itself changes only when people act.
const refusedMaxMs = 300_000;
const otherProgram = 'Another program';

export function classifyFault(error: unknown): IntakeFault {
  if (error instanceof PlatformRefused) return classifyRefusal(error);
  const explanation =
    error instanceof PlatformUnreachable
      ? error.message
      : 'The database did not take the updates; the platform keeps them until it does.';
  return { action: 'retry', explanation, maxWaitMs: usualMaxMs, isBlip: true };
}

function classifyRefusal(error: PlatformRefused): IntakeFault {
  const { description, kind } = error;
  switch (kind) {
    case 'fatal':
      return {
        action: 'stop',
        explanation: `The platform refuses this bot's token (${description}): get a valid one from @BotFather and store it with POST /api/bots/update.`,
      };
    case 'wait': {
      const seconds = Math.max(error.parameters.retry_after ?? 1, 1);
      return {
        action: 'pause',
        explanation: `The platform asked to wait ${seconds} s (${description}).`,
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
        explanation: `The platform is in trouble (${description}).`,
        maxWaitMs: usualMaxMs,
        isBlip: true,
      };
    case 'refuse':
      return {
        action: 'retry',
        explanation: `The platform refused: ${description}.`,
        maxWaitMs: refusedMaxMs,
        isBlip: false,
      };
  }
}

/** Whether a refused poll was refused because a webhook is set. */
export function isWebhookConflict(error: unknown): boolean {
  return (
    error instanceof PlatformRefused &&
    error.kind === 'conflict' &&
    /webhook/i.test(error.description)
  );
}

/** Whether an explanation given here is of a conflict with another program. */
export function isConflictText(explanation: string): boolean {
  return explanation.startsWith(otherProgram);
}

function conflictCause(description: string): string {
  return /webhook/i.test(description)
    ? `${otherProgram} has set a webhook for this bot (${description}): remove it there, or disable and enable the bot here to take it over.`
    : `${otherProgram} polls this bot with the same token (${description}): stop it, or let it read through this relay instead.`;
}

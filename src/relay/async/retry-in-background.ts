import type { Clock } from '../../clock.ts';
import type { Background } from './background.ts';

/** Runs a task for a bot and, if it fails, retries it in the background until it succeeds. */
export interface BackgroundRetry {
  /** Resolves after the first try; false when it failed. */
  run(botId: number): Promise<boolean>;
  /** The bot no longer needs the task. */
  cancel(botId: number): void;
}

const firstRetryMs = 1_000;
const maxRetryMs = 30_000;

export function createBackgroundRetry(deps: {
  clock: Clock;
  background: Background;
  task(botId: number): Promise<void>;
  failed(error: unknown, botId: number): void;
}): BackgroundRetry {
  const { clock, background, task, failed } = deps;
  const retries = new Map<number, () => void>();

  function cancel(botId: number): void {
    retries.get(botId)?.();
    retries.delete(botId);
  }

  async function run(botId: number, retryMs: number): Promise<boolean> {
    cancel(botId);
    try {
      await task(botId);
      return true;
    } catch (error) {
      failed(error, botId);
      cancel(botId);
      const nextMs = Math.min(retryMs * 2, maxRetryMs);
      const retry = () => background.run(() => run(botId, nextMs));
      retries.set(botId, clock.after(retryMs, retry));
      return false;
    }
  }

  return { run: (botId) => run(botId, firstRetryMs), cancel };
}

/*
 * Writes what the pushers of all bots finished, in one transaction at a time.
 *
 * Invariant: a pusher whose changes are refused, or cannot be written, does not affect the others.
 */
import type { Clock } from '../../clock.ts';
import { isOutage } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import {
  commitPush,
  type CommitResult,
  isReported,
  type PushChanges,
} from '../../store/delivery/deliveries.ts';
import type { Engine, Step } from '../../store/engine.ts';
import type { AnswerCall } from './answer-call.ts';

/** Called within the transaction that commits the update the call answers. */
export type OnMethodCall = (
  from: Pick<PushChanges, 'botId' | 'reader' | 'appId'> & { position: number },
  call: AnswerCall,
) => Step<unknown>;

/** failed: the database did not take the changes; they must be written later. */
export type CommitOutcome = CommitResult | 'failed';

export interface CommitWriter {
  /**
   * Calls `take` when the transaction begins, to include everything finished until then. `take`
   * returns undefined if there is nothing left to write.
   */
  commit(take: Take): Promise<CommitOutcome>;
  /** Begins at once instead of waiting for other changes. */
  hurry(): void;
}

type Take = () => PushChanges<AnswerCall> | undefined;
type Resolve = (result: CommitOutcome) => void;

// The wait is long enough for many answers to share a commit, and short enough that a crash repeats
// few.
export const gatherMs = 10;

export function createCommitWriter(deps: {
  engine: Engine;
  clock: Clock;
  logger: Logger;
  onMethodCall: OnMethodCall;
  /** Calls of these bots are committed and may be sent. */
  onCallsCommitted: (botIds: readonly number[]) => void;
}): CommitWriter {
  const { engine, clock, logger } = deps;
  const requests: { take: Take; resolve: Resolve }[] = [];
  let isWriting = false;
  let isUrgent = false;
  let cancelTimer: (() => void) | undefined;

  /** Does nothing while a transaction runs, whose end calls this again. */
  function schedule(): void {
    if (isWriting || requests.length === 0) return;
    if (isUrgent) {
      cancelTimer?.();
      isWriting = true;
      setImmediate(() => void writeAll());
    } else cancelTimer ??= clock.after(gatherMs, () => void writeAll());
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    isUrgent = false;
    cancelTimer = undefined;
    const work: { changes: PushChanges<AnswerCall>; resolve: Resolve }[] = [];
    for (const { take, resolve } of requests.splice(0)) {
      const changes = tryTo(take);
      if (changes) work.push({ changes, resolve });
      else resolve('failed');
    }
    try {
      if (work.length > 0) await write(work);
    } finally {
      isWriting = false;
      schedule();
    }
  }

  /** A `take` that throws must not keep the others from writing. */
  function tryTo(take: Take): ReturnType<Take> {
    try {
      return take();
    } catch (error) {
      logger.error({ err: error }, 'delivery result lost');
      return undefined;
    }
  }

  async function write(
    work: readonly { changes: PushChanges<AnswerCall>; resolve: Resolve }[],
  ): Promise<void> {
    const all = work.map(({ changes }) => changes);
    let results: readonly CommitResult[];
    try {
      const nowMs = clock.now();
      results = await engine.write(() => commitPush(engine, all, nowMs, deps.onMethodCall));
    } catch (error) {
      // If the database is unavailable, separate transactions would all wait for it again.
      if (work.length === 1 || isOutage(error)) {
        const about = work.length === 1 ? { bot_id: all[0]?.botId } : { bots: work.length };
        logger.warn({ err: error, ...about }, 'delivery results wait for the database');
        for (const { resolve } of work) resolve('failed');
        return;
      }
      // The changes of one bot may be what the database refuses, so each bot gets its own
      // transaction.
      for (const single of work) await write([single]);
      return;
    }
    const called = all.filter(({ calls }, index) => isReported(results[index]) && calls.length > 0);
    work.forEach(({ resolve }, index) => resolve(results[index] ?? 'stored'));
    if (called.length > 0) deps.onCallsCommitted(called.map(({ botId }) => botId));
  }

  return {
    commit: (take) =>
      new Promise((resolve) => {
        requests.push({ take, resolve });
        schedule();
      }),
    hurry() {
      if (requests.length === 0) return;
      isUrgent = true;
      schedule();
    },
  };
}

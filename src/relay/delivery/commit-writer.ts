/*
 * Writes what the pushers of all bots finished, in one transaction at a time.
 *
 * Invariant: a pusher whose changes are refused, or cannot be written, costs the others nothing.
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

/** failed: the database did not take them; they are to be written later. */
export type CommitOutcome = CommitResult | 'failed';

export interface CommitWriter {
  /**
   * `take` is called when the transaction begins, so that what is finished until then comes along. It
   * gives undefined when nothing is to be written any more.
   */
  commit(take: Take): Promise<CommitOutcome>;
  /** Begins without waiting for others to come along. */
  hurry(): void;
}

type Take = () => PushChanges<AnswerCall> | undefined;
type Resolve = (result: CommitOutcome) => void;

// Long enough for many answers to share a commit, short enough that few repeat after a crash.
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

  /** Nothing is done while a transaction runs: its end looks again. */
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

  /** One that fails must not keep the others from writing. */
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
      // With the database away, each alone would only wait for the same once more.
      if (work.length === 1 || isOutage(error)) {
        const about = work.length === 1 ? { bot_id: all[0]?.botId } : { bots: work.length };
        logger.warn({ err: error, ...about }, 'delivery results wait for the database');
        for (const { resolve } of work) resolve('failed');
        return;
      }
      // One bot that the database will not take must not cost the others their commit.
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

/*
 * Writes what the pushers of all bots finished, in one transaction at a time.
 *
 * Invariant: a pusher whose changes are refused, or cannot be written, does not affect the others.
 */
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import {
  commitPush,
  type CommitResult,
  isReported,
  type PushChanges,
} from '../../store/delivery/deliveries.ts';
import type { Engine, Step } from '../../store/engine.ts';
import { groupCommit } from '../../store/group-commit.ts';
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

interface Request {
  take: Take;
  /** Set when its group begins; undefined if there is nothing to write. */
  changes?: PushChanges<AnswerCall> | undefined;
}

// The wait is long enough for many answers to share a commit, and short enough that a crash repeats
// few.
export const gatherMs = 10;
/**
 * The wait after a commit on PostgreSQL that took longer than the usual one: a busy server gets
 * fewer and larger commits. On SQLite this was measured to change nothing.
 */
export const busyGatherMs = 30;

export function createCommitWriter(deps: {
  engine: Engine;
  clock: Clock;
  logger: Logger;
  onMethodCall: OnMethodCall;
  /** Calls of these bots are committed and may be sent. */
  onCallsCommitted: (botIds: readonly number[]) => void;
}): CommitWriter {
  const { engine, clock, logger } = deps;
  let isWaiting = false;
  let isUrgent = false;
  /** Ends the wait for other changes. */
  let beginNow: (() => void) | undefined;
  let waitMs = gatherMs;

  const commit = groupCommit<Request, CommitOutcome>({
    begin(commitNext) {
      if (isUrgent) {
        setImmediate(commitNext);
        return;
      }
      const cancel = clock.after(waitMs, commitNext);
      beginNow = () => {
        cancel();
        beginNow = undefined;
        setImmediate(commitNext);
      };
    },
    next(waiting) {
      isWaiting = false;
      isUrgent = false;
      beginNow = undefined;
      const group = waiting.splice(0);
      for (const { item } of group) item.changes = tryTo(item.take);
      return group;
    },
    async commit(take) {
      const all = take().flatMap(({ changes }) => changes ?? []);
      const results = all.length > 0 ? (await write(all)).values() : [].values();
      return take().map(({ changes }) => (changes && results.next().value) ?? 'failed');
    },
  });

  /** A `take` that throws must not keep the others from writing. */
  function tryTo(take: Take): ReturnType<Take> {
    try {
      return take();
    } catch (error) {
      logger.error({ err: error }, 'delivery result lost');
      return undefined;
    }
  }

  async function write(all: readonly PushChanges<AnswerCall>[]): Promise<CommitResult[]> {
    const nowMs = clock.now();
    const startedAt = clock.monotonic();
    const results = await engine
      .write(() => commitPush(engine, all, nowMs, deps.onMethodCall))
      .catch((error: unknown) => {
        const about = all.length === 1 ? { bot_id: all[0]?.botId } : { bots: all.length };
        logger.warn({ err: error, ...about }, 'delivery results wait for the database');
        throw error;
      });
    if (engine.isShared) {
      const tookMs = clock.monotonic() - startedAt;
      waitMs = tookMs > gatherMs ? busyGatherMs : gatherMs;
    }
    const called = all.filter(({ calls }, index) => isReported(results[index]) && calls.length > 0);
    if (called.length > 0) deps.onCallsCommitted(called.map(({ botId }) => botId));
    return results;
  }

  return {
    commit(take) {
      isWaiting = true;
      return commit({ take }).catch(() => 'failed');
    },
    hurry() {
      if (!isWaiting) return;
      isUrgent = true;
      beginNow?.();
    },
  };
}

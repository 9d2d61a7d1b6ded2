/*
 * Writes down what the pushers of all bots finished, in one transaction at a time.
 *
 * Invariants: nothing is written that the backend did not answer; what could not be written is kept
 * and written later, in order; a bot whose changes are refused costs the others nothing.
 */
import type { Clock } from '../../clock.ts';
import { isOutage } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { commitPush, type CommitResult, isReported } from '../../store/delivery/deliveries.ts';
import type { Engine, Step } from '../../store/engine.ts';
import type { AnswerCall } from './answer-call.ts';
import type { Changes } from './changes.ts';

/** Called within the transaction that acknowledges the update the call answers. */
export type OnMethodCall = (botId: number, position: number, call: AnswerCall) => Step<unknown>;

export interface AckSource {
  takeChanges(): Changes;
  giveBack(changes: Changes): void;
  committed(changes: Changes): void;
  /** Another node owns the bot, it was deleted, or its reader was moved by someone else. */
  refused(verdict: Refusal): void;
}

export type Refusal = Exclude<CommitResult, 'stored'>;

export interface AckWriter {
  /** Something of this source has to be written before long. */
  touch(source: AckSource): void;
  /** Without waiting for more to come along. */
  hurry(): void;
  /** Resolves when everything touched until now is on disk. */
  flush(): Promise<void>;
}

// Long enough for many answers to share a commit, short enough that few repeat after a crash.
export const gatherMs = 10;
const retryMs = 500;

export function createAckWriter(deps: {
  engine: Engine;
  clock: Clock;
  logger: Logger;
  onMethodCall: OnMethodCall;
  /** Calls of these bots are committed and may be sent. */
  onCallsCommitted: (botIds: readonly number[]) => void;
}): AckWriter {
  const { engine, clock, logger } = deps;
  let dirty = new Set<AckSource>();
  let writing = false;
  let round = 0;
  let waiting: { round: number; resolve: () => void }[] = [];
  let cancelTimer: (() => void) | undefined;
  let soon = false;
  let urgent = false;

  function schedule(): void {
    if (writing || soon || cancelTimer || dirty.size === 0) return;
    cancelTimer = clock.after(gatherMs, begin);
  }

  function hurry(): void {
    urgent = true;
    if (writing || soon || dirty.size === 0) return;
    cancelTimer?.();
    cancelTimer = undefined;
    soon = true;
    setImmediate(begin);
  }

  function begin(): void {
    cancelTimer = undefined;
    soon = false;
    if (!writing) void writeRound();
  }

  async function writeRound(): Promise<void> {
    writing = true;
    urgent = false;
    const sources = [...dirty];
    dirty = new Set();
    const work = sources.map((source) => ({ source, changes: source.takeChanges() }));
    const failed = await write(work);
    writing = false;
    for (const { source, changes } of failed) {
      source.giveBack(changes);
      dirty.add(source);
    }
    if (failed.length > 0) {
      cancelTimer = clock.after(retryMs, begin);
      return;
    }
    round++;
    const done = waiting.filter((waiter) => waiter.round <= round);
    waiting = waiting.filter((waiter) => waiter.round > round);
    for (const { resolve } of done) resolve();
    if (waiting.length > 0) flushOn();
    else if (urgent) hurry();
    else schedule();
  }

  type Work = { source: AckSource; changes: Changes };

  async function write(work: Work[]): Promise<Work[]> {
    if (work.length === 0) return [];
    let verdicts: CommitResult[];
    const nowMs = clock.now();
    try {
      verdicts = await engine.write(() =>
        commitPush(
          engine.dialect,
          work.map(({ changes }) => changes),
          nowMs,
          deps.onMethodCall,
        ),
      );
    } catch (error) {
      // With the database away, each alone would only wait for the same once more.
      if (work.length === 1 || isOutage(error)) {
        const botId = work[0]?.changes.botId;
        const about = work.length === 1 ? { bot_id: botId } : { bots: work.length };
        logger.warn({ err: error, ...about }, 'acknowledgements wait for the database');
        return work;
      }
      // One bot that the database will not take must not cost the others their commit.
      const failed: Work[] = [];
      for (const single of work) failed.push(...(await write([single])));
      return failed;
    }
    const called: number[] = [];
    work.forEach(({ source, changes }, index) => {
      const verdict = verdicts[index];
      if (verdict === undefined || verdict === 'stored') source.committed(changes);
      else source.refused(verdict);
      if (isReported(verdict) && changes.calls.length > 0) called.push(changes.botId);
    });
    if (called.length > 0) deps.onCallsCommitted(called);
    return [];
  }

  function flushOn(): void {
    if (dirty.size > 0) hurry();
    else if (!writing && !soon) {
      soon = true;
      setImmediate(begin);
    }
  }

  return {
    touch(source) {
      dirty.add(source);
      schedule();
    },
    hurry,
    flush() {
      if (dirty.size === 0 && !writing) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push({ round: writing ? round + 2 : round + 1, resolve });
        if (!writing) flushOn();
      });
    },
  };
}

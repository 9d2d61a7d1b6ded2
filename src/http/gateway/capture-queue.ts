/*
 * Collects captured messages for a moment, so that a client that sends several messages in a row
 * does not wait for a commit between them. While the database is unavailable they stay in memory,
 * up to a limit.
 */
import type { Clock } from '../../clock.ts';
import { isOutage, isRefusedRow } from '../../errors.ts';
import type { Captured, CaptureRepository } from '../../store/outbox/captures.ts';

export interface CaptureQueue {
  add(captured: Captured): void;
  /** Resolves when everything added before is stored, or the database is unavailable. */
  flush(): Promise<void>;
  /** Stores the rest; entries that cannot be stored are lost. */
  close(): Promise<void>;
}

export interface CaptureQueueDeps {
  clock: Clock;
  captures: CaptureRepository;
  /** Called once the message is stored. */
  onStored: (captured: Captured) => void;
  onError: (error: unknown, botId: number) => void;
}

const gatherMs = 25;
const maxAtOnce = 500;
const retryMs = 1_000;
const maxQueued = 10_000;
/** After ten minutes of failures other than an outage, an entry is dropped. */
const maxTries = 600;

export function createCaptureQueue(deps: CaptureQueueDeps): CaptureQueue {
  const { clock, captures } = deps;
  let waiting: Captured[] = [];
  let cancelTimer: (() => void) | undefined;
  let storing: Promise<void> | undefined;
  let failure: unknown;
  let isAway = false;
  const tries = new WeakMap<Captured, number>();

  function storeWaiting(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    storing ??= storeAll().finally(() => {
      storing = undefined;
    });
    return storing;
  }

  async function storeAll(): Promise<void> {
    isAway = false;
    while (waiting.length > 0) {
      const left = await store(waiting.splice(0, maxAtOnce));
      if (left.length === 0) continue;
      waiting = [...left, ...waiting];
      storeAfter(retryMs);
      return;
    }
    failure = undefined;
  }

  /** Returns the entries that have to be retried. */
  async function store(group: readonly Captured[]): Promise<readonly Captured[]> {
    try {
      await captures.store(group, clock.now());
    } catch (error) {
      failure = error;
      if (isOutage(error)) {
        isAway = true;
        return group;
      }
      const [single, ...others] = group;
      if (single && others.length === 0) {
        if (!isFinal(error, single)) return group;
        deps.onError(error, single.botId);
        return [];
      }
      // An entry that the database rejects (its bot was deleted) must not lose the others.
      const left: Captured[] = [];
      for (const one of group) left.push(...(isAway ? [one] : await store([one])));
      return left;
    }
    group.forEach(deps.onStored);
    return [];
  }

  function isFinal(error: unknown, captured: Captured): boolean {
    const tried = (tries.get(captured) ?? 0) + 1;
    tries.set(captured, tried);
    return isRefusedRow(error) || tried >= maxTries;
  }

  function storeAfter(ms: number): void {
    cancelTimer ??= clock.after(ms, () => void storeWaiting());
  }

  return {
    add(captured) {
      if (waiting.length >= maxQueued) {
        deps.onError(failure, captured.botId);
        return;
      }
      waiting.push(captured);
      if (failure !== undefined) storeAfter(retryMs);
      else if (waiting.length >= maxAtOnce) void storeWaiting();
      else storeAfter(gatherMs);
    },
    flush: storeWaiting,
    async close() {
      await storeWaiting();
      cancelTimer?.();
      for (const { botId } of waiting.splice(0)) deps.onError(failure, botId);
    },
  };
}

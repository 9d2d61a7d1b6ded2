/*
 * Gathers what was captured for a moment, so that a program that sends one message after the other
 * does not wait for a commit between them.
 */
import type { Clock } from '../../clock.ts';
import type { Captured, CaptureRepository } from '../../store/captures.ts';

export interface CaptureQueue {
  add(captured: Captured): void;
  /** Resolves when everything added until now is stored, or is known not to be. */
  flush(): Promise<void>;
}

export interface CaptureQueueDeps {
  clock: Clock;
  captures: CaptureRepository;
  /** Told once it is stored. */
  onStored: (captured: Captured) => void;
  onError: (error: unknown, botId: number) => void;
}

const gatherMs = 25;
const mostAtOnce = 500;

export function createCaptureQueue(deps: CaptureQueueDeps): CaptureQueue {
  const { clock, captures } = deps;
  let waiting: Captured[] = [];
  let cancelTimer: (() => void) | undefined;
  let storing = Promise.resolve();

  function storeWaiting(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    const group = waiting;
    waiting = [];
    if (group.length > 0) storing = storing.then(() => store(group));
    return storing;
  }

  async function store(group: readonly Captured[]): Promise<void> {
    try {
      await captures.store(group, clock.now());
    } catch (error) {
      const [single] = group;
      if (group.length > 1) {
        // One that the database will not take (its bot is gone) must not cost the others theirs.
        for (const one of group) await store([one]);
      } else if (single) deps.onError(error, single.botId);
      return;
    }
    group.forEach(deps.onStored);
  }

  return {
    add(captured) {
      waiting.push(captured);
      if (waiting.length >= mostAtOnce) void storeWaiting();
      else cancelTimer ??= clock.after(gatherMs, () => void storeWaiting());
    },
    flush: storeWaiting,
  };
}

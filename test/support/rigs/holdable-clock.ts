import { type Clock, sleepOn, systemClock } from '../../../src/clock.ts';

/**
 * The time of the machine, which can be held: for a whole service that has to do something within a
 * deadline that a slow machine would miss. Timers of less than half a second are no deadlines and go on.
 */
export interface HoldableClock extends Clock {
  hold(): void;
  release(): void;
}

const shortestDeadlineMs = 500;

export function createHoldableClock(): HoldableClock {
  const deadlines = new Set<{ at: number; fn: () => void; cancel: () => void }>();
  let heldAt: number | undefined;
  let behindMs = 0;
  const monotonic = () => (heldAt ?? systemClock.monotonic()) - behindMs;

  function arm(one: { at: number; fn: () => void; cancel: () => void }): void {
    if (heldAt !== undefined) return;
    one.cancel = systemClock.after(one.at - monotonic(), () => {
      deadlines.delete(one);
      one.fn();
    });
  }

  function after(ms: number, fn: () => void): () => void {
    if (ms < shortestDeadlineMs) return systemClock.after(ms, fn);
    const one = { at: monotonic() + ms, fn, cancel: () => {} };
    deadlines.add(one);
    arm(one);
    return () => {
      one.cancel();
      deadlines.delete(one);
    };
  }

  return {
    now: () => Date.now(),
    monotonic,
    after,
    sleep: (ms, signal) => sleepOn(after, ms, signal),
    hold() {
      if (heldAt !== undefined) return;
      heldAt = systemClock.monotonic();
      for (const { cancel } of deadlines) cancel();
    },
    release() {
      if (heldAt === undefined) return;
      behindMs += systemClock.monotonic() - heldAt;
      heldAt = undefined;
      for (const one of deadlines) arm(one);
    },
  };
}

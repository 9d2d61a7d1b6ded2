import { type Clock, sleepOn } from '../../src/clock.ts';
import { patienceMs } from './patience.ts';

export interface ManualClock extends Clock {
  /** Moves time, runs due timers in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forward, or back; timers and `monotonic` do not notice. */
  shiftWall(ms: number): void;
}

export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  // A process of one second's age: a 0 that is to mean "long ago" shows up in tests.
  let now = 1_000;
  let wallAheadMs = startMs - now;
  let nextId = 1;
  const timers = new Map<number, { at: number; fn: () => void }>();

  function after(ms: number, fn: () => void): () => void {
    const id = nextId++;
    // As on a real clock, `now` is a whole number.
    timers.set(id, { at: now + Math.max(Math.ceil(ms), 0), fn });
    return () => timers.delete(id);
  }

  return {
    now: () => now + wallAheadMs,
    monotonic: () => now,
    after,
    sleep: (ms, signal) => sleepOn(after, ms, signal),
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (;;) {
        let due: [number, { at: number; fn: () => void }] | undefined;
        for (const entry of timers) {
          if (entry[1].at <= until && (!due || entry[1].at < due[1].at)) due = entry;
        }
        if (!due) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].fn();
        await settle();
      }
      now = until;
    },
    shiftWall(ms) {
      wallAheadMs += ms;
    },
  };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Lets time pass in steps until the condition holds. Between the steps real requests and commits
 * get a moment, so what is awaited is bounded by real time, not by the number of steps.
 */
export async function advanceUntil(
  clock: ManualClock,
  condition: () => Promise<boolean> | boolean,
  step: number | (() => number),
): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error('it did not come to that');
    await clock.advance(typeof step === 'number' ? step : step());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

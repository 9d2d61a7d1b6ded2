import { type Clock, sleepOn } from '../../../src/clock.ts';

/** The time of the machine, which can be moved forward: for a whole service, whose parts wait for each other. */
export interface JumpingClock extends Clock {
  jump(ms: number): void;
  /** Sets only the time of day, also back, as an operator does; timers run on. */
  setBy(ms: number): void;
}

export function createJumpingClock(): JumpingClock {
  let aheadMs = 0;
  let setByMs = 0;
  const timers = new Set<{ at: number; fn: () => void; timer: NodeJS.Timeout | undefined }>();
  const monotonic = () => Math.floor(performance.now()) + aheadMs;

  function arm(one: { at: number; fn: () => void; timer: NodeJS.Timeout | undefined }): void {
    clearTimeout(one.timer);
    one.timer = setTimeout(
      () => {
        timers.delete(one);
        one.fn();
      },
      Math.min(Math.max(one.at - monotonic(), 0), 2_147_483_647),
    );
  }

  function after(ms: number, fn: () => void): () => void {
    const one = { at: monotonic() + ms, fn, timer: undefined };
    timers.add(one);
    arm(one);
    return () => {
      clearTimeout(one.timer);
      timers.delete(one);
    };
  }

  return {
    now: () => Date.now() + aheadMs + setByMs,
    monotonic,
    after,
    sleep: (ms, signal) => sleepOn(after, ms, signal),
    setBy(ms) {
      setByMs += ms;
    },
    jump(ms) {
      aheadMs += ms;
      for (const one of timers) arm(one);
    },
  };
}

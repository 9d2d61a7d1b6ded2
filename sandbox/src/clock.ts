/** Time as the sandbox sees it. `now` is milliseconds since 1970. */
export interface SandboxClock {
  now(): number;
  setTimeout(fn: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
}

export const systemClock: SandboxClock = {
  now: () => Date.now(),
  setTimeout: (fn, delayMs) => {
    // Open connections keep the process alive, waiting alone does not.
    const handle = setTimeout(fn, delayMs);
    handle.unref();
    return handle;
  },
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};

/** A clock that runs by itself and can be moved: forward by days, or back. */
export interface MovableClock extends SandboxClock {
  /** How far it is ahead of the clock it runs on; negative when behind. */
  aheadMs(): number;
  /**
   * When time moves forward, each due timer runs at its own time, in order. When it moves back,
   * nothing is undone: timers keep their remaining time.
   */
  setAhead(ms: number): void;
}

interface Timer {
  at: number;
  fn: () => void;
  handle?: unknown;
}

// Node runs timers with longer delays at once, so they are split.
const longestDelayMs = 2 ** 31 - 1;

export function createMovableClock(base: SandboxClock): MovableClock {
  let aheadMs = 0;
  const timers = new Set<Timer>();
  const now = (): number => base.now() + aheadMs;

  function start(timer: Timer): void {
    const delayMs = Math.max(0, timer.at - now());
    timer.handle = base.setTimeout(
      () => {
        if (delayMs > longestDelayMs) return start(timer);
        timers.delete(timer);
        timer.fn();
      },
      Math.min(delayMs, longestDelayMs),
    );
  }

  function nextDue(untilMs: number): Timer | undefined {
    let best: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= untilMs && (!best || timer.at < best.at)) best = timer;
    }
    return best;
  }

  function forward(targetMs: number): void {
    const due = (): Timer | undefined => nextDue(base.now() + targetMs);
    for (let timer = due(); timer; timer = due()) {
      timers.delete(timer);
      base.clearTimeout(timer.handle);
      aheadMs = Math.min(targetMs, Math.max(aheadMs, timer.at - base.now()));
      timer.fn();
    }
    aheadMs = targetMs;
    for (const timer of timers) {
      base.clearTimeout(timer.handle);
      start(timer);
    }
  }

  return {
    now,
    setTimeout(fn, delayMs) {
      const timer: Timer = { at: now() + Math.max(0, delayMs), fn };
      timers.add(timer);
      start(timer);
      return timer;
    },
    clearTimeout(handle) {
      const timer = handle as Timer | undefined;
      if (timer && timers.delete(timer)) base.clearTimeout(timer.handle);
    },
    aheadMs: () => aheadMs,
    setAhead(ms) {
      const backMs = aheadMs - ms;
      if (backMs <= 0) return forward(ms);
      aheadMs = ms;
      for (const timer of timers) timer.at -= backMs;
    },
  };
}

export interface ManualClock extends SandboxClock {
  /** Moves time forward, running each due timer at its own moment, in order. */
  advance(ms: number): void;
  set(timeMs: number): void;
  pendingTimers(): number;
  /** The number of timers ever started: a test sees that something waits. */
  startedTimers(): number;
  /** The time until the next timer is due. */
  nextTimerInMs(): number | undefined;
}

export function createManualClock(startMs = Date.UTC(2030, 0, 1)): ManualClock {
  let nowMs = startMs;
  let nextId = 1;
  const timers = new Map<number, { at: number; fn: () => void }>();

  const nextDue = (untilMs: number): [number, { at: number; fn: () => void }] | undefined => {
    let best: [number, { at: number; fn: () => void }] | undefined;
    for (const entry of timers) {
      if (entry[1].at <= untilMs && (!best || entry[1].at < best[1].at)) best = entry;
    }
    return best;
  };
  const set = (timeMs: number): void => {
    for (let due = nextDue(timeMs); due; due = nextDue(timeMs)) {
      timers.delete(due[0]);
      nowMs = Math.max(nowMs, due[1].at);
      due[1].fn();
    }
    nowMs = Math.max(nowMs, timeMs);
  };

  return {
    now: () => nowMs,
    setTimeout(fn, delayMs) {
      const id = nextId++;
      timers.set(id, { at: nowMs + Math.max(0, delayMs), fn });
      return id;
    },
    clearTimeout(handle) {
      timers.delete(handle as number);
    },
    advance: (ms) => set(nowMs + ms),
    set,
    pendingTimers: () => timers.size,
    startedTimers: () => nextId - 1,
    nextTimerInMs() {
      const due = nextDue(Number.POSITIVE_INFINITY);
      return due && due[1].at - nowMs;
    },
  };
}

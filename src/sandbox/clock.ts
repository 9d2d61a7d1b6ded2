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

export interface ManualClock extends SandboxClock {
  /** Moves time forward, running each due timer at its own moment, in order. */
  advance(ms: number): void;
  set(timeMs: number): void;
  pendingTimers(): number;
  /** How many were ever started: tells a test that something began to wait. */
  startedTimers(): number;
  /** Time until the next one is due. */
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

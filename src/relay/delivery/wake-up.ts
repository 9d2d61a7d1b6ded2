import type { Clock } from '../../clock.ts';

/** A loop waits for it: until something happened, or until a time by the monotonic clock. */
export class WakeUp {
  readonly #clock: Clock;
  #isSet = false;
  #resume: (() => void) | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(): void {
    if (this.#resume) {
      this.#resume();
      this.#resume = undefined;
    } else this.#isSet = true;
  }

  /** Undefined when it was set since the last wait: none is missed. It may also end early, for nothing. */
  wait(untilMs: number): Promise<void> | undefined {
    if (this.#isSet) {
      this.#isSet = false;
      return undefined;
    }
    this.#arm(untilMs);
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  close(): void {
    this.#cancelTimer?.();
    this.set();
  }

  /** A timer that is due sooner stays: most waits end before it, and a new one each time is dear. */
  #arm(atMs: number): void {
    if (atMs >= this.#timerAt) return;
    this.#cancelTimer?.();
    this.#timerAt = atMs;
    this.#cancelTimer = this.#clock.after(atMs - this.#clock.monotonic(), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.set();
    });
  }
}

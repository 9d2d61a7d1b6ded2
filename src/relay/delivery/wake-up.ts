import type { Clock } from '../../clock.ts';

/** Lets a loop wait until something happens, or until a time by the monotonic clock. */
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

  /**
   * Undefined if it was set since the last wait, so that no wake-up is missed. It may also end
   * early, for no reason.
   */
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

  /**
   * A timer that is due sooner stays: most waits end before it, and a new timer for each wait is
   * expensive.
   */
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

/*
 * The rate of calls that Telegram accepted before it answered 429, kept as the time at which the
 * rate would be unused again (GCRA).
 *
 * Invariant: within the time that was measured, no more calls are let through than were accepted.
 */

export interface Rate {
  burst: number;
  intervalMs: number;
}

/** Calls that Telegram accepted lately. */
interface Span {
  from: number;
  calls: number;
}

const spanMs = 30_000;
/** A longer wait is a penalty, and says nothing about the rate. */
const longestWaitMs = 60_000;
const margin = 1.1;

export class LearnedRate {
  #current: Span = { from: 0, calls: 0 };
  #before: Span | undefined;
  #rate: Rate | undefined;
  #freeAt = 0;

  get rate(): Rate | undefined {
    return this.#rate;
  }

  accepted(now: number): void {
    if (this.#current.calls === 0) this.#current.from = now;
    if (now - this.#current.from > spanMs) {
      this.#before = now - this.#current.from > 2 * spanMs ? undefined : this.#current;
      this.#current = { from: now, calls: 0 };
    }
    this.#current.calls += 1;
  }

  delayMs(now: number): number {
    if (!this.#rate) return 0;
    const { burst, intervalMs } = this.#rate;
    return Math.max(0, this.#freeAt - (burst - 1) * intervalMs - now);
  }

  spend(now: number): void {
    if (this.#rate) this.#freeAt = Math.max(this.#freeAt, now) + this.#rate.intervalMs;
  }

  /** Learns from a 429: the rate never rises until it is forgotten. */
  refused(now: number, until: number, nominalMs: number): void {
    const from = this.#before?.from ?? (this.#current.calls === 0 ? now : this.#current.from);
    const calls = (this.#before?.calls ?? 0) + this.#current.calls;
    const burst = Math.max(1, Math.floor(calls / 2));
    const measuredMs = now - from + Math.min(until - now, longestWaitMs);
    const intervalMs = calls === 0 ? nominalMs : (measuredMs * margin) / (calls - burst + 1);
    this.adopt({ burst, intervalMs });
    this.#freeAt = until;
    this.#before = undefined;
    this.#current = { from: until, calls: 0 };
  }

  adopt({ burst, intervalMs }: Rate): void {
    this.#rate = {
      burst: Math.min(burst, this.#rate?.burst ?? burst),
      intervalMs: Math.max(intervalMs, this.#rate?.intervalMs ?? 0),
    };
  }

  forget(): void {
    this.#rate = undefined;
  }
}

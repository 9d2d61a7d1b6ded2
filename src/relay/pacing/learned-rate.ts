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
  /**
   * The rate until `#freshUntil`: right after a wait Telegram takes most of a span at once, as final
   * texts that waited need it.
   */
  #fresh: Rate | undefined;
  #freshUntil = 0;
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
    const rate = this.#rateAt(now);
    if (!rate) return 0;
    return Math.max(0, this.#freeAt - (rate.burst - 1) * rate.intervalMs - now);
  }

  spend(now: number): void {
    const rate = this.#rateAt(now);
    if (rate) this.#freeAt = Math.max(this.#freeAt, now) + rate.intervalMs;
  }

  /** Learns from a 429: the rate never rises until it is forgotten. */
  refused(now: number, until: number, nominalMs: number): void {
    const from = this.#before?.from ?? (this.#current.calls === 0 ? now : this.#current.from);
    const calls = (this.#before?.calls ?? 0) + this.#current.calls;
    const measuredMs = now - from + Math.min(until - now, longestWaitMs);
    const rateWith = (burst: number): Rate => ({
      burst,
      intervalMs: calls === 0 ? nominalMs : (measuredMs * margin) / (calls - burst + 1),
    });
    this.adopt(rateWith(Math.max(1, Math.floor(calls / 2))));
    this.#fresh = rateWith(Math.max(1, Math.floor(calls * 0.8)));
    this.#freshUntil = until + measuredMs;
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
    this.#fresh = undefined;
  }

  #rateAt(now: number): Rate | undefined {
    if (this.#fresh && now < this.#freshUntil) return this.#fresh;
    if (this.#fresh && this.#rate) {
      const { burst, intervalMs } = this.#rate;
      this.#freeAt = Math.min(this.#freeAt, now + burst * intervalMs);
    }
    this.#fresh = undefined;
    return this.#rate;
  }
}

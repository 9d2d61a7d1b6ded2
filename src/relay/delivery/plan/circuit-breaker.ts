/*
 * Stops deliveries to a backend that is down, and lets it come back gently.
 *
 * Invariants: it opens only after ten failures in a row from several queues, and only on the
 * failure of a queue that was healthy until then, so a few updates that a backend cannot process
 * never stop the others; the first probe comes within 5 s; after a success deliveries grow 1, 2, 4,
 * … at a time.
 */
const failuresToOpen = 10;
const queuesToOpen = 3;
const firstProbeMs = 4_000;
const longestProbeMs = 60_000;

export class CircuitBreaker {
  isOpen = false;
  /** The time of the next probe; valid only while the breaker is open. */
  probeAt = 0;
  /** The number of deliveries that may be in flight. */
  limit: number;
  #most: number;
  readonly #random: () => number;
  #failures = 0;
  readonly #failedQueues = new Set<string>();
  #probes = 0;
  #freshProbes = 0;
  #successes = 0;

  constructor(options: { mostConnections: number; random: () => number }) {
    this.#most = options.mostConnections;
    this.#random = options.random;
    this.limit = options.mostConnections;
  }

  /** The number of deliveries that may be in flight while all is well. */
  get most(): number {
    return this.#most;
  }

  set most(most: number) {
    this.limit = this.isRecovering ? Math.min(this.limit, most) : most;
    this.#most = most;
  }

  get isRecovering(): boolean {
    return !this.isOpen && this.limit < this.#most;
  }

  /** Returns true if this success closed the breaker. */
  succeeded(): boolean {
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#failedQueues.clear();
    }
    if (this.isOpen) {
      this.isOpen = false;
      this.limit = 1;
      this.#successes = 0;
      return true;
    }
    if (this.limit < this.#most && ++this.#successes >= this.limit) {
      this.#successes = 0;
      this.limit = Math.min(this.limit * 2, this.#most);
    }
    return false;
  }

  /**
   * `fresh` means that the queue had not failed before. Returns true if this failure opened the
   * breaker.
   */
  failed(queue: string, fresh: boolean, nowMs: number): boolean {
    if (this.isOpen) return false;
    this.#failures++;
    if (this.#failedQueues.size < queuesToOpen) this.#failedQueues.add(queue);
    this.limit = Math.max(1, this.isRecovering ? Math.floor(this.limit / 2) : this.limit);
    const open =
      fresh && this.#failures >= failuresToOpen && this.#failedQueues.size >= queuesToOpen;
    if (open) this.open(nowMs);
    return open;
  }

  open(nowMs: number): void {
    this.isOpen = true;
    this.#probes = 0;
    this.#freshProbes = 0;
    this.probeAt = nowMs + Math.round(firstProbeMs * (0.75 + this.#random() / 4));
  }

  /** `toldMs` is the wait that the backend asked for. */
  probeFailed(fresh: boolean, nowMs: number, toldMs: number | undefined): void {
    this.#probes++;
    if (fresh) this.#freshProbes++;
    const grown = Math.min(firstProbeMs * 2 ** Math.min(this.#probes, 10), longestProbeMs);
    this.probeAt = nowMs + (toldMs ?? Math.round(grown * (0.75 + this.#random() / 4)));
  }

  /**
   * An update of a healthy queue arrived while only queues that had failed before were probed.
   * Perhaps only those fail, so the wait for the next probe starts again at its shortest.
   */
  freshArrived(nowMs: number): void {
    if (this.#freshProbes === 0) this.probeAt = Math.min(this.probeAt, nowMs + firstProbeMs);
  }

  reset(): void {
    this.isOpen = false;
    this.limit = this.#most;
    this.#failures = 0;
    this.#failedQueues.clear();
  }
}

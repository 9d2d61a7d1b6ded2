/*
 * Takes updates from the log into the queues of one bot, as many as memory allows.
 *
 * Invariants: every position after the reader's is taken once, in order; a wake-up during a read is
 * seen by the same read; while the backend is down no more is taken than a probe needs; what the
 * backend did not ask for is passed over.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from '../../store/log/log-entry.ts';
import { hold, list, type PushState, type PushTools } from './push-state.ts';

const readAtOnce = 500;
const mostCharactersPerBot = 8_000_000;
// How long a full window may keep other queues waiting before the largest is moved to the store.
const spillAfterMs = 2_000;

export interface FeedHooks {
  /** There may be something to send. */
  pump(): void;
  /** There is something to write down. */
  touch(): void;
  failed(error: unknown): void;
  /** Wants to be filled again then. */
  lookAgainAt(atMs: number): void;
}

export class Feed {
  readonly #state: PushState;
  readonly #tools: PushTools;
  readonly #hooks: FeedHooks;
  /** The last position known to be in the log. */
  #known = 0;
  /** The log may go further than known. */
  #unsure = true;
  #reading = false;
  #fullSince = 0;

  constructor(state: PushState, tools: PushTools, hooks: FeedHooks) {
    this.#state = state;
    this.#tools = tools;
    this.#hooks = hooks;
  }

  /** The log has grown up to this position; 0 when whoever says so does not know how far. */
  grown(lastPosition: number): void {
    if (lastPosition > this.#known) this.#known = lastPosition;
    if (lastPosition === 0) this.#unsure = true;
    this.fill();
  }

  fill(): void {
    if (this.#reading || this.#isAtEnd) return;
    if (this.#room() === 0) {
      this.#relieve();
      return;
    }
    this.#fullSince = 0;
    this.#reading = true;
    this.#read().catch((error: unknown) => {
      this.#unsure = true;
      this.#hooks.failed(error);
    });
  }

  /** After something was finished. */
  refill(): void {
    if (this.#state.window.size <= this.#tools.settings.mostUnfinished / 2) this.fill();
  }

  get #isAtEnd(): boolean {
    return !this.#unsure && this.#state.window.scanned >= this.#known;
  }

  /** How many updates may be taken from the log now. */
  #room(): number {
    const { breaker, characters, halted, parking, window } = this.#state;
    const { settings, memory } = this.#tools;
    if (halted || !parking) return 0;
    const isEmpty = window.size === 0;
    if (breaker.isOpen) return isEmpty && parking.loaded.size === 0 ? 1 : 0;
    if (memory.characters > memory.most || characters > mostCharactersPerBot) {
      return isEmpty ? 10 : 0;
    }
    return Math.max(0, Math.min(readAtOnce, settings.mostUnfinished - window.size));
  }

  async #read(): Promise<void> {
    const { botId, window } = this.#state;
    try {
      while (!this.#isAtEnd) {
        const room = this.#room();
        if (room === 0) return;
        const wasUnsure = this.#unsure;
        this.#unsure = false;
        const entries = await this.#tools.log.read(botId, window.scanned, room);
        // Asked only where not all parked queues are in memory, right before they are taken.
        const elsewhere = this.#state.parking?.overflows
          ? await this.#state.loads?.parkedAmong(entries)
          : undefined;
        if (this.#state.halted) return;
        if (entries.length > 0) {
          this.#unsure ||= wasUnsure;
          const { size } = window;
          for (const entry of entries) this.#take(entry, elsewhere);
          this.#hooks.pump();
          // Over a long stretch that the backend did not ask for, others have their turn too.
          if (window.size === size) await nextTurn();
        } else if (!wasUnsure) {
          // Told of more than there is: the next wake-up will tell again.
          this.#known = window.scanned;
        }
      }
    } finally {
      this.#reading = false;
    }
  }

  #take(entry: LogEntry, elsewhere: ReadonlySet<string> | undefined): void {
    const { parking, queues, ready, wants, window } = this.#state;
    if (!window.take(entry.position)) return;
    if (wants && !wants(entry)) {
      window.finish(entry.position);
      this.#hooks.touch();
      return;
    }
    let queue = queues.get(entry.queue);
    if (queue?.parked || (!queue && elsewhere?.has(entry.queue))) {
      parking?.putBehind(entry.queue, entry);
      this.#hooks.touch();
      return;
    }
    queue ??= queues.add(entry.queue);
    hold(this.#state, this.#tools, entry);
    queue.waiting.push(entry);
    if (!queue.busy && !queue.listed) list(queue, ready);
  }

  /** Large queues fill the window while nothing else is ready: they make room for the others. */
  #relieve(): void {
    const { breaker, halted, parking, queues, ready } = this.#state;
    if (halted || !parking || breaker.isOpen || ready.length > 0) return;
    const nowMs = this.#tools.clock.monotonic();
    this.#fullSince ||= nowMs;
    if (nowMs < this.#fullSince + spillAfterMs) {
      this.#hooks.lookAgainAt(this.#fullSince + spillAfterMs);
      return;
    }
    this.#fullSince = 0;
    const before = this.#state.window.size;
    for (const queue of queues.all()) {
      const large = queue.waiting.length >= this.#tools.settings.mostUnfinished / 4;
      if (large && !queue.parked) parking.spill(queue);
    }
    if (this.#state.window.size === before) return;
    this.#hooks.touch();
    this.fill();
  }
}

import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import { isPaidSend } from '../../core/messages/broadcast.ts';
import { sendPriorities } from '../../core/messages/send-class.ts';
import type { OutboxRepository } from '../../store/outbox/outbox.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import { lineOf } from '../../store/outbox/outbox-lines.ts';
import type { ChatQueues } from './chat-queues.ts';
import type { InFlight } from './in-flight.ts';
import type { Outcome } from './outbox.ts';
import { maxPostponeMs, type SendRun } from './queued-sender.ts';

interface BotWorkerDeps {
  clock: Clock;
  outbox: Pick<OutboxRepository, 'queued'>;
  chatQueues: Pick<ChatQueues, 'delayMs'>;
  inFlight: Pick<InFlight, 'add' | 'has' | 'remove'>;
  random: () => number;
  /** Resolves with false if nothing could be done with the send. */
  send(record: OutboxRecord, run: SendRun): Promise<boolean>;
  /** A send ended after the worker was stopped: the node that runs the bot may send the next one. */
  wakeOwner(botId: number): void;
  onError: (error: unknown, botId: number) => void;
}

const linesAtOnce = 20;
const linesLookedAt = 500;
// Looks again after this time, in case a wake-up was lost, and after the database failed.
const lookAgainMs = 5_000;
const stopped = new Error('the bot was stopped');

/** Takes what is queued for one bot and hands it out: chats in parallel, one send of a chat at a time. */
export class BotWorker implements SendRun {
  readonly #botId: number;
  readonly #deps: BotWorkerDeps;
  readonly #stopping = new AbortController();
  readonly #busyLines = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  /** The number of sends of broadcasts among the busy lines. */
  #broadcasts = 0;
  #isLooking = false;
  #looksAgain = false;
  /** The number of sends in a row whose outcome is unknown. */
  #unknowns = 0;
  /** The end of the pause, by the monotonic clock. */
  #pausedUntil = 0;
  #cancelTimer = () => {};

  constructor(botId: number, deps: BotWorkerDeps) {
    this.#botId = botId;
    this.#deps = deps;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Looks for queued sends: something may have been queued, or may go by now. */
  look(): void {
    const done = this.#lookNow().finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Takes nothing new; resolves when the sends in flight have ended. */
  async stop(): Promise<void> {
    this.#cancelTimer();
    this.#stopping.abort(stopped);
    await Promise.all(this.#running);
  }

  noteOutcome(kind: Outcome['kind']): void {
    const { clock, random } = this.#deps;
    const now = clock.monotonic();
    if (kind === 'sent' || kind === 'refused') {
      this.#unknowns = 0;
      this.#pausedUntil = 0;
    } else if (kind === 'unknown' && now >= this.#pausedUntil) {
      // Sends that were in flight together count as one.
      this.#unknowns++;
      this.#pausedUntil = now + backoffMs(this.#unknowns, { random });
    }
  }

  async #lookNow(): Promise<void> {
    if (this.#isLooking) {
      this.#looksAgain = true;
      return;
    }
    this.#isLooking = true;
    try {
      do {
        this.#looksAgain = false;
        await this.#dispatch();
      } while (this.#looksAgain && !this.signal.aborted);
    } catch (error) {
      this.#deps.onError(error, this.#botId);
      this.#lookLater(lookAgainMs);
    } finally {
      this.#isLooking = false;
    }
  }

  async #dispatch(): Promise<void> {
    const { clock, outbox, inFlight } = this.#deps;
    if (this.signal.aborted) return;
    const now = clock.now();
    const queued = await outbox.queued(this.#botId, linesLookedAt, now);
    if (this.signal.aborted || queued.length === 0) return;
    // While outcomes are unknown, sends go one at a time with growing pauses, so that few are
    // risked.
    const atOnce = this.#unknowns > 0 ? 1 : linesAtOnce;
    let soonest = lookAgainMs;
    for (const record of queued) {
      // Nothing overtakes a message in flight, even one that an earlier worker or another node
      // sends.
      if (record.state === 'sending' || inFlight.has(record.id)) continue;
      if (this.#busyLines.has(lineOf(record))) continue;
      // A chat that has to pause takes none of the parallel slots.
      const waitMs = this.#waitMs(record, now);
      if (waitMs > 0) soonest = Math.min(soonest, waitMs);
      else if (this.#busyLines.size < atOnce && this.#hasRoom(record)) this.#begin(record);
    }
    this.#lookLater(Math.max(1, soonest));
  }

  /** Broadcasts leave half of the places to others, which may come at any time. */
  #hasRoom({ priority }: OutboxRecord): boolean {
    return sendPriorities[priority] !== 'broadcast' || this.#broadcasts < linesAtOnce / 2;
  }

  #waitMs(record: OutboxRecord, now: number): number {
    const { clock, chatQueues } = this.#deps;
    const putOffMs = record.notBefore - now;
    return Math.max(
      // No send is postponed for longer than this, so the clock was set back since.
      putOffMs > maxPostponeMs ? 0 : putOffMs,
      this.#pausedUntil - clock.monotonic(),
      chatQueues.delayMs({ ...record, isPaid: isPaidSend(record) }),
    );
  }

  #lookLater(ms: number): void {
    this.#cancelTimer();
    if (this.signal.aborted) return;
    this.#cancelTimer = this.#deps.clock.after(ms, () => this.look());
  }

  #begin(record: OutboxRecord): void {
    const { inFlight, onError, wakeOwner } = this.#deps;
    this.#busyLines.add(lineOf(record));
    const isBroadcast = sendPriorities[record.priority] === 'broadcast';
    if (isBroadcast) this.#broadcasts++;
    inFlight.add(record.id);
    const done = this.#deps
      .send(record, this)
      .catch((error: unknown) => {
        if (!this.signal.aborted) onError(error, record.botId);
        return false;
      })
      .then((isSettled) => {
        this.#busyLines.delete(lineOf(record));
        if (isBroadcast) this.#broadcasts--;
        inFlight.remove(record.id);
        this.#running.delete(done);
        if (this.signal.aborted) wakeOwner(record.botId);
        else if (isSettled) this.look();
        // A send that could not be attempted waits for a while; otherwise it would be attempted in
        // a loop.
        else this.#lookLater(lookAgainMs);
      });
    this.#running.add(done);
  }
}

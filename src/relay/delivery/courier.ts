/*
 * Sends what is ready, as many at a time as the breaker allows, and decides what an answer means.
 *
 * Invariants: one delivery under way per queue; a position is finished only when the backend
 * answered 2xx or the store takes it over; what is answered and not yet on disk is bounded.
 */
import type { Dispatcher } from 'undici';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { ParkedEntry } from '../../store/delivery/retry-queues.ts';
import { openSpan, type OpenSpan } from '../../tracing.ts';
import { answerCall } from './answer-call.ts';
import type { Backend } from './backend.ts';
import { Delivery, type DeliveryOutcome, keptAnswer } from './delivery.ts';
import { connectionWords, statusWords, timeoutWords } from './failure-words.ts';
import type { Parking } from './parking.ts';
import { type PushState, type PushTools, release } from './push-state.ts';
import type { Queue } from './queue.ts';
import { retryAfterMs } from './retry-delay.ts';
import { InFlightList } from '../async/in-flight.ts';

/** How often a backend that takes updates is noted as such. */
const noteEveryMs = 60_000;

interface Job {
  queue: Queue;
  entry: LogEntry;
  backend: Backend;
  /** Straight from the log; its queue had not failed before. */
  fresh: boolean;
  /** Takes one of the few places for what failed before. */
  retry: boolean;
  replay: boolean;
  /** Sent to see whether the backend is back. */
  probe: boolean;
  span: OpenSpan | undefined;
}

export interface CourierHooks {
  /** A queue's delivery ended and was judged. */
  settled(queue: Queue): void;
  /** The backend answers again after the breaker had opened. */
  recovered(): void;
  /** Decides what becomes of a queue. */
  next(queue: Queue): void;
  /** A probe is due then. */
  probeAt(atMs: number): void;
  /** A probe needs an update from the log. */
  needOne(): void;
  busy(isBusy: boolean): void;
}

// What PostgreSQL's integer holds: one attempt that does not fit would hold up all of them.
const longestDurationMs = 2_147_483_647;

class Cancelled extends Error {}
class TimedOut extends Error {}

export class Courier {
  readonly #state: PushState;
  readonly #tools: PushTools;
  readonly #hooks: CourierHooks;
  readonly #underWay = new InFlightList<Delivery<Job>>();
  #connections: Dispatcher | undefined;
  #retriesUnderWay = 0;
  #probing = false;
  #drained: (() => void) | undefined;

  constructor(state: PushState, tools: PushTools, hooks: CourierHooks) {
    this.#state = state;
    this.#tools = tools;
    this.#hooks = hooks;
  }

  /** Begins what may begin. */
  pump(): void {
    const { breaker, halted, parking, ready, retries } = this.#state;
    if (halted || !parking) return;
    if (breaker.isOpen) {
      this.#sendProbe(parking);
      return;
    }
    // Failing queues may each take long to fail again: they never get most of the connections.
    const mostRetries = Math.max(1, breaker.limit >> 2);
    while (this.#underWay.size < breaker.limit) {
      if (this.#state.unsettled >= this.#tools.settings.mostUnsettled) {
        this.#tools.writer.hurry();
        return;
      }
      const retry = this.#retriesUnderWay < mostRetries ? retries.shift() : undefined;
      const queue = retry ?? ready.shift();
      if (!queue) return;
      queue.listed = false;
      this.#send(queue, false);
    }
  }

  /** Ends deliveries that take too long. */
  sweep(nowMs: number): void {
    const { timeoutMs } = this.#tools.settings;
    for (const delivery of this.#underWay.all()) {
      if (nowMs - delivery.startedAt >= timeoutMs) delivery.cancel(new TimedOut());
    }
  }

  /** Resolves when nothing is under way any more. */
  async drained(): Promise<void> {
    if (this.#underWay.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  cancelAll(): void {
    for (const delivery of this.#underWay.all()) delivery.cancel(new Cancelled(), true);
  }

  /** Lets what is under way end; the next delivery opens new ones. */
  closeConnections(): void {
    this.#connections?.close().catch((error: unknown) => {
      this.#tools.logger.debug({ err: error }, 'connections did not close cleanly');
    });
    this.#connections = undefined;
  }

  /** One delivery to see whether the backend is back: of a healthy queue if there is one. */
  #sendProbe(parking: Parking): void {
    const { breaker, ready, retries } = this.#state;
    if (this.#probing) return;
    const nowMs = this.#tools.clock.monotonic();
    if (nowMs < breaker.probeAt) {
      this.#hooks.probeAt(breaker.probeAt);
      return;
    }
    const healthy = ready.findIndex((queue) => !queue.parked);
    const queue =
      (healthy >= 0 ? ready.splice(healthy, 1)[0] : undefined) ??
      retries.shift() ??
      ready.shift() ??
      parking.soonest();
    if (!queue) {
      this.#hooks.needOne();
      return;
    }
    queue.listed = false;
    if (queue.parked) queue.parked.dueAt = nowMs;
    this.#send(queue, true);
  }

  #send(queue: Queue, probe: boolean): void {
    const { backend, botId } = this.#state;
    const { parked } = queue;
    const entry = parked ? parked.entries[0] : queue.waiting[0];
    if (!entry) {
      this.#hooks.next(queue);
      return;
    }
    const { clock } = this.#tools;
    const retry = parked !== undefined && parked.attempts > 0;
    const replay = parked !== undefined && (entry as ParkedEntry).replay;
    const { position, raw, updateId } = entry;
    const attributes = { bot_id: botId, update_id: updateId, position, retry };
    const span = openSpan('push', 'client', attributes, 'new');
    const job: Job = { queue, entry, backend, fresh: !parked, retry, replay, probe, span };
    const delivery = new Delivery(job, clock.monotonic(), this.#finished);
    queue.busy = true;
    this.#probing ||= probe;
    if (retry) this.#retriesUnderWay++;
    if (this.#underWay.size === 0) this.#hooks.busy(true);
    this.#underWay.add(delivery);
    this.#connections ??= this.#tools.openConnections(
      this.#state.breaker.most,
      this.#state.certificate,
    );
    const request = { botId, position, raw, replay, nowMs: clock.now() };
    this.#connections.dispatch(
      backend.request(span ? { ...request, traceHeaders: span.headers() } : request),
      delivery,
    );
  }

  readonly #finished = (delivery: Delivery<Job>, outcome: DeliveryOutcome): void => {
    const { queue, retry, probe, span } = delivery.job;
    this.#underWay.remove(delivery);
    if (span) endSpan(span, outcome);
    if (retry) this.#retriesUnderWay--;
    queue.busy = false;
    if (probe) this.#probing = false;
    if (this.#underWay.size === 0) {
      this.#hooks.busy(false);
      this.#drained?.();
    }
    // Cut off by ourselves: nobody knows, so nothing is written, and it is delivered again.
    if (outcome.failure instanceof Cancelled) return;
    this.#judge(delivery, outcome);
    this.#hooks.settled(queue);
  };

  #judge(delivery: Delivery<Job>, outcome: DeliveryOutcome): void {
    const { breaker, changes } = this.#state;
    const parking = this.#state.parking as Parking;
    const { queue, entry, backend, fresh, probe } = delivery.job;
    const nowMs = this.#tools.clock.monotonic();
    const wallMs = this.#tools.clock.now();
    const delivered = outcome.status >= 200 && outcome.status < 300;
    const words = delivered ? '' : this.#words(outcome);
    this.#record(delivery, outcome, words, nowMs, wallMs);
    this.#count(delivery.job, delivered, wallMs);
    if (delivered) {
      // An answer of a former address says nothing about the present one.
      const isNoted = nowMs - this.#state.reachedAt < noteEveryMs;
      if (!isNoted && backend === this.#state.backend) {
        this.#state.reachedAt = nowMs;
        changes.backend = 'answers';
      }
      const call = outcome.body === '' ? undefined : answerCall(outcome.body);
      if (call) changes.calls.push({ position: entry.position, call });
      if (fresh) this.#shift(queue, entry);
      else parking.headDone(queue, entry as ParkedEntry);
      if (breaker.succeeded()) this.#hooks.recovered();
      return;
    }
    const toldMs = retryAfterMs(outcome.retryAfter, wallMs);
    if (probe && breaker.isOpen) breaker.probeFailed(fresh, nowMs, toldMs);
    else breaker.failed(queue.name, fresh, nowMs);
    const failure = { words, toldMs };
    if (!fresh) {
      if (parking.failedAgain(queue, failure)) {
        this.#state.reachedAt = -Infinity;
        changes.backend = 'unknown';
      }
    } else if (queue.parked) {
      this.#shift(queue, entry);
      parking.takeBack(queue, entry);
    }
    // With the backend down it stays where it is, in the log: its failure says nothing about it.
    else if (!breaker.isOpen) parking.park(queue, failure);
  }

  #count({ entry, replay }: Job, delivered: boolean, wallMs: number): void {
    const { vitals } = this.#tools;
    if (!delivered) vitals?.deliveryFailed(this.#state.botId);
    // A replay is as late as someone asked for it.
    else if (!replay) vitals?.delivered(this.#state.botId, Math.max(0, wallMs - entry.receivedAt));
  }

  #record(
    { job, startedAt }: Delivery<Job>,
    outcome: DeliveryOutcome,
    words: string,
    nowMs: number,
    wallMs: number,
  ): void {
    const durationMs = Math.min(nowMs - startedAt, longestDurationMs);
    this.#state.unsettled++;
    this.#state.changes.attempts.push({
      bot_id: this.#state.botId,
      position: job.entry.position,
      update_id: job.entry.updateId,
      queue: job.queue.name,
      started_at: wallMs - durationMs,
      duration_ms: durationMs,
      status: outcome.status,
      error: words,
      answer: keptAnswer(outcome.body),
      replay: job.replay ? 1 : 0,
    });
  }

  #shift(queue: Queue, entry: LogEntry): void {
    queue.waiting.shift();
    this.#state.window.finish(entry.position);
    release(this.#state, this.#tools, entry);
  }

  #words({ status, failure }: DeliveryOutcome): string {
    if (status > 0) return statusWords(status);
    if (failure instanceof TimedOut) return timeoutWords(this.#tools.settings.timeoutMs);
    return connectionWords(failure, this.#state.backend.place);
  }
}

function endSpan(span: OpenSpan, { status, failure }: DeliveryOutcome): void {
  if (status > 0) span.set({ 'http.response.status_code': status });
  if (status >= 200 && status < 300) span.end();
  else if (failure instanceof Cancelled) span.end('cancelled');
  else span.end(status > 0 ? String(status) : 'unreachable');
}

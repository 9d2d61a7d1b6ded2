/*
 * Sends attempts to the backend of one reader, over connections of its own, and tells how each ended.
 * One timer ends those that take too long.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { openSpan, type OpenSpan } from '../../tracing.ts';
import { InFlightList } from '../async/in-flight.ts';
import { Cancelled, endSpan, TimedOut } from './attempt-result.ts';
import { type Backend, createBackend } from './backend.ts';
import { Delivery, type DeliveryOutcome } from './delivery.ts';
import type { Attempt } from './plan/plan-types.ts';

/** To addresses that users name; `certificate` is PEM that is trusted as well, '' for none. */
export type OpenConnections = (most: number, certificate: string) => Dispatcher;

/** Where attempts go, and over how many connections. */
export interface Address {
  url: string;
  secretToken: string;
  certificate: string;
  maxConnections: number;
}

/** What became of an attempt; `host` is the backend's, which may be a former one by now. */
export interface Sent {
  attempt: Attempt;
  outcome: DeliveryOutcome;
  startedAt: number;
  host: string;
}

interface SenderOptions {
  botId: number;
  clock: Clock;
  logger: Logger;
  timeoutMs: number;
  openConnections: OpenConnections;
  onEnded: (sent: Sent) => void;
}

interface Job {
  attempt: Attempt;
  backend: Backend;
  span: OpenSpan | undefined;
}

const sweepEveryMs = 1_000;

export class Sender {
  readonly #options: SenderOptions;
  readonly #inFlight = new InFlightList<Delivery<Job>>();
  #address: Address;
  #backend: Backend;
  #connections: Dispatcher | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(options: SenderOptions, address: Address) {
    this.#options = options;
    this.#address = address;
    this.#backend = createBackend(address.url, address.secretToken);
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** For what is sent from now on; true when it is another backend, or may seem so to it. */
  use(address: Address): boolean {
    const { url, secretToken, certificate, maxConnections } = this.#address;
    const isElsewhere = address.url !== url || address.certificate !== certificate;
    if (isElsewhere || address.maxConnections !== maxConnections) this.#closeConnections();
    this.#address = address;
    if (!isElsewhere && address.secretToken === secretToken) return false;
    this.#backend = createBackend(address.url, address.secretToken);
    return true;
  }

  send(attempt: Attempt): void {
    const { botId, clock, openConnections } = this.#options;
    const { entry, replay, retry } = attempt;
    const { position, raw, updateId } = entry;
    const attributes = { bot_id: botId, update_id: updateId, position, retry };
    const span = openSpan('push', 'client', attributes, 'new');
    const job: Job = { attempt, backend: this.#backend, span };
    const delivery = new Delivery(job, clock.monotonic(), this.#finished);
    this.#inFlight.add(delivery);
    this.#cancelSweep ??= clock.after(sweepEveryMs, () => this.#sweep());
    const { certificate, maxConnections } = this.#address;
    this.#connections ??= openConnections(maxConnections, certificate);
    const request = { botId, position, raw, replay, nowMs: clock.now() };
    this.#connections.dispatch(
      this.#backend.request(span ? { ...request, traceHeaders: span.headers() } : request),
      delivery,
    );
  }

  cancelAll(): void {
    for (const delivery of this.#inFlight.all()) delivery.cancel(new Cancelled(), true);
  }

  close(): void {
    this.#cancelSweep?.();
    this.cancelAll();
    this.#closeConnections();
  }

  readonly #finished = (delivery: Delivery<Job>, outcome: DeliveryOutcome): void => {
    const { attempt, backend, span } = delivery.job;
    this.#inFlight.remove(delivery);
    if (span) endSpan(span, outcome);
    const { startedAt } = delivery;
    this.#options.onEnded({ attempt, outcome, startedAt, host: backend.host });
  };

  #sweep(): void {
    this.#cancelSweep = undefined;
    const { clock, timeoutMs } = this.#options;
    const nowMs = clock.monotonic();
    for (const delivery of this.#inFlight.all()) {
      if (nowMs - delivery.startedAt >= timeoutMs) delivery.cancel(new TimedOut());
    }
    if (this.#inFlight.size > 0) {
      this.#cancelSweep = clock.after(sweepEveryMs, () => this.#sweep());
    }
  }

  /** Lets what is in flight end; the next attempt opens new ones. */
  #closeConnections(): void {
    this.#connections?.close().catch((error: unknown) => {
      this.#options.logger.debug({ err: error }, 'connections did not close cleanly');
    });
    this.#connections = undefined;
  }
}

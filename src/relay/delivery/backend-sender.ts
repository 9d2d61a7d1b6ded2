/*
 * Sends attempts to the backend of one reader and reports how each ended. An attempt begins when it
 * gets a connection. One timer ends attempts that take too long.
 */
import type { Clock } from '../../clock.ts';
import { isOutOfFiles } from '../../errors.ts';
import { openSpan, type OpenSpan } from '../../tracing.ts';
import { IndexedList } from '../async/indexed-list.ts';
import { Cancelled, endSpan, TimedOut } from './attempt-result.ts';
import { type Backend, createBackend } from './backend.ts';
import {
  type Connection,
  type ConnectionPool,
  type ConnectionUser,
  type Host,
  hostOf,
} from './connection-pool.ts';
import { Delivery, type DeliveryOutcome } from './delivery.ts';
import type { Attempt } from './plan/plan-types.ts';

/** The address of a backend; `certificate` is PEM that is trusted as well, '' for none. */
export interface Address {
  url: string;
  secretToken: string;
  certificate: string;
}

/**
 * The result of an attempt; `host` belongs to the backend that got it, which may have been replaced
 * since.
 */
export interface Sent {
  attempt: Attempt;
  outcome: DeliveryOutcome;
  startedAt: number;
  host: string;
}

interface BackendSenderOptions {
  botId: number;
  clock: Clock;
  timeoutMs: number;
  connections: ConnectionPool;
  onEnded: (sent: Sent) => void;
}

interface Job {
  attempt: Attempt;
  backend: Backend;
  connection: Connection;
  span: OpenSpan | undefined;
}

const sweepEveryMs = 1_000;

export class BackendSender implements ConnectionUser {
  host: Host;
  turn = { attempts: 0, untilMs: 0 };
  readonly #options: BackendSenderOptions;
  readonly #inFlight = new IndexedList<Delivery<Job>>();
  #waiting: Attempt[] = [];
  #address: Address;
  #backend: Backend;
  #cancelSweep: (() => void) | undefined;

  constructor(options: BackendSenderOptions, address: Address) {
    this.#options = options;
    this.#address = address;
    this.#backend = createBackend(address.url, address.secretToken);
    this.host = hostOf(address.url, address.certificate);
  }

  get inFlight(): number {
    return this.#inFlight.size + this.#waiting.length;
  }

  get inUse(): number {
    return this.#inFlight.size;
  }

  /**
   * Sets the address of later attempts; returns true if it is another backend, or may seem so to
   * the backend.
   */
  use(address: Address): boolean {
    const { url, secretToken, certificate } = this.#address;
    const isSame = address.url === url && address.certificate === certificate;
    if (isSame && address.secretToken === secretToken) return false;
    this.cancelWaiting();
    this.#address = address;
    this.#backend = createBackend(address.url, address.secretToken);
    this.host = hostOf(address.url, address.certificate);
    return true;
  }

  send(attempt: Attempt): void {
    // Waiting attempts go first: they already took every free connection.
    const connection =
      this.#waiting.length === 0 ? this.#options.connections.take(this) : undefined;
    if (connection) this.#begin(attempt, connection);
    else this.#waiting.push(attempt);
  }

  begin(connection: Connection): void {
    const attempt = this.#waiting.shift();
    if (attempt) this.#begin(attempt, connection);
    else this.#options.connections.giveBack(connection, false);
    this.#sendWaiting();
  }

  /** Cancels attempts that were never sent. */
  cancelWaiting(): void {
    if (this.#waiting.length === 0) return;
    this.#options.connections.leave(this);
    this.#endWaiting(new Cancelled());
  }

  /** The backend is down: only a probe may be sent. */
  pause(): void {
    if (this.#waiting.length === 0) return;
    const probes = this.#waiting.filter(({ probe }) => probe);
    if (probes.length === 0) this.#options.connections.leave(this);
    this.#endWaiting(new Cancelled(), probes);
  }

  refused(error: unknown): void {
    this.#endWaiting(error);
  }

  cancelAll(): void {
    this.cancelWaiting();
    for (const delivery of this.#inFlight.all()) delivery.cancel(new Cancelled(), true);
  }

  close(): void {
    this.#cancelSweep?.();
    this.cancelAll();
  }

  #begin(attempt: Attempt, connection: Connection): void {
    const { botId, clock } = this.#options;
    const { entry, replay, retry } = attempt;
    const { position, raw, updateId } = entry;
    const attributes = { bot_id: botId, update_id: updateId, position, retry };
    const span = openSpan('push', 'client', attributes, 'new');
    const job: Job = { attempt, backend: this.#backend, connection, span };
    const delivery = new Delivery(job, clock.monotonic(), this.#finished);
    this.#inFlight.add(delivery);
    this.#cancelSweep ??= clock.after(sweepEveryMs, () => this.#sweep());
    const request = { botId, position, raw, replay, nowMs: clock.now() };
    connection.dispatcher.dispatch(
      this.#backend.request(span ? { ...request, traceHeaders: span.headers() } : request),
      delivery,
    );
  }

  #endWaiting(failure: unknown, spared: Attempt[] = []): void {
    const { clock, onEnded } = this.#options;
    const { host } = this.#backend;
    const startedAt = clock.monotonic();
    const all = this.#waiting;
    this.#waiting = spared;
    for (const attempt of all) {
      if (spared.includes(attempt)) continue;
      const outcome = { status: 0, failure, retryAfter: undefined, body: '' };
      onEnded({ attempt, outcome, startedAt, host });
    }
  }

  #sendWaiting(): void {
    const { connections } = this.#options;
    while (this.#waiting.length > 0) {
      const connection = connections.take(this);
      if (!connection) return;
      this.#begin(this.#waiting.shift() as Attempt, connection);
    }
    connections.leave(this);
  }

  readonly #finished = (delivery: Delivery<Job>, outcome: DeliveryOutcome): void => {
    const { job, isWhole, startedAt } = delivery;
    const { attempt, backend, connection, span } = job;
    const { connections, onEnded } = this.#options;
    this.#inFlight.remove(delivery);
    connections.giveBack(connection, isWhole);
    if (isOutOfFiles(outcome.failure)) {
      connections.exhausted();
      // The request never reached the backend.
      outcome.failure = new Cancelled();
    }
    if (span) endSpan(span, outcome);
    onEnded({ attempt, outcome, startedAt, host: backend.host });
    if (this.#waiting.length > 0) this.#sendWaiting();
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
}

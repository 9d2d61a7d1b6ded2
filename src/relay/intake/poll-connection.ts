import { reason } from '../../core/reasons/reason.ts';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Connect } from '../../telegram/platform-connector.ts';
import { failureText, PlatformUnreachable } from '../../telegram/errors.ts';

export interface PollAnswer {
  status: number;
  text: string;
}

/**
 * Opens one bot's connection for its polls. Each poll occupies a connection nearly all the time, so
 * a pool would have nothing to share and would search thousands of clients for a free one. This
 * measures about 15 kB a bot. Requests go straight to dispatch, without streams and without a
 * signal per poll.
 */
export interface PollConnection {
  /** `waitMs` limits the time until the platform begins its answer. */
  get(path: string, waitMs: number): Promise<PollAnswer>;
  /** Ends the request in flight, which then rejects. */
  abort(): void;
  close(): void;
}

const maxAnswerBytes = 64 * 1024 * 1024;
const connectTimeoutMs = 10_000;
/** The limit from one part of an answer to the next. */
const nextPartMs = 30_000;
const lookEveryMs = 5_000;

// All polls share one error: errors with their own stacks would be half of what stopping thousands
// of bots costs.
const calledOff = new PlatformUnreachable('aborted', true, reason('poll_called_off'));

// The connector is shared, so that thousands of clients keep one cache of TLS sessions instead of
// one each.
const direct = buildConnector({ timeout: connectTimeoutMs, allowH2: false });

/*
 * One timer watches all polls, because undici's two timers per poll would be a good part of what
 * ten thousand idle bots cost. It uses real time, not the injected clock, because it watches the
 * network.
 */
const inFlight = new Set<Poll>();
let lookTimer: NodeJS.Timeout | undefined;

function watch(poll: Poll): void {
  inFlight.add(poll);
  lookTimer ??= setInterval(endOverdue, lookEveryMs).unref();
}

function unwatch(poll: Poll): void {
  inFlight.delete(poll);
  if (inFlight.size > 0) return;
  clearInterval(lookTimer);
  lookTimer = undefined;
}

function endOverdue(): void {
  const now = performance.now();
  for (const poll of inFlight) if (poll.endsAt < now) poll.timedOut();
}

export function openPollConnection(origin: string, connect: Connect = direct): PollConnection {
  const client = new Client(origin, {
    pipelining: 1,
    connect,
    keepAliveTimeout: 15_000,
    allowH2: false,
  });
  let current: Poll | undefined;
  return {
    get: (path, waitMs) =>
      new Promise((resolve, reject) => {
        current = new Poll(resolve, reject, waitMs);
        watch(current);
        const request = { origin, path, method: 'GET', headersTimeout: 0, bodyTimeout: 0 } as const;
        client.dispatch(request, current);
      }),
    abort: () => current?.abort(),
    close() {
      current?.abort();
      client.destroy(calledOff).catch(() => {});
    },
  };
}

/**
 * One request, as undici's handler. The object has few fields and no closures, because it lives for
 * as long as the platform holds the poll, and then only a full collection frees it.
 */
class Poll implements Dispatcher.DispatchHandler {
  endsAt: number;
  #resolve: ((answer: PollAnswer) => void) | undefined;
  #reject: ((error: PlatformUnreachable) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #size = 0;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;

  constructor(
    resolve: (answer: PollAnswer) => void,
    reject: (error: PlatformUnreachable) => void,
    waitMs: number,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.endsAt = performance.now() + waitMs;
  }

  abort(): void {
    this.#fail(calledOff);
  }

  timedOut(): void {
    this.#fail(new PlatformUnreachable('timeout', true, reason('poll_no_answer')));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#reject) this.#controller = controller;
    else controller.abort(calledOff);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.#status = status;
    this.endsAt = performance.now() + nextPartMs;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    this.endsAt = performance.now() + nextPartMs;
    if (this.#size > maxAnswerBytes) {
      this.#fail(new PlatformUnreachable('answer', true, reason('poll_answer_too_long')));
    } else if (!this.#first) this.#first = chunk;
    else (this.#more ??= []).push(chunk);
  }

  onResponseEnd(): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    const body =
      this.#first && this.#more ? Buffer.concat([this.#first, ...this.#more]) : this.#first;
    this.#forget();
    resolve({ status: this.#status, text: body?.toString('utf8') ?? '' });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const why = reason('platform_unreachable', { cause: failureText(error) });
    this.#fail(new PlatformUnreachable('network', true, why));
  }

  #fail(error: PlatformUnreachable): void {
    const reject = this.#reject;
    const controller = this.#controller;
    if (!reject) return;
    this.#forget();
    reject(error);
    controller?.abort(error);
  }

  /** Drops all references, as the poll is settled. */
  #forget(): void {
    unwatch(this);
    this.#resolve = undefined;
    this.#reject = undefined;
    this.#controller = undefined;
    this.#first = undefined;
    this.#more = undefined;
  }
}

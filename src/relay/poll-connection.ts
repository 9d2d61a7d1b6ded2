import { buildConnector, Client, type Dispatcher } from 'undici';
import { codeOf, PlatformUnreachable } from '../telegram/errors.ts';

export interface PollAnswer {
  status: number;
  text: string;
}

/**
 * One bot's connection for its long polls. Each poll occupies a connection nearly all the time, so
 * a pool would have nothing to share and would search thousands of clients for a free one; this
 * measures about 15 kB a bot. Requests go straight to dispatch: no streams, no signal per poll.
 */
export interface PollConnection {
  /** `waitMs` is how long the platform may take to begin its answer. */
  get(path: string, waitMs: number): Promise<PollAnswer>;
  /** Ends the request under way, which then throws. */
  abort(): void;
  close(): void;
}

const maxAnswerBytes = 64 * 1024 * 1024;
const connectTimeoutMs = 10_000;
const bodyTimeoutMs = 30_000;

// Shared, so that thousands of clients keep one cache of TLS sessions and not one each.
const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false });

export function openPollConnection(origin: string): PollConnection {
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
        current = new Poll(resolve, reject);
        client.dispatch(
          { path, method: 'GET', headersTimeout: waitMs, bodyTimeout: bodyTimeoutMs },
          current,
        );
      }),
    abort: () => current?.abort(),
    close() {
      current?.abort();
      client.destroy().catch(() => {});
    },
  };
}

/**
 * One request, as undici's handler. An object with few fields and no functions of its own: it lives
 * for as long as the platform holds the poll, and after that only a full collection takes it away.
 */
class Poll implements Dispatcher.DispatchHandler {
  #resolve: ((answer: PollAnswer) => void) | undefined;
  #reject: ((error: PlatformUnreachable) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #size = 0;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;

  constructor(resolve: (answer: PollAnswer) => void, reject: (error: PlatformUnreachable) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  abort(): void {
    this.#fail(new PlatformUnreachable('aborted', true, 'The poll was called off.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#reject) this.#controller = controller;
    else controller.abort(new Error('called off'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
    // Old as the request is, it would make them old too.
    controller.rawHeaders = null;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > maxAnswerBytes) {
      this.#fail(new PlatformUnreachable('answer', true, "The platform's answer is too long."));
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
    const words = `The platform could not be reached (${codeOf(error)}).`;
    this.#fail(new PlatformUnreachable('network', true, words));
  }

  #fail(error: PlatformUnreachable): void {
    const reject = this.#reject;
    const controller = this.#controller;
    if (!reject) return;
    this.#forget();
    reject(error);
    controller?.abort(error);
  }

  /** It is settled. */
  #forget(): void {
    this.#resolve = undefined;
    this.#reject = undefined;
    this.#controller = undefined;
    this.#first = undefined;
    this.#more = undefined;
  }
}

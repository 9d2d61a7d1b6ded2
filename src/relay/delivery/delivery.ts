import type { Dispatcher } from 'undici';
import { redactText } from '../../logger.ts';

// Room for the longest text that a method takes (32,768 characters), each written as an escape.
const mostAnswerBytes = 256 * 1024;
const storedAnswerBytes = 512;

export interface DeliveryOutcome {
  /** 0 when there was no answer. */
  status: number;
  /** Why there was no answer. */
  failure: unknown;
  retryAfter: unknown;
  /** The whole answer, as far as it is read. */
  body: string;
}

/**
 * One request on its way, as undici's handler: no stream, no timer and no abort signal of its own,
 * which is most of what a request otherwise costs. `finished` is called exactly once.
 */
export class Delivery<Job> implements Dispatcher.DispatchHandler {
  readonly job: Job;
  /** By the monotonic clock. */
  readonly startedAt: number;
  /** Among those in flight. */
  index = -1;
  /** The answer came to its end, so that the connection is free. */
  isWhole = false;
  readonly #finished: (delivery: Delivery<Job>, outcome: DeliveryOutcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #done = false;
  #status = 0;
  #retryAfter: unknown;
  #first: Buffer | undefined;
  #rest: Buffer[] | undefined;
  #bytes = 0;

  constructor(
    job: Job,
    startedAt: number,
    finished: (delivery: Delivery<Job>, outcome: DeliveryOutcome) => void,
  ) {
    this.job = job;
    this.startedAt = startedAt;
    this.#finished = finished;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#done) controller.abort(new Error('given up'));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, unknown>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    if (status >= 300) this.#retryAfter = headers['retry-after'];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (!this.#first) this.#first = chunk;
    else (this.#rest ??= []).push(chunk);
    if (this.#bytes <= mostAnswerBytes) return;
    this.#finish(undefined);
    controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.isWhole = !this.#done;
    this.#finish(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error);
  }

  /**
   * Ends it from our side; the connection is closed, as the answer may still come. `undecided` when
   * the backend is not to blame: half an answer is none then, as a call may stand in the other half.
   */
  cancel(reason: Error, undecided = false): void {
    if (this.#done) return;
    if (undecided) this.#status = 0;
    this.#finish(reason);
    this.#controller?.abort(reason);
  }

  #finish(failure: unknown): void {
    if (this.#done) return;
    this.#done = true;
    // Once the status is there the backend has decided; a torn body does not undo that.
    this.#finished(this, {
      status: this.#status,
      failure: this.#status > 0 ? undefined : failure,
      retryAfter: this.#retryAfter,
      body: this.#body(),
    });
  }

  #body(): string {
    if (!this.#first) return '';
    if (!this.#rest) return this.#first.toString();
    return Buffer.concat([this.#first, ...this.#rest]).toString();
  }
}

/** The first bytes of an answer, in text that every database takes. */
export function storedAnswer(body: string): string {
  if (body === '') return '';
  // Many a server repeats the address it was called at, which holds the token.
  const clean = redactText(body.slice(0, storedAnswerBytes * 2));
  const short = Buffer.byteLength(clean) <= storedAnswerBytes ? clean : firstBytes(clean);
  return short.replaceAll('\0', '\uFFFD').toWellFormed();
}

function firstBytes(body: string): string {
  // A character cut in two is left out.
  return Buffer.from(body.slice(0, storedAnswerBytes))
    .subarray(0, storedAnswerBytes)
    .toString()
    .replace(/\uFFFD$/u, '');
}

import type { Dispatcher } from 'undici';
import { redactText } from '../../logger.ts';

// This leaves room for the longest text that a method takes (32,768 characters), each written as an
// escape.
const mostAnswerBytes = 256 * 1024;
const storedAnswerBytes = 512;

export interface DeliveryOutcome {
  /** 0 when there was no answer. */
  status: number;
  /** The reason why there was no answer. */
  failure: unknown;
  retryAfter: unknown;
  /** The whole answer, up to the size limit. */
  body: string;
}

/**
 * Handles one request for undici without a separate stream, timer and abort signal, which are most
 * of what a request otherwise costs. `finished` is called exactly once.
 */
export class Delivery<Job> implements Dispatcher.DispatchHandler {
  readonly job: Job;
  /** The start by the monotonic clock. */
  readonly startedAt: number;
  /** The index in the list of those in flight. */
  index = -1;
  /** The answer was read completely, so the connection is free. */
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
   * Ends the request from our side and closes the connection, as the answer may still come.
   * `undecided` means that the backend is not to blame: a partial answer then counts as none,
   * because the missing part may hold a call.
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
    // Once the status has arrived, the backend has decided; a truncated body does not change that.
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

/** Returns the first bytes of an answer, in text that every database accepts. */
export function storedAnswer(body: string): string {
  if (body === '') return '';
  // Many servers echo the requested address, which holds the token.
  const clean = redactText(body.slice(0, storedAnswerBytes * 2));
  const short = Buffer.byteLength(clean) <= storedAnswerBytes ? clean : firstBytes(clean);
  return short.replaceAll('\0', '\uFFFD').toWellFormed();
}

function firstBytes(body: string): string {
  // The regex removes a character that was cut in two.
  return Buffer.from(body.slice(0, storedAnswerBytes))
    .subarray(0, storedAnswerBytes)
    .toString()
    .replace(/\uFFFD$/u, '');
}

import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../clock.ts';
import { type Caller, maySeeBot } from '../../../core/access/access.ts';
import { areaOfEvent, hasRight } from '../../../core/access/rights.ts';
import { mayReadChat } from '../../../core/access/chat-limits.ts';
import type { EventBus, RelayEvent } from '../../../core/ports.ts';
import type { LiveMetricsReader } from '../../../core/stats/live-metrics.ts';
import type { Gate } from '../../auth.ts';
import { bucketView } from '../stats/live-metrics.ts';

interface EventStreamDeps {
  events: EventBus;
  clock: Clock;
  gate: Gate;
  /** Without it, no live metrics are sent. */
  liveMetrics?: LiveMetricsReader;
  /** Returns the text of an event without its number. */
  textOf(event: RelayEvent): string;
}

export const heartbeatMs = 15_000;
/** Comments keep proxies from closing the stream; browsers show only events to their page. */
const comment = { everyMs: heartbeatMs, text: ': still here\n\n' };
const heartbeat = { everyMs: 2_000, text: 'event: heartbeat\ndata: {}\n\n' };
// A client that lost its key or a bot receives no more events after this time.
const trustMs = 1_000;
const hears = { area: 'account', scope: 'read' } as const;

const maxHeld = 10_000;
// A client that does not read is disconnected before its buffer exceeds this size; it may
// reconnect.
const maxUnreadBytes = 1_048_576;
// Data that a page read before it connected may be a little older than the first event, so recent
// events are repeated.
const replaySeconds = 10;

/** A role hears only of its areas, and a key that is limited to chats only of those. */
function maySee(caller: Caller, { botId, data, type }: RelayEvent): boolean {
  if (!maySeeBot(caller, botId)) return false;
  if (!hasRight(caller, { area: areaOfEvent[type], scope: 'read' })) return false;
  const { chat_id: chatId } = data as { chat_id?: unknown };
  return caller.chats === undefined || (typeof chatId === 'number' && mayReadChat(caller, chatId));
}

function rightsText({ botIds, chats, role, scope }: Caller): string {
  return JSON.stringify([role, scope, botIds, chats]);
}

/** Sends a client the events that it may see, for as long as it may see them. */
export class EventStream {
  readonly #deps: EventStreamDeps;
  readonly #request: FastifyRequest;
  readonly #stream: ServerResponse;
  readonly #end = Promise.withResolvers<void>();
  #seenAs: Caller;
  #checkedAt: number;
  /** Events that occur while the caller's permissions are being checked. */
  #held: RelayEvent[] = [];
  #nextId = 1;
  #sentUntil: number;
  #cancelHeartbeat = () => {};

  constructor(
    deps: EventStreamDeps,
    caller: Caller,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#stream = reply.raw;
    this.#seenAs = caller;
    this.#checkedAt = deps.clock.monotonic();
    this.#sentUntil = deps.clock.now() / 1_000 - replaySeconds;
    reply.hijack();
  }

  /** Resolves when the client is gone or may hear no more. */
  async run(
    signal: AbortSignal,
    asked: { live_metrics?: boolean; heartbeats?: boolean },
  ): Promise<void> {
    const { events, liveMetrics } = this.#deps;
    const stream = this.#stream;
    const { promise, resolve: end } = this.#end;
    stream.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': this.#request.id,
    });
    stream.write('retry: 2000\n\n');
    const unsubscribe = events.subscribe((event) => this.#send(event, signal));
    const unsubscribeLiveMetrics = asked.live_metrics
      ? liveMetrics?.onBucket(() => void this.#sendBucket(signal))
      : undefined;
    this.#planHeartbeat(signal, asked.heartbeats ? heartbeat : comment);
    signal.addEventListener('abort', () => end(), { once: true });
    stream.once('close', () => end());
    await promise;
    this.#cancelHeartbeat();
    unsubscribe();
    unsubscribeLiveMetrics?.();
    stream.end();
  }

  #send(event: RelayEvent, signal: AbortSignal): void {
    if (!maySee(this.#seenAs, event)) return;
    if (this.#held.length === 0 && this.#isTrusted()) {
      this.#write(event);
      return;
    }
    this.#held.push(event);
    if (this.#held.length === 1) void this.#sendHeld(signal);
    else if (this.#held.length > maxHeld) this.#stream.destroy();
  }

  async #sendHeld(signal: AbortSignal): Promise<void> {
    if (!(await this.#mayStillHear(signal))) return;
    const events = this.#held;
    this.#held = [];
    for (const event of events) if (maySee(this.#seenAs, event)) this.#write(event);
  }

  #write(event: RelayEvent): void {
    this.#stream.write(`id: ${this.#nextId++}\n${this.#deps.textOf(event)}`);
    this.#letGoUnread();
  }

  #isTrusted(): boolean {
    return this.#deps.clock.monotonic() - this.#checkedAt < trustMs;
  }

  async #sendBucket(signal: AbortSignal): Promise<void> {
    if (!this.#isTrusted() && !(await this.#mayStillHear(signal))) return;
    const { liveMetrics } = this.#deps;
    for (const bucket of liveMetrics?.buckets(this.#seenAs.botIds, this.#sentUntil) ?? []) {
      this.#sentUntil = bucket.at;
      this.#stream.write(`event: live_metrics\ndata: ${JSON.stringify(bucketView(bucket))}\n\n`);
    }
    this.#letGoUnread();
  }

  /** Destroys the stream, because a graceful end would wait until the client has read everything. */
  #letGoUnread(): void {
    if (this.#stream.writableLength > maxUnreadBytes) this.#stream.destroy();
  }

  /** False once the key or user was revoked or has other rights: a client connects again with these. */
  async #mayStillHear(signal: AbortSignal): Promise<boolean> {
    const { clock, gate } = this.#deps;
    const known = await gate.admitAgain(this.#request, hears).catch(() => undefined);
    if (signal.aborted) return false;
    if (!known || rightsText(known) !== rightsText(this.#seenAs)) {
      this.#end.resolve();
      return false;
    }
    this.#seenAs = known;
    this.#checkedAt = clock.monotonic();
    return true;
  }

  #planHeartbeat(signal: AbortSignal, beat: typeof comment): void {
    this.#cancelHeartbeat = this.#deps.clock.after(beat.everyMs, () => {
      void this.#sendHeartbeat(signal, beat);
    });
  }

  async #sendHeartbeat(signal: AbortSignal, beat: typeof comment): Promise<void> {
    if (!(await this.#mayStillHear(signal))) return;
    this.#stream.write(beat.text);
    this.#planHeartbeat(signal, beat);
  }
}

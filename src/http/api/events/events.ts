import { reason } from '../../../core/reasons/reason.ts';
import { Type } from 'typebox';
import type { Clock } from '../../../clock.ts';
import { type Caller, maySeeBot } from '../../../core/access/access.ts';
import type { EventBus, RelayEvent } from '../../../core/ports.ts';
import type { LiveMetricsReader } from '../../../core/stats/live-metrics.ts';
import { RelayError } from '../../../errors.ts';
import type { Gate } from '../../auth.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { Query } from '../../schemas.ts';
import { bucketView } from '../stats/live-metrics.ts';

const heartbeatMs = 15_000;
// A client that lost its key or a bot receives no more events after this time.
const trustMs = 1_000;
const maxHeld = 10_000;
// A client that does not read is disconnected before its buffer exceeds this size; it may
// reconnect.
const maxUnreadBytes = 1_048_576;
// Every event is written once per stream. Nobody has this many pages open.
const maxStreams = 100;
// The limit for all keys and users together: this many streams take half a core at a hundred
// updates a second.
const maxStreamsInAll = 500;
// The last hundred streams are reserved for callers with few, so that nobody can lock the others
// out.
const maxSharedStreams = 400;
const fewStreams = 5;
// Data that a page read before it connected may be a little older than the first event, so recent
// events are repeated.
const replaySeconds = 10;

export function eventEndpoints(deps: {
  events: EventBus;
  clock: Clock;
  gate: Gate;
  /** Without it, no live metrics are sent. */
  liveMetrics?: LiveMetricsReader;
}): Endpoint[] {
  /** Open streams per key or user. */
  const streams = new Map<string, number>();
  let streamsInAll = 0;
  /** Every stream that may see an event gets the same text, after its own number. */
  const texts = new WeakMap<RelayEvent, string>();

  function textOf(event: RelayEvent): string {
    const known = texts.get(event);
    if (known !== undefined) return known;
    const data = JSON.stringify({ bot_id: event.botId, ...event.data });
    const text = `event: ${event.type}\ndata: ${data}\n\n`;
    texts.set(event, text);
    return text;
  }

  /** Counts one more stream; returns a function that removes it. */
  function admit({ kind, id }: Caller): () => void {
    const who = `${kind} ${id}`;
    const open = streams.get(who) ?? 0;
    const most = open < fewStreams ? maxStreamsInAll : maxSharedStreams;
    if (open >= maxStreams || streamsInAll >= most) {
      const why =
        open >= maxStreams
          ? reason('too_many_streams', { most: maxStreams })
          : reason('too_many_streams_in_all', { most });
      throw new RelayError('rate_limited', why, { retryAfterSeconds: heartbeatMs / 1_000 });
    }
    streams.set(who, open + 1);
    streamsInAll += 1;
    return () => {
      streamsInAll -= 1;
      const left = (streams.get(who) ?? 1) - 1;
      if (left > 0) streams.set(who, left);
      else streams.delete(who);
    };
  }

  return [
    endpoint({
      method: 'GET',
      path: '/api/events',
      scope: 'read',
      tag: 'Events',
      summary: 'Stream live events',
      description:
        'Server-sent events, limited to what the key may see: `message`, `bot`, `delivery`, `route`, `chat`, and `alert.opened`, `alert.changed`, `alert.resolved`. With `live_metrics=true` also `live_metrics`: every two seconds a time bucket as in `GET /api/live-metrics`. A comment line follows every 15 seconds. A key or user can have 100 streams open, all together 500 on a node; one more gets 429. From 400 on, so does a key or user that has 5. Missed events are not repeated: after a reconnect, read the lists again.',
      query: Query({
        live_metrics: Type.Optional(
          Type.Boolean({ default: false, description: 'Also send live metrics.' }),
        ),
      }),
      produces: 'text/event-stream',
      response: Type.String({
        examples: ['event: message\ndata: {"bot_id":1,"chat_id":5,"id":42}\n\n'],
      }),
      async handler({ caller, query, raw, signal }) {
        const { request, reply } = raw;
        const leave = admit(caller);
        let seenAs: Caller = caller;
        let checkedAt = deps.clock.monotonic();
        /** Events that occur while the caller's permissions are being checked. */
        let held: RelayEvent[] = [];
        let nextId = 1;
        let sentUntil = deps.clock.now() / 1_000 - replaySeconds;
        const { promise, resolve: end } = Promise.withResolvers<void>();
        reply.hijack();
        const stream = reply.raw;
        stream.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
          'x-content-type-options': 'nosniff',
          'x-request-id': request.id,
        });
        stream.write('retry: 2000\n\n');

        function send(event: RelayEvent): void {
          if (!maySeeBot(seenAs, event.botId)) return;
          if (held.length === 0 && deps.clock.monotonic() - checkedAt < trustMs) {
            write(event);
            return;
          }
          held.push(event);
          if (held.length === 1) void sendHeld();
          else if (held.length > maxHeld) stream.destroy();
        }

        async function sendHeld(): Promise<void> {
          if (!(await mayStillHear())) return;
          const events = held;
          held = [];
          for (const event of events) if (maySeeBot(seenAs, event.botId)) write(event);
        }

        function write(event: RelayEvent): void {
          stream.write(`id: ${nextId++}\n${textOf(event)}`);
          letGoUnread();
        }

        function sendBucket(): void {
          for (const bucket of deps.liveMetrics?.buckets(seenAs.botIds, sentUntil) ?? []) {
            sentUntil = bucket.at;
            stream.write(`event: live_metrics\ndata: ${JSON.stringify(bucketView(bucket))}\n\n`);
          }
          letGoUnread();
        }

        /** Destroys the stream, because a graceful end would wait until the client has read everything. */
        function letGoUnread(): void {
          if (stream.writableLength > maxUnreadBytes) stream.destroy();
        }

        /** False once the key was revoked or restricted. */
        async function mayStillHear(): Promise<boolean> {
          const known = await deps.gate.admitAgain(request, 'read').catch(() => undefined);
          if (signal.aborted) return false;
          if (!known) {
            end();
            return false;
          }
          seenAs = known;
          checkedAt = deps.clock.monotonic();
          return true;
        }

        async function sendHeartbeat(): Promise<void> {
          if (!(await mayStillHear())) return;
          stream.write(': still here\n\n');
          cancelHeartbeat = deps.clock.after(heartbeatMs, () => void sendHeartbeat());
        }

        const unsubscribe = deps.events.subscribe(send);
        const unsubscribeLiveMetrics = query.live_metrics
          ? deps.liveMetrics?.onBucket(sendBucket)
          : undefined;
        let cancelHeartbeat = deps.clock.after(heartbeatMs, () => void sendHeartbeat());
        signal.addEventListener('abort', () => end(), { once: true });
        stream.once('close', () => end());
        await promise;
        leave();
        cancelHeartbeat();
        unsubscribe();
        unsubscribeLiveMetrics?.();
        stream.end();
        return '';
      },
    }),
  ];
}

import { reason } from '../../../core/reasons/reason.ts';
import { Type } from 'typebox';
import type { Clock } from '../../../clock.ts';
import type { Caller } from '../../../core/access/access.ts';
import type { EventBus, RelayEvent } from '../../../core/ports.ts';
import type { LiveMetricsReader } from '../../../core/stats/live-metrics.ts';
import { requireChats } from '../../../core/access/chat-limits.ts';
import { requireRight } from '../../../core/access/rights.ts';
import { RelayError } from '../../../errors.ts';
import type { Gate } from '../../auth.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { Optional, Query } from '../../schemas.ts';
import { EventStream, heartbeatMs } from './event-stream.ts';

// Every event is written once per stream. Nobody has this many pages open.
const maxStreams = 100;
// The limit for all keys and users together: this many streams take half a core at a hundred
// updates a second.
const maxStreamsInAll = 500;
// The last hundred streams are reserved for callers with few, so that nobody can lock the others
// out.
const maxSharedStreams = 400;
const fewStreams = 5;
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
    get('Events', '/api/events', {
      scope: 'read',
      chats: 'filtered',
      summary: 'Stream live events',
      description:
        'Server-sent events, limited to what the key or role may see: `message`, `bot`, `delivery`, `route`, `chat`, `chat.writing`, `question`, and `alert.opened`, `alert.changed`, `alert.resolved`. With `live_metrics=true` also `live_metrics`: every two seconds a time bucket as in `GET /api/live-metrics`. A comment line follows every 15 seconds. A key or user can have 100 streams open, all together 500 on a node; one more gets 429. From 400 on, so does a key or user that has 5. Missed events are not repeated: after a reconnect, read the lists again.',
      query: Query({
        live_metrics: Optional.Flag('Also send live metrics.', undefined, { default: false }),
        heartbeats: Optional.Flag(
          'Also send `heartbeat` every two seconds, so that a lost connection shows.',
          undefined,
          { default: false },
        ),
      }),
      produces: 'text/event-stream',
      response: Type.String({
        examples: ['event: message\ndata: {"bot_id":1,"chat_id":5,"id":42}\n\n'],
      }),
      async handler({ caller, query, raw, signal }) {
        if (query.live_metrics) {
          requireRight(caller, { area: 'bots', scope: 'read' });
          requireChats(caller, 'refused', undefined);
        }
        const leave = admit(caller);
        const stream = new EventStream({ ...deps, textOf }, caller, raw);
        await stream.run(signal, query);
        leave();
        return '';
      },
    }),
  ];
}

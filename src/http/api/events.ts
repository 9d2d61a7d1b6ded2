import { Type } from 'typebox';
import type { Clock } from '../../clock.ts';
import { type Caller, hasScope, maySeeBot } from '../../core/access.ts';
import type { EventBus, RelayEvent } from '../../core/ports.ts';
import type { Gate } from '../auth.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';

const heartbeatMs = 15_000;
// A listener that does not read is let go rather than remembered without bound; it may come back.
const mostUnreadBytes = 1_048_576;

export function eventEndpoints(deps: { events: EventBus; clock: Clock; gate: Gate }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/events',
      scope: 'read',
      tag: 'Events',
      summary: 'What happens, as it happens',
      description:
        'Server-sent events, limited to what the key may see: `message`, `bot`, `delivery`, `route`, `chat`. A comment line comes every 15 s. Nothing is repeated after a pause: read the lists again when you come back.',
      produces: 'text/event-stream',
      response: Type.String({
        examples: ['event: message\ndata: {"bot_id":1,"chat_id":5,"id":42}\n\n'],
      }),
      async handler({ caller, raw, signal }) {
        const { request, reply } = raw;
        let seenAs: Caller = caller;
        let nextId = 1;
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

        function tell(event: RelayEvent): void {
          if (!maySeeBot(seenAs, event.botId)) return;
          const data = JSON.stringify({ bot_id: event.botId, ...event.data });
          stream.write(`id: ${nextId++}\nevent: ${event.type}\ndata: ${data}\n\n`);
          if (stream.writableLength > mostUnreadBytes) end();
        }

        /** A key that was revoked or narrowed since is noticed here. */
        async function beat(): Promise<void> {
          const identity = await deps.gate.identify(request).catch(() => undefined);
          if (signal.aborted) return;
          if (!identity || !hasScope(identity.caller, 'read')) {
            end();
            return;
          }
          seenAs = identity.caller;
          stream.write(': still here\n\n');
          cancelBeat = deps.clock.after(heartbeatMs, () => void beat());
        }

        const unsubscribe = deps.events.subscribe(tell);
        let cancelBeat = deps.clock.after(heartbeatMs, () => void beat());
        signal.addEventListener('abort', () => end(), { once: true });
        stream.once('close', () => end());
        await promise;
        cancelBeat();
        unsubscribe();
        stream.end();
        return '';
      },
    }),
  ];
}

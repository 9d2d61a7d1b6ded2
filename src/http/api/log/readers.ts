import type { ReaderService, ReaderView } from '../../../relay/log/reader-service.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { consumerPattern, Readers, RemovedConsumer, RewindBody, Rewound } from './reader-schema.ts';
import { Id, Query, Text } from '../../schemas.ts';

export function readerEndpoints({ service }: { service: ReaderService }): Endpoint[] {
  return [
    get('Updates', '/api/bots/readers', {
      scope: 'read',
      chats: 'refused',
      summary: 'List readers',
      description:
        'The readers of the update log: routing, export, and those of each app: delivery to its backend, or its polls. Each has its own position.',
      query: Query({ bot_id: Id('Bot ID.') }),
      response: Readers,
      errors: ['bot_not_found', 'bot_not_allowed'],
      async handler({ caller, query: { bot_id } }) {
        const { logStart, logEnd, readers } = await service.list(caller, bot_id);
        return { bot_id, log_start: logStart, log_end: logEnd, readers: readers.map(readerView) };
      },
    }),
    post('Updates', '/api/bots/readers/rewind', {
      audit: {},
      scope: 'manage',
      summary: 'Move a reader',
      description:
        'Moves back to read updates again, or forward to skip them. Set one of `position`, `since`, `to`. It takes effect at once on every node: a waiting poll returns empty, and the next `offset` of its client confirms nothing. `push` delivers again in the order of each chat, including dead letters after the new position; retries before it stay. `routing` only decides about updates it has not decided about: a route acts once per update.',
      body: RewindBody,
      response: Rewound,
      errors: ['bot_not_found', 'bot_not_allowed', 'not_found'],
      async handler({ caller, body }) {
        const outcome = await service.rewind(caller, body);
        return {
          bot_id: body.bot_id,
          reader: body.reader,
          position: outcome.position,
          previous_position: outcome.previousPosition,
          read_again: outcome.readAgain,
          skipped: outcome.skipped,
        };
      },
    }),
    post('Updates', '/api/bots/readers/remove', {
      audit: { removes: true },
      scope: 'manage',
      summary: 'Remove a named consumer',
      description:
        'Removes the app of that name with it. An app with a token is refused with 409: delete it with POST /api/bots/apps/delete. A waiting poll of this consumer ends with 409. Polling with the same name creates it at the end of the log.',
      query: Query({
        bot_id: Id('Bot ID.'),
        consumer: Text('The name of the consumer.', 'analytics', { pattern: consumerPattern }),
      }),
      response: RemovedConsumer,
      errors: ['bot_not_found', 'bot_not_allowed', 'not_found', 'conflict'],
      async handler({ caller, query: { bot_id, consumer } }) {
        return { bot_id, consumer, position: await service.remove(caller, bot_id, consumer) };
      },
    }),
  ];
}

function readerView(view: ReaderView) {
  return {
    reader: view.reader,
    kind: view.kind,
    name: view.name,
    app: view.app,
    removable: view.isRemovable,
    position: view.position,
    behind: view.behind,
    in_retry: view.inRetry,
    oldest_waiting_seconds: view.oldestWaitingSeconds,
    dropped: view.dropped,
    last_moved_at: new Date(view.lastMovedAt).toISOString(),
    active: view.isActive,
    waiting: view.isWaiting,
    failure: view.failure,
  };
}

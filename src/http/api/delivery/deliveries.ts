import { isoTime } from '../../../core/iso-time.ts';
import { readerApp } from '../../../core/log/reader-kinds.ts';
import { Type } from 'typebox';
import type { DeliveryService } from '../../../relay/delivery/delivery-service.ts';
import type { QueuesView } from '../../../relay/delivery/queues-view.ts';
import { attemptView } from './attempt-view.ts';
import { deliveredUpdateEndpoints } from './delivered-updates.ts';
import { type Endpoint, type Listed, get, post } from '../../endpoint.ts';
import {
  DeliveryAttempt,
  Backend,
  BackendCheckResult,
  DeadLetter,
  DiscardBody,
  LoggedUpdate,
  OfApp,
  DeliveryQueues,
  ReplayBody,
} from './delivery-schema.ts';
import { Id, Integer, largestId, Optional, Query } from '../../schemas.ts';

const limit = (byDefault: number, most: number) =>
  Optional.Integer(`How many to return, at most ${most}.`, undefined, {
    minimum: 1,
    maximum: most,
    default: byDefault,
  });
const beforeId = Optional.Id('Only entries older than this ID, for paging.');
const ofBot = Optional.Id('Only this bot. Default: all bots the key may see.');

export function deliveryEndpoints({ service }: { service: DeliveryService }): Endpoint[] {
  return [...looking(service), ...deliveredUpdateEndpoints(service), ...acting(service)];
}

function looking(service: DeliveryService): Endpoint[] {
  return [
    get('Deliveries', '/api/backends', {
      scope: 'read',
      chats: 'refused',
      summary: 'List backends',
      description:
        'The backends that updates are forwarded to, of bots and of apps in mode `webhook`, with their state. Disabled bots and apps have none.',
      query: Query({ bot_id: ofBot }),
      response: Type.Array(Backend),
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: async ({ caller, query }) =>
        (await service.backends(caller, query.bot_id)).map(backendView),
    }),
    get('Deliveries', '/api/deliveries', {
      scope: 'read',
      chats: 'refused',
      summary: 'List delivery attempts',
      query: Query({
        bot_id: ofBot,
        app: OfApp,
        status: Optional.Choice(['delivered', 'failed'], {
          description: 'Only attempts with this result.',
        }),
        before_id: beforeId,
        limit: limit(50, 200),
      }),
      response: Type.Array(DeliveryAttempt),
      errors: ['bot_not_found', 'bot_not_allowed', 'app_not_found'],
      handler: async ({ caller, query }) =>
        (await service.attempts(caller, { ...query, limit: query.limit ?? 50 })).map(attemptView),
    }),
    get('Deliveries', '/api/deliveries/dead', {
      scope: 'read',
      chats: 'refused',
      summary: 'List dead letters',
      query: Query({ bot_id: ofBot, app: OfApp, before_id: beforeId, limit: limit(50, 200) }),
      response: Type.Array(DeadLetter),
      errors: ['bot_not_found', 'bot_not_allowed', 'app_not_found'],
      handler: async ({ caller, query }) =>
        (await service.deadLetters(caller, { ...query, limit: query.limit ?? 50 })).map(letterView),
    }),
    get('Deliveries', '/api/deliveries/queues', {
      scope: 'read',
      chats: 'refused',
      summary: 'Get the delivery state of a bot',
      query: Query({ bot_id: Id('Bot ID.'), app: OfApp }),
      response: DeliveryQueues,
      errors: ['bot_not_found', 'bot_not_allowed', 'app_not_found'],
      handler: async ({ caller, query }) =>
        queuesView(query.bot_id, await service.queues(caller, query.bot_id, query.app)),
    }),
    get('Updates', '/api/updates/log', {
      scope: 'read',
      chats: 'refused',
      summary: 'List logged updates',
      description:
        'Newest first; use `before` for the next page. With `after`, oldest first from that position.',
      query: Query({
        bot_id: Id('Bot ID.'),
        after: Optional.Integer('Only above this position, oldest first.', undefined, {
          minimum: 0,
          maximum: largestId,
        }),
        before: Optional.Integer('Only below this position.', undefined, {
          minimum: 1,
          maximum: largestId,
        }),
        kind: Optional.Text('Only this update type.', 'callback_query', {
          minLength: 1,
          maxLength: 64,
        }),
        limit: limit(50, 200),
      }),
      response: Type.Array(LoggedUpdate),
      errors: ['bot_not_found', 'bot_not_allowed'],
      async handler({ caller, query: { bot_id, limit: most = 50, ...filter } }) {
        const entries = await service.browse(caller, bot_id, { ...filter, limit: most });
        return entries.map(({ position, updateId, kind, queue, receivedAt, raw }) => ({
          position,
          update_id: updateId,
          kind,
          queue,
          received_at: isoTime(receivedAt),
          raw,
        }));
      },
    }),
  ];
}

function acting(service: DeliveryService): Endpoint[] {
  return [
    post('Deliveries', '/api/deliveries/replay', {
      audit: {},
      scope: 'manage',
      summary: 'Replay updates',
      description:
        'Delivers dead letters, a range of the log or what matches a filter again. Set exactly one of `ids`, `all_dead`, `from_position`, `matching`. Updates are delivered in the order of their chat, with the header `x-bot-relay-replay`. A delivered dead letter is removed.',
      body: ReplayBody,
      response: Type.Object({
        queued: Integer('Number of queued updates.'),
        next: Integer(
          'With `matching`: the `cursor` to continue with, as a request looks at a part of the log; 0 when all is done.',
          0,
        ),
      }),
      errors: ['bot_not_found', 'bot_not_allowed', 'app_not_found', 'delivery_not_found'],
      handler: ({ caller, body }) => service.replay(caller, body),
    }),
    post('Deliveries', '/api/deliveries/discard', {
      audit: {},
      scope: 'manage',
      summary: 'Discard dead letters',
      body: DiscardBody,
      response: Type.Object({
        discarded: Integer('Number of discarded dead letters.'),
      }),
      errors: ['bot_not_found', 'bot_not_allowed', 'app_not_found', 'delivery_not_found'],
      handler: async ({ caller, body }) => ({ discarded: await service.discard(caller, body) }),
    }),
    post('Deliveries', '/api/deliveries/retry-now', {
      audit: {},
      scope: 'manage',
      summary: 'Retry deliveries now',
      query: Query({
        bot_id: Id('Bot ID.'),
        app: OfApp,
        queue: Optional.Text('Only this queue. Default: all.', 'c-1001234567890', {
          minLength: 1,
          maxLength: 64,
        }),
      }),
      response: Type.Object({ queues: Integer('Number of retried queues.') }),
      errors: ['bot_not_found', 'bot_not_allowed', 'app_not_found', 'delivery_not_found'],
      handler: async ({ caller, query }) => ({
        queues: await service.retryNow(caller, query.bot_id, query.queue, query.app),
      }),
    }),
    post('Bots', '/api/bots/check-backend', {
      audit: 'none',
      scope: 'manage',
      summary: 'Check the backend of a bot',
      description:
        'Sends a HEAD request, which changes nothing; any response counts as reachable. With `deliver=true` it also sends a test update that contains only `update_id` 0, with the secret and signature of a real one; the backend must answer 2xx.',
      query: Query({
        id: Id('Bot ID.'),
        app: OfApp,
        deliver: Optional.Flag('Also send a test update.', undefined, { default: false }),
      }),
      response: BackendCheckResult,
      errors: ['bot_not_found', 'bot_not_allowed', 'app_not_found', 'conflict'],
      handler: ({ caller, query }) =>
        service.check(caller, query.id, query.deliver ?? false, query.app),
    }),
  ];
}

function backendView(backend: Listed<DeliveryService['backends']>) {
  return {
    bot_id: backend.botId,
    app: backend.app,
    backend_status: backend.backendStatus,
    backend_error: backend.backendError,
    backend_error_detail: backend.backendErrorDetail,
    backend_seen_at: isoTime(backend.backendSeenAt),
    pending_updates: backend.pendingUpdates,
  };
}

function letterView(letter: Listed<DeliveryService['deadLetters']>) {
  const { received_at, died_at, reader, replayed_at, ...rest } = letter;
  return {
    ...rest,
    app: readerApp(reader),
    received_at: isoTime(received_at),
    died_at: isoTime(died_at),
    replayed_at: isoTime(replayed_at),
  };
}

function queuesView(botId: number, view: QueuesView) {
  return {
    bot_id: botId,
    last_position: view.lastPosition,
    trimmed_to: view.trimmedTo,
    backend_status: view.backendStatus,
    pending_updates: view.pendingUpdates,
    dead_letters: view.deadLetters,
    readers: view.readers.map(({ name, position, lag, updatedAt }) => ({
      name,
      position,
      lag,
      updated_at: isoTime(updatedAt),
    })),
    queues: view.queueCount,
    retry_queues: view.retryQueues.map((queue) => ({
      queue: queue.queue,
      waiting: queue.waiting,
      first_position: queue.firstPosition,
      attempts: queue.attempts,
      first_failed_at: isoTime(queue.firstFailedAt),
      next_attempt_at: isoTime(queue.nextAttemptAt),
      due: queue.due,
      reason: queue.lastError,
      reason_detail: queue.lastErrorDetail,
    })),
  };
}

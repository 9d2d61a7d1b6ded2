import { Type } from 'typebox';
import { isoTime } from '../../../core/iso-time.ts';
import type { DeliveredUpdate } from '../../../relay/delivery/find-updates.ts';
import type { DeliveryService } from '../../../relay/delivery/delivery-service.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { Id, Optional, Query } from '../../schemas.ts';
import { attemptView } from './attempt-view.ts';
import {
  DeliveredUpdateDetail,
  DeliveredUpdates,
  DeliveryState,
} from './delivered-update-schema.ts';
import { Cursor, OfApp, updateFilter } from './delivery-schema.ts';

const textLength = 200;

export function deliveredUpdateEndpoints(service: DeliveryService): Endpoint[] {
  const errors = ['bot_not_found', 'bot_not_allowed', 'app_not_found'] as const;
  return [
    get('Deliveries', '/api/deliveries/updates', {
      scope: 'read',
      chats: 'refused',
      summary: 'List updates with their deliveries',
      description:
        'One row for each update that the backend gets, with its person, its first words, its state and its last attempt.',
      query: Query({
        bot_id: Id('Bot ID.'),
        app: OfApp,
        ...updateFilter,
        state: Type.Optional(DeliveryState),
        order: Optional.Choice(['newest', 'oldest'], {
          default: 'newest',
          description: 'Which come first.',
        }),
        cursor: Cursor,
        limit: Optional.Integer('How many to return, at most 200.', undefined, {
          minimum: 1,
          maximum: 200,
          default: 50,
        }),
      }),
      response: DeliveredUpdates,
      responseName: 'DeliveredUpdatePage',
      errors,
      async handler({ caller, query }) {
        const { found, next, reachedAt } = await service.updates(caller, query);
        return { updates: found.map(updateView), next, reached_at: isoTime(reachedAt) };
      },
    }),
    get('Deliveries', '/api/deliveries/update', {
      scope: 'read',
      chats: 'refused',
      summary: 'Get an update with its attempts',
      query: Query({
        bot_id: Id('Bot ID.'),
        app: OfApp,
        position: Id('Position of the update in the log.'),
      }),
      response: DeliveredUpdateDetail,
      responseName: 'WholeDeliveredUpdate',
      errors: [...errors, 'delivery_not_found'],
      async handler({ caller, query }) {
        const update = await service.update(caller, query);
        return {
          ...updateView(update),
          raw: update.entry.raw,
          url: update.url,
          attempts: update.attempts.map((attempt) => attemptView(attempt)),
        };
      },
    }),
  ];
}

function updateView({ entry, gist, last, retry, deadLetter, state, tries }: DeliveredUpdate) {
  return {
    position: entry.position,
    update_id: entry.updateId,
    kind: entry.kind,
    queue: entry.queue,
    received_at: isoTime(entry.receivedAt),
    user_id: gist.userId,
    person: gist.person,
    username: gist.username,
    chat_id: gist.chatId,
    chat_title: gist.chatTitle,
    message_id: gist.messageId,
    text: gist.text.slice(0, textLength).toWellFormed(),
    state,
    tries,
    last_attempt_at: isoTime(last?.started_at ?? 0),
    duration_ms: last?.duration_ms ?? 0,
    status: last?.status ?? 0,
    error: last?.error ?? '',
    error_detail: last?.error_detail ?? null,
    response: firstLine(last?.answer ?? ''),
    next_attempt_at: isoTime(retry && state === 'retrying' ? retry.nextAttemptAt : 0),
    dead_letter_id: deadLetter?.id ?? 0,
  };
}

const firstLine = (answer: string) => answer.trimStart().split(/[\r\n]/, 1)[0] ?? '';

import type { ErrorCode } from '../../../errors.ts';
import type { Static } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { MessageActions } from '../../../manage/messages/message-actions.ts';
import { type Endpoint, post } from '../../endpoint.ts';
import { ChatKeyQuery } from '../people/chat-schema.ts';
import { Message } from './message-schema.ts';
import { ActionAnswer, ActionQuery, EditBody, PinQuery } from './message-action-schema.ts';

export const actionErrors: readonly ErrorCode[] = [
  'bot_not_found',
  'bot_not_allowed',
  'management_disabled',
  'bot_disabled',
  'platform_refused',
  'platform_rate_limited',
  'platform_unreachable',
  'platform_timeout',
];

export function messageActionEndpoints({ actions }: { actions: MessageActions }): Endpoint[] {
  const common = {
    scope: 'manage',
    errors: actionErrors,
  } as const;
  return [
    post('Messages', '/api/messages/pin', {
      ...common,
      audit: { before: stateOf.message },
      summary: 'Pin a message',
      query: PinQuery,
      response: ActionAnswer,
      handler: async ({ caller, query: { notify = false, ...target } }) =>
        done(await actions.pin(caller, target, notify)),
    }),
    post('Messages', '/api/messages/unpin', {
      ...common,
      audit: { before: stateOf.message },
      summary: 'Unpin a message',
      query: ActionQuery,
      response: ActionAnswer,
      handler: async ({ caller, query }) => done(await actions.unpin(caller, query)),
    }),
    post('Messages', '/api/messages/unpin-all', {
      ...common,
      audit: {},
      summary: 'Unpin all messages',
      query: ChatKeyQuery,
      response: ActionAnswer,
      async handler({ caller, query }) {
        await actions.unpinAll(caller, query);
        return done(undefined);
      },
    }),
    post('Messages', '/api/messages/delete', {
      ...common,
      audit: { before: stateOf.message },
      summary: 'Delete a message',
      description:
        'Deletes it in Telegram. The stored message stays and gets `deleted_at`. Telegram lets bots delete most messages only for 48 hours.',
      query: ActionQuery,
      response: ActionAnswer,
      handler: async ({ caller, query }) => done(await actions.delete(caller, query)),
    }),
    post('Messages', '/api/messages/edit', {
      ...common,
      audit: { before: stateOf.message },
      summary: 'Edit a message',
      description:
        'Changes the text, or the caption of media, of a message that the bot sent. The previous text stays in its edits. Without `reply_markup`, Telegram removes the buttons.',
      query: ActionQuery,
      body: EditBody,
      response: Message,
      handler: ({ caller, query, body }) => actions.edit(caller, query, body),
    }),
  ];
}

function done(message: Static<typeof Message> | undefined) {
  return { ok: true, ...(message ? { message } : {}) };
}

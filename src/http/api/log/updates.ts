import { Type } from 'typebox';
import { requireBot } from '../../../core/access/access.ts';
import type { PollService } from '../../../relay/pull/poll-service.ts';
import type { Gate } from '../../auth.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { consumerPattern } from './reader-schema.ts';
import { Id, largestId, Optional, Query } from '../../schemas.ts';

const PollQuery = Query({
  bot_id: Id('The bot.'),
  offset: Optional.Integer(
    'First update_id to return. All below it are confirmed and not returned again. 0 confirms nothing, -n keeps only the last n.',
    0,
    { minimum: -largestId, maximum: largestId },
  ),
  limit: Optional.Integer('Limit from 1 to 100. Default: 100.'),
  timeout: Optional.Integer('Seconds to wait for an update, from 0 to 50. Default: 0.'),
  consumer: Optional.Text(
    'Name of an app of the bot. Each has its own position, so several apps can each read every update. An unknown name adds an app without a token, which starts with updates after this first poll. Default: the bot itself, as getUpdates without a consumer.',
    'analytics',
    { pattern: consumerPattern },
  ),
  allowed_updates: Optional.Text(
    'JSON list of update kinds. It is stored for this consumer and applies to new updates. An empty list means everything except chat_member, message_reaction and message_reaction_count.',
    '["message","callback_query"]',
  ),
});

export const PollAnswer = Type.Object({
  ok: Type.Literal(true),
  result: Type.Array(
    Type.Object({ update_id: Type.Integer() }, { description: 'The update as it was received.' }),
  ),
});

export interface UpdateEndpointsDeps {
  polls: PollService;
  gate: Gate;
}

export function updateEndpoints({ polls, gate }: UpdateEndpointsDeps): Endpoint[] {
  return [
    get('Updates', '/api/updates/poll', {
      scope: 'send',
      chats: 'refused',
      summary: 'Poll for updates',
      description:
        'Like `getUpdates` of the Bot API gateway, but with an API key. Needs `long_poll_enabled`, except for an app with a token. Updates stay available until you confirm them or the log retention ends. A new waiting poll ends an older one of the same consumer with 409.',
      query: PollQuery,
      response: PollAnswer,
      // The updates are sent as they were received, without serializing them.
      produces: 'application/json',
      errors: [
        'bot_not_found',
        'bot_not_allowed',
        'app_forbidden',
        'bot_disabled',
        'long_poll_disabled',
        'conflict',
      ],
      async handler({ caller, query, signal, raw }) {
        const updates = await polls.poll(caller, {
          botId: query.bot_id,
          consumer: query.consumer ?? '',
          offset: query.offset ?? 0,
          limit: query.limit ?? 100,
          timeoutSeconds: query.timeout ?? 0,
          allowedUpdates: query.allowed_updates,
          signal,
        });
        // A client that lost its key, scope or bot while waiting gets nothing, and nothing is confirmed.
        if ((query.timeout ?? 0) > 0 && updates.length > 0) {
          const right = { area: 'bots', scope: 'send' } as const;
          requireBot(await gate.admitAgain(raw.request, right), query.bot_id);
        }
        raw.reply.header('content-type', 'application/json; charset=utf-8');
        return `{"ok":true,"result":[${updates.join(',')}]}` as never;
      },
    }),
  ];
}

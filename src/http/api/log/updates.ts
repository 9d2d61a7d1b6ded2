import { Type } from 'typebox';
import { requireBot } from '../../../core/access/access.ts';
import type { PollService } from '../../../relay/pull/poll-service.ts';
import type { Gate } from '../../auth.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { consumerPattern } from './reader-schema.ts';
import { Id, largestId, Query } from '../../schemas.ts';

const PollQuery = Query({
  bot_id: Id('The bot whose updates are asked for.'),
  offset: Type.Optional(
    Type.Integer({
      minimum: -largestId,
      maximum: largestId,
      description:
        'The first update_id that is still wanted: all below it are confirmed and do not come again. 0 confirms nothing, -n keeps only the last n.',
      examples: [0],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ description: 'How many at most; taken as 1 to 100, by default 100.' }),
  ),
  timeout: Type.Optional(
    Type.Integer({
      description: 'How many seconds to wait for an update; taken as 0 to 50, by default 0.',
    }),
  ),
  consumer: Type.Optional(
    Type.String({
      pattern: consumerPattern,
      description:
        'Each name has a position of its own, so that several programs can each read every update. A new name starts with what comes after its first poll. Left out, it is the one getUpdates uses.',
      examples: ['analytics'],
    }),
  ),
  allowed_updates: Type.Optional(
    Type.String({
      description:
        'A JSON list of update kinds, remembered for this consumer and applied to what arrives from then on. An empty list is everything but chat_member, message_reaction and message_reaction_count.',
      examples: ['["message","callback_query"]'],
    }),
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
    endpoint({
      method: 'GET',
      path: '/api/updates/poll',
      scope: 'send',
      tag: 'Updates',
      summary: 'Wait for updates of a bot',
      description:
        'The long-poll buffer of a bot with long_poll_enabled: the same as getUpdates at the Bot API gateway, for key holders. Updates are kept until they are confirmed or the retention of the log ends, not for 24 hours. A poll that has to wait ends an older waiting one of the same consumer with 409.',
      query: PollQuery,
      response: PollAnswer,
      // The updates go out as they came in: nothing may serialise them once more.
      produces: 'application/json; charset=utf-8',
      errors: [
        'bot_not_found',
        'bot_not_allowed',
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
          requireBot(await gate.admitAgain(raw.request, 'send'), query.bot_id);
        }
        raw.reply.header('content-type', 'application/json; charset=utf-8');
        return `{"ok":true,"result":[${updates.join(',')}]}` as never;
      },
    }),
  ];
}

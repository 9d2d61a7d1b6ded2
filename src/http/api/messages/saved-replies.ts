import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { SavedReplyService } from '../../../manage/messages/saved-replies.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { Id, Optional, Query } from '../../schemas.ts';
import { AddReplyBody, SavedReply, UpdateReplyBody } from './saved-reply-schema.ts';

const ReplyQuery = Query({ id: Id('Saved reply.') });
const forAllBots = 'Replies for all bots are changed by callers who are not limited to some bots.';

export function savedReplyEndpoints({ replies }: { replies: SavedReplyService }): Endpoint[] {
  return [
    get('Saved replies', '/api/replies', {
      scope: 'read',
      chats: 'none',
      summary: 'List saved replies',
      description: 'Those of the bot and those for all bots, by name.',
      query: Query({
        bot_id: Optional.Id('Only those that this bot may use. Default: all.'),
      }),
      response: Type.Array(SavedReply),
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => replies.list(caller, query.bot_id),
    }),
    post('Saved replies', '/api/replies/add', {
      audit: {},
      scope: 'send',
      chats: 'refused',
      summary: 'Add a saved reply',
      description: forAllBots,
      body: AddReplyBody,
      response: SavedReply,
      errors: ['bot_not_found', 'bot_not_allowed', 'conflict'],
      handler: ({ caller, body }) => replies.add(caller, body),
    }),
    post('Saved replies', '/api/replies/update', {
      audit: { before: stateOf.savedReply },
      scope: 'send',
      chats: 'refused',
      summary: 'Update a saved reply',
      description: `Omitted fields keep their value. ${forAllBots}`,
      body: UpdateReplyBody,
      response: SavedReply,
      errors: ['not_found', 'bot_not_found', 'bot_not_allowed', 'conflict'],
      handler: ({ caller, body: { id, ...input } }) => replies.update(caller, id, input),
    }),
    post('Saved replies', '/api/replies/used', {
      audit: 'none',
      scope: 'send',
      chats: 'none',
      summary: 'Count a use of a saved reply',
      description: 'The web UI does this when it has sent one.',
      query: ReplyQuery,
      response: SavedReply,
      errors: ['not_found'],
      handler: ({ caller, query }) => replies.used(caller, query.id),
    }),
    post('Saved replies', '/api/replies/delete', {
      audit: { before: stateOf.savedReply, removes: true },
      scope: 'send',
      chats: 'refused',
      summary: 'Delete a saved reply',
      description: `Returns the deleted reply. ${forAllBots}`,
      query: ReplyQuery,
      response: SavedReply,
      errors: ['not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => replies.delete(caller, query.id),
    }),
  ];
}

import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { TagService } from '../../../manage/people/tags.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { AddTagBody, Tag } from './tag-schema.ts';
import { ChatId, Id, Query, UserId } from '../../schemas.ts';

export function tagEndpoints({ tags }: { tags: TagService }): Endpoint[] {
  return [
    post('Tags', '/api/tags/add', {
      audit: { before: stateOf.tagByLabel },
      scope: 'manage',
      summary: 'Tag a user',
      description:
        'A tag belongs to a user in a chat. Adding the same label again only changes its color.',
      body: AddTagBody,
      response: Tag,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, body }) => tags.add(caller, body),
    }),
    get('Tags', '/api/tags', {
      scope: 'read',
      chats: 'reads',
      summary: 'List tags of a chat',
      description:
        'A key limited to some bots sees the tags of those bots and tags without a bot, in the chats of those bots.',
      query: Query({ chat_id: ChatId('Chat ID.') }),
      response: Type.Array(Tag),
      handler: ({ caller, query }) => tags.ofChat(caller, query.chat_id),
    }),
    get('Tags', '/api/tags/user', {
      scope: 'read',
      chats: 'reads',
      summary: 'List tags of a user',
      query: Query({ chat_id: ChatId('Chat ID.'), user_id: UserId('User ID.') }),
      response: Type.Array(Tag),
      handler: ({ caller, query }) => tags.ofUser(caller, query.chat_id, query.user_id),
    }),
    post('Tags', '/api/tags/remove', {
      audit: { before: stateOf.tag, removes: true },
      scope: 'manage',
      summary: 'Remove a tag',
      description:
        'Returns the removed tag. A key limited to some bots removes the tag only for those bots.',
      query: Query({ id: Id('Tag record ID.') }),
      response: Tag,
      errors: ['tag_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => tags.remove(caller, query.id),
    }),
  ];
}

import { Type } from 'typebox';
import { ChatId, Flag, Id, Moment, Query, Text, Integer, Closed } from '../../schemas.ts';
import { ButtonText, MessageContent } from '../messages/message-schema.ts';

export const ChatKeyQuery = Query({ bot_id: Id('Bot ID.'), chat_id: ChatId('Chat ID.') });

export const ChatListQuery = Query({
  bot_id: Id('Bot ID.'),
  q: Type.Optional(Text('Part of a title or username, or a chat ID.', 'team', { maxLength: 256 })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Chats to return.' }),
  ),
  before: Type.Optional(
    Text('`cursor` of the last chat of the previous page.', '1767225600000:-1001234567890', {
      pattern: '^\\d{1,15}:-?\\d{1,16}$',
    }),
  ),
});

export const LastMessage = Type.Object({
  id: Type.Integer({ examples: [42] }),
  text: Type.String({ examples: ['See you tomorrow'] }),
  date: Integer('Unix timestamp.', 1_767_225_600),
  user_id: Type.Integer({ examples: [123456789] }),
  username: Type.String({ examples: ['ann'] }),
  first_name: Type.String({ examples: ['Ann'] }),
  last_name: Type.String({ examples: ['Lee'] }),
  media_type: Type.Optional(Type.String({ examples: ['photo'] })),
  content: Type.Optional(MessageContent),
  button_text: Type.Optional(ButtonText),
});

export const Chat = Closed({
  bot_id: Id('Bot that is in the chat.'),
  chat_id: Integer('Chat ID.', -1001234567890),
  type: Text('private, group, supergroup or channel.', 'supergroup'),
  title: Text('Title, or the name of the person in a private chat.', 'Team'),
  username: Text('Public name, without @.', 'team_chat'),
  description: Text('Description; set after a refresh.'),
  photo_file_id: Text('For `GET /api/media`; set after a refresh.'),
  member_count: Type.Optional(Integer('Number of members; set after a refresh.', 12)),
  status: Text(
    'Status of the bot: administrator, member, left, kicked, …; empty if unknown.',
    'administrator',
  ),
  rights: Type.Record(Type.String(), Type.Boolean(), {
    description: 'Rights of the bot, as Telegram names them; set after a refresh.',
    examples: [{ can_delete_messages: true }],
  }),
  message_count: Integer('Number of stored messages.', 1204),
  has_topics: Flag('Whether topics of the chat are known: `GET /api/chats/topics` lists them.'),
  last_message_at: Moment('When the last message was sent.'),
  last_message: Type.Optional(LastMessage),
  migrated_to: Integer('The supergroup that this group became; 0 if none.', 0),
  refreshed_at: Moment('When the chat was last refreshed from Telegram.'),
  cursor: Text('Pass as `before` to get the next page.', '1767225600000:-1001234567890'),
});

export const TopicListQuery = Query({
  bot_id: Id('Bot ID.'),
  chat_id: ChatId('Chat ID.'),
  q: Type.Optional(Text('Part of a name, or a topic ID.', 'refund', { maxLength: 256 })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Topics to return.' }),
  ),
  before: Type.Optional(
    Text('`cursor` of the last topic of the previous page.', '1767225600000:4', {
      pattern: '^\\d{1,15}:\\d{1,16}$',
    }),
  ),
});

export const Topic = Closed({
  bot_id: Id('Bot that is in the chat.'),
  chat_id: Integer('Chat ID.', -1001234567890),
  message_thread_id: Integer('Topic ID; 1 is General of a forum.', 4),
  name: Text('Name; empty if no message has told it yet.', 'Refunds'),
  icon_color: Integer('Color of the icon as Telegram gives it; 0 if unknown.', 7322096),
  icon_custom_emoji_id: Text('Custom emoji of the icon; empty if none is known.'),
  closed: Flag('Whether only administrators can write in it.'),
  hidden: Flag('Whether General is hidden.'),
  gone: Flag(
    'Whether Telegram refuses what the bot sends there: it was deleted, the person switched topics off, or its first message is no longer there.',
  ),
  last_message_at: Moment('When the last message was sent.'),
  last_message: Type.Optional(LastMessage),
  cursor: Text('Pass as `before` to get the next page.', '1767225600000:4'),
});

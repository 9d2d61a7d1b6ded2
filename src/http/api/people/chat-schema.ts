import { Type } from 'typebox';
import { limits } from '../../../core/limits.ts';
import {
  chatOrders,
  conversationStates,
  listedStates,
  settableStates,
} from '../../../core/people/conversation-states.ts';
import {
  Body,
  ChatId,
  Choice,
  Closed,
  Flag,
  Id,
  Integer,
  Moment,
  Optional,
  Query,
  Text,
} from '../../schemas.ts';
import { ButtonText, MessageContent } from '../messages/message-schema.ts';

const chatKey = { bot_id: Id('Bot ID.'), chat_id: ChatId('Chat ID.') };

export const ChatKeyQuery = Query(chatKey);

export const conversationKey = {
  ...chatKey,
  message_thread_id: Optional.TopicId(
    'A topic that is a conversation: of a private chat of a bot with `per_topic`.',
  ),
};

export const ConversationQuery = Query(conversationKey);

export const Assignee = Closed(
  {
    kind: Choice(['user', 'person'], {
      description: 'A user of the web UI, or a person in Telegram.',
    }),
    id: Integer('User ID; for a person, the one in Telegram.', 3),
    name: Text('Name.', 'olga'),
  },
  'Who has the conversation; absent if nobody has.',
);

/** The text that names an assignee in requests. */
const assigneePattern = '(user|person):[1-9]\\d{0,15}';

export const AssignBody = Body({
  ...conversationKey,
  assignee: Text('`me`, `user:3`, `person:5001` (in Telegram), or "" for nobody.', 'user:3', {
    pattern: `^(me|${assigneePattern})?$`,
  }),
  confirm: Optional.Flag('Takes the conversation from somebody else who has it.', false, {
    default: false,
  }),
});

export const StateBody = Body({
  ...conversationKey,
  state: Choice(settableStates, {
    description: 'open: answered, not done. done: finished. Both end the waiting.',
    examples: ['done'],
  }),
});

export const SnoozeBody = Body({
  ...conversationKey,
  until: Optional.Moment('Hides it from the waiting ones until then. Left out, it is shown again.'),
});

export const ConversationCounts = Closed({
  waiting: Integer('Conversations that wait for an answer and are not snoozed.', 4),
  waiting_since: Moment('Since when the longest of them waits; "" if none does.'),
  snoozed: Integer('Waiting conversations that are snoozed.', 1),
  open: Integer('Conversations that are answered and not done.', 2),
  mine: Integer('Of all these, those of the calling user; 0 for keys.', 1),
  mine_waiting: Integer('Of `waiting`, those of the calling user; 0 for keys.', 1),
  mine_waiting_since: Moment('Since when the longest of these waits; "" if none does.'),
  unassigned: Integer('Of all these, those that nobody has.', 3),
  total: Integer(
    'Chats and topics that `GET /api/chats` lists with these filters, whatever their state; 1000 means 1000 or more.',
    12,
  ),
});

/** Which chats are listed or counted. */
const entryFilters = {
  bot_id: Optional.Id('Only chats of this bot. Default: of all bots that the key may see.'),
  assignee: Optional.Text(
    'Only conversations of `me`, of `none`, of `user:3`, or of `person:5001` in Telegram.',
    'me',
    {
      pattern: `^(me|none|${assigneePattern})$`,
    },
  ),
  tag: Optional.Text('Only chats in which somebody has this tag.', 'refund', {
    minLength: 1,
    maxLength: limits.tagLength,
  }),
  message_thread_id: Optional.TopicId('Only this topic, where it is a conversation.'),
};

export const ChatCountsQuery = Query(entryFilters);

export const ChatListQuery = Query({
  ...entryFilters,
  state: Optional.Choice(listedStates, {
    description:
      'Only conversations in this state. waiting leaves out snoozed ones; snoozed lists these. unfinished: all that are not done.',
    examples: ['waiting'],
  }),
  order: Optional.Choice(chatOrders, {
    default: 'last_message',
    description:
      'last_message: the latest first. waiting: those that wait before the others, the longest first.',
  }),
  q: Optional.Text('Part of a title, username or topic name, or a chat ID.', 'team', {
    maxLength: 256,
  }),
  limit: Optional.Integer('Chats to return.', undefined, { minimum: 1, maximum: 200, default: 50 }),
  before: Optional.Text(
    '`cursor` of the last chat of the previous page.',
    '1767225600000:-1001234567890:1',
    {
      pattern: '^\\d{1,15}:-?\\d{1,16}(:\\d{1,16}){0,2}$',
    },
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
  message_thread_id: Optional.Integer(
    'Set if the entry is a topic that is a conversation: state, assignee and last message are those of the topic.',
    4,
  ),
  topic_name: Optional.Text(
    'Name of the topic; empty if no message has told it yet. Only for topics.',
    'Refunds',
  ),
  type: Text('private, group, supergroup or channel.', 'supergroup'),
  title: Text('Title, or the name of the person in a private chat.', 'Team'),
  username: Text('Public name, without @.', 'team_chat'),
  description: Text('Description; set after a refresh.'),
  photo_file_id: Text('For `GET /api/media`; set after a refresh.'),
  member_count: Optional.Integer('Number of members; set after a refresh.', 12),
  status: Text(
    'Status of the bot: administrator, member, left, kicked, …; empty if unknown.',
    'administrator',
  ),
  rights: Type.Record(Type.String(), Type.Boolean(), {
    description: 'Rights of the bot, as Telegram names them; set after a refresh.',
    examples: [{ can_delete_messages: true }],
  }),
  message_count: Integer('Number of stored messages, also for a topic those of the chat.', 1204),
  has_topics: Flag('Whether topics of the chat are known: `GET /api/chats/topics` lists them.'),
  last_message_at: Moment('When the last message was sent.'),
  last_message: Type.Optional(LastMessage),
  state: Optional.Choice(conversationStates, {
    description:
      'waiting: for an answer. open: answered, not done. done. Only for conversations: private chats and chats of business accounts.',
  }),
  unanswered_since: Moment(
    'When the person first wrote, or pressed a button, after the last answer; "" if nobody waits.',
  ),
  snoozed_until: Moment('Until when the waiting conversation is hidden; "" if it is not.'),
  unread: Optional.Flag(
    'Whether somebody waits and the calling user has not seen the last message; for users only.',
  ),
  assignee: Type.Optional(Assignee),
  migrated_to: Integer('The supergroup that this group became; 0 if none.', 0),
  refreshed_at: Moment('When the chat was last refreshed from Telegram.'),
  cursor: Text('Pass as `before` to get the next page.', '1767225600000:-1001234567890:1'),
});

export const TopicListQuery = Query({
  bot_id: Id('Bot ID.'),
  chat_id: ChatId('Chat ID.'),
  q: Optional.Text('Part of a name, or a topic ID.', 'refund', { maxLength: 256 }),
  limit: Optional.Integer('Topics to return.', undefined, {
    minimum: 1,
    maximum: 200,
    default: 50,
  }),
  before: Optional.Text('`cursor` of the last topic of the previous page.', '1767225600000:4', {
    pattern: '^\\d{1,15}:\\d{1,16}$',
  }),
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

import { Type } from 'typebox';
import { authorKinds } from '../../../core/messages/author.ts';
import { limits } from '../../../core/limits.ts';
import {
  ChatId,
  Choice,
  Closed,
  Id,
  Integer,
  largestId,
  List,
  Optional,
  Query,
  Text,
} from '../../schemas.ts';

export const MessageQuery = Query({
  chat_id: ChatId('Chat ID.'),
  bot_id: Id('Bot ID.'),
  limit: Optional.Integer(
    `Number of messages to return; more than ${limits.messagesPerPage} is served as ${limits.messagesPerPage}.`,
    50,
    { minimum: 1, default: limits.messagesByDefault },
  ),
  offset: Optional.Integer('Pagination offset.', 0, { minimum: 0, maximum: largestId, default: 0 }),
  before_id: Optional.ChatId('Only messages older than this one, for paging.'),
  message_thread_id: Optional.TopicId('Only messages of this topic; 1 is General.'),
  guest: Optional.Flag(
    'true lists the guest messages (`guest_message`) of the chat: those that mention the bot where it is not a member. They are never listed otherwise.',
    false,
    { default: false },
  ),
});

export const MessageContent = Closed(
  {
    type: Text(
      'As Telegram names it: new_chat_members, left_chat_member, new_chat_title, pinned_message, poll, location, …',
      'new_chat_members',
    ),
    names: Optional.List(Type.String(), 'The people it is about.', ['Ann Lee']),
    text: Optional.Text('Its title, question, value or the like.', 'Team'),
  },
  'What the message is, if it has neither text nor media.',
);

export const MessageEntity = Closed({
  type: Text('As Telegram names it: bold, italic, code, pre, text_link, blockquote, …', 'bold'),
  offset: Integer('In UTF-16 units.', 0),
  length: Type.Integer({ examples: [11] }),
  url: Optional.Text('Of a text_link.', 'https://example.com/'),
  language: Optional.Text('Of the code in a pre.', 'js'),
});

const MessageButton = Closed({
  text: Text('Label.', 'Talk to a person'),
  type: Text(
    'What it does, as Telegram names it: callback_data, url, web_app, copy_text, pay, …; empty if unknown.',
    'callback_data',
  ),
  value: Optional.Text('Its callback data, URL or text to copy.', 'person'),
});

export const ButtonText = Text(
  'For a button press: the label of the button. Absent if Telegram did not say it; `text` has the data.',
  'Talk to a person',
);

export const MessageAuthor = Closed(
  {
    kind: Choice(authorKinds, {
      description:
        "user: signed in to the web UI. key: an API key, or the CLI. app: an app at the gateway; the bot's own token is the app `default`. backend: a call in the answer to an update, or to `/hooks/backend`. route: a route, or the return path. relay: the relay itself, such as an alert. broadcast, ask and desk: the features of these names.",
      examples: ['user'],
    }),
    id: Integer('ID of the user, key, app or route; 0 if it has none.', 3),
    name: Text('Its name when it sent the message.', 'ann'),
    person: Type.Optional(
      Closed({
        id: Integer('User ID in Telegram; the chat ID of someone who writes as a chat.', 123456789),
        name: Text('Name.', 'Ann Lee'),
      }),
    ),
  },
  'Who or what sent the message through the bot. Absent for received messages and in older data. A message that a route carried names the `person` who wrote it.',
);

const messageFields = {
  id: Integer(
    'Message ID of Telegram. Negative for button presses and messages of business accounts; their own ID is in `extra`.',
    42,
  ),
  chat_id: Integer('Chat ID.', -1001234567890),
  bot_id: Id('ID of the bot that received or sent the message.'),
  user_id: Integer('Sender user ID.', 123456789),
  username: Text('Sender username.', 'ann'),
  first_name: Text('Sender first name.', 'Ann'),
  last_name: Text('Sender last name.', 'Lee'),
  text: Text(
    'Message text, the caption of media, or the data of a pressed button.',
    'Your refund is on its way.',
  ),
  date: Integer('Unix timestamp of the message.', 1_767_225_600),
  media_type: Optional.Text(
    'For messages with media: photo, video, animation, sticker, voice, audio, document or video_note; callback for a button press.',
    'photo',
  ),
  file_id: Optional.Text('File ID of Telegram, for messages with media.', 'AgACAgIAAxkBAAIB'),
  reply_to_message_id: Optional.Integer('The message this one replies to, if any.', 41),
  message_thread_id: Optional.Integer('The topic it is in, if any; 1 is General of a forum.', 4),
  edited_at: Optional.Integer('Unix timestamp of the last edit, if any.', 1_767_225_700),
  deleted_at: Optional.Integer(
    'Unix timestamp of the deletion, if the relay knows of one.',
    1_767_225_800,
  ),
  pinned: Optional.Flag(
    'true while the message is pinned. When others unpin it, this changes with the next refresh of the chat.',
    true,
  ),
  content: Type.Optional(MessageContent),
  entities: Optional.List(
    MessageEntity,
    'The formatting of the text: bold, code, links and the like.',
  ),
  buttons: Optional.List(
    Type.Array(MessageButton),
    'The inline keyboard under the message, row by row.',
  ),
  button_text: Type.Optional(ButtonText),
  business_connection_id: Optional.Text(
    'For messages of a business account: pass it when you reply.',
    'Zk3bQ9fVtB0sAAAAx1',
  ),
  author: Type.Optional(MessageAuthor),
};

export const Message = Closed(messageFields);

export const SentMessage = Closed({
  ...messageFields,
  parts: Optional.List(
    Type.Integer(),
    'With `format`: the IDs of all messages of the text.',
    [42, 43],
  ),
  scheduled_id: Optional.Integer(
    'With `send_at`: the ID of the scheduled message. Its `id` is 0.',
    undefined,
  ),
  send_at: Optional.Integer('With `send_at`: when it will be sent.', undefined),
});

const detailedFields = {
  ...messageFields,
  origin: Text('received, sent, routed or gateway.', 'received'),
  media_group_id: Optional.Text('Shared by the messages of an album.', '1301'),
  extra: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'More fields of Telegram: entities, file_name, mime_type, inline_keyboard, forward_origin, …',
      },
    ),
  ),
};

export const DetailedMessage = Closed(detailedFields);

export const ContextMessage = Closed({
  ...detailedFields,
  can_delete: Optional.Flag('Whether the bot may delete it; absent if unknown.'),
  delete_until: Optional.Integer(
    'Unix timestamp at which the 48 hours for deleting end, if they apply.',
    1_767_398_400,
  ),
});

export const Highlight = Type.Object({
  offset: Integer('In UTF-16 units.', 8),
  length: Type.Integer({ examples: [6] }),
});

export const SearchAnswer = Type.Object({
  messages: Type.Array(
    Closed({
      ...detailedFields,
      chat_title: Text('Title of the chat, or the name of the person in a private chat.', 'Team'),
      snippet: Type.Object({
        text: Text('The text around the first word found.', 'Ask for refund here'),
        highlights: List(Highlight, 'Where in `text` the words are.'),
      }),
    }),
  ),
  next: Text('Pass as `cursor` to get the next page; empty on the last page.', ''),
});

const MessageId = (description: string) =>
  Integer(description, 42, { minimum: -largestId, maximum: largestId });

const count = (description: string, byDefault: number, maximum: number, minimum = 0) =>
  Optional.Integer(description, undefined, { minimum, maximum, default: byDefault });

const key = {
  bot_id: Id('Bot ID.'),
  chat_id: ChatId('Chat ID.'),
  id: MessageId('Message ID.'),
};

export const SearchQuery = Query({
  bot_id: Id('Bot ID.'),
  q: Text(
    'Words that must all be in the message, in any order. Parts of words match from three letters, beginnings of words from two; in Chinese and other scripts without spaces, one character is enough.',
    'refund',
    { minLength: 1, maxLength: 256 },
  ),
  chat_id: Optional.ChatId('Only this chat, including the group it was before.'),
  message_thread_id: Optional.TopicId('Only in this topic; 1 is General. Set chat_id as well.'),
  user_id: Optional.UserId('Only from this person.'),
  media_type: Optional.Text('Only this kind; `text` for messages without media.', 'photo', {
    pattern: '^[a-z_]{1,32}$',
  }),
  from: Optional.Integer('Unix timestamp, inclusive.', undefined, {
    minimum: 0,
    maximum: largestId,
  }),
  to: Optional.Integer('Unix timestamp, inclusive.', undefined, { minimum: 0, maximum: largestId }),
  limit: count('Messages to return.', 50, limits.messagesPerPage, 1),
  cursor: Optional.Text('`next` of the previous page.', undefined, {
    pattern: '^-?\\d{1,16}(_-?\\d{1,16}){0,2}$',
  }),
});

export const ContextQuery = Query({
  ...key,
  before: count('Messages before it.', 20, 200),
  after: count('Messages after it.', 20, 200),
  message_thread_id: Optional.TopicId('Only messages of this topic; 1 is General.'),
});

export const ThreadQuery = Query({
  ...key,
  limit: count('Maximum number of messages above and below it.', 100, 500, 1),
});

export const PinnedQuery = Query({
  bot_id: key.bot_id,
  chat_id: key.chat_id,
  limit: count('Messages to return.', 50, limits.messagesPerPage, 1),
});

export const MessageKeyQuery = Query(key);

export const MessageText = Type.Object({
  text: Type.String({ examples: ['See you at noon'] }),
  date: Integer('When it was written.', 1_767_225_600),
});

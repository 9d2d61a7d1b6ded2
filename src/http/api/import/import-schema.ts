import { Type } from 'typebox';
import { roles } from '../../../core/access/access.ts';
import { limits } from '../../../core/limits.ts';
import { routeActions } from '../../../core/routing/conditions.ts';
import { conditionTypes } from '../../../core/routing/condition-types.ts';
import {
  Body,
  Choice,
  Detail,
  Flag,
  Id,
  Integer,
  largestId,
  List,
  Optional,
  Text,
} from '../../schemas.ts';

const most = 1_000;
const text = (description: string, maxLength: number = limits.importedTextLength) =>
  Type.String({ maxLength, description });
const flag = (description: string) => Flag(description);
const rows = <Row extends ReturnType<typeof Type.Object>>(row: Row, description: string) =>
  Type.Optional(Type.Array(row, { maxItems: most, description }));
const integer = (description: string, minimum = 0) =>
  Type.Integer({ minimum, maximum: largestId, description });

const botId = () => integer('Bot ID.');
const chatId = (description = 'Chat ID.') => integer(description, -largestId);
const userId = () => integer('User ID.', 1);
const strict = { additionalProperties: false };

const ImportedBot = Type.Object(
  {
    token: text('Bot token.'),
    name: text('Display name.'),
    description: text('What the bot is for.'),
    backend_url: text('URL that updates are forwarded to; "" means none.'),
    secret_token: text('Secret for the backend; "" means none.'),
    proxy_enabled: flag('Forward updates to the backend.'),
    manage_enabled: flag('Search, moderate and answer in chats.'),
    long_poll_enabled: flag('Let apps call getUpdates.'),
    llm_routing_enabled: flag('Route by meaning.'),
    next_update_id: integer(
      'The first update that the other service did not handle: those before it are not stored again. 0 means unknown.',
    ),
    disabled: flag('Whether the bot stays disabled after the import.'),
  },
  strict,
);

const ImportedUser = Type.Object(
  {
    username: text('Username.'),
    role: Choice(roles),
    bot_ids: Type.Array(botId(), { maxItems: most, description: 'Bots assigned to the user.' }),
  },
  strict,
);

const ImportedRoute = Type.Object(
  {
    source_bot_id: botId(),
    target_bot_id: botId(),
    source_chat_id: integer('Only this chat of the source; 0 means all.', -largestId),
    condition_type: Choice(conditionTypes),
    condition_value: text('Value of the condition.'),
    action: Choice(routeActions),
    target_chat_id: integer('Chat of the target; 0 means the same chat.', -largestId),
    enabled: flag('Whether the route is enabled.'),
    description: text('Description.'),
  },
  strict,
);

const ImportedModel = Type.Object(
  {
    api_url: text('URL of the model API.'),
    api_key: text('Key of the model API.'),
    model: text('Model name.'),
    system_prompt: text('System prompt; "" means the default.', limits.importedMessageLength),
    enabled: flag('Whether the model is asked.'),
  },
  strict,
);

const chat = { bot_id: botId(), chat_id: chatId() };

const ImportedChat = Type.Object(
  {
    ...chat,
    type: text('Chat type.'),
    title: text('Title.'),
    username: text('Username without @.'),
    member_status: text('The bot\'s status in the chat; "" means unknown.'),
    member_count: integer('Members; -1 means unknown.', -1),
    description: text('Description.'),
    last_message_at: integer('Time of the last message, in milliseconds.'),
  },
  strict,
);

const ImportedPerson = Type.Object(
  {
    user_id: userId(),
    username: text('Username without @.'),
    first_name: text('Name.'),
    is_bot: flag('Whether it is a bot.'),
  },
  strict,
);

const ImportedMember = Type.Object({ ...chat, user_id: userId() }, strict);

const ImportedMessage = Type.Object(
  {
    ...chat,
    id: integer('Message ID; negative for a button press.', -largestId),
    user_id: integer('Sender; 0 means none.'),
    username: text('Username of the sender, without @.'),
    first_name: text('Name of the sender.'),
    text: text('Text or caption.', limits.importedMessageLength),
    date: integer('Unix time in seconds.'),
    media_type: Type.Union([Type.String({ maxLength: limits.mediaTypeLength }), Type.Null()]),
    file_id: Type.Union([Type.String({ maxLength: limits.fileIdLength }), Type.Null()]),
    reply_to_message_id: Type.Union([integer('Message ID.'), Type.Null()]),
    origin: Choice(['received', 'sent'], { description: 'Whether the bot received or sent it.' }),
    deleted: flag('Whether it was deleted.'),
  },
  strict,
);

const ImportedTag = Type.Object(
  {
    chat_id: chatId(),
    user_id: userId(),
    username: text('Username.'),
    tag: Type.String({ minLength: 1, maxLength: 64, description: 'Tag.' }),
    color: text('Color.'),
  },
  strict,
);

const ImportedPair = Type.Object(
  {
    ...chat,
    message_id: integer('Message that was routed.'),
    peer_bot_id: botId(),
    peer_chat_id: chatId('Chat it was sent to.'),
    peer_message_id: integer('Message that was sent.'),
    route_id: integer('Route; 0 means none.'),
    style: Choice(['forward', 'copy'], { description: 'How it was sent.' }),
    created_at: integer('Time in milliseconds.'),
  },
  strict,
);

export const ImportBody = Body({
  dry_run: Optional.Flag(
    'Answer the same and store nothing. A bot ID of 0 stands for a bot that would be added.',
    undefined,
    { default: false },
  ),
  bots: rows(
    ImportedBot,
    'Bots. They are added disabled; enable them with the last portion, when their history and routes are stored.',
  ),
  users: rows(ImportedUser, 'Users of the web UI. Set their passwords afterwards.'),
  routes: rows(ImportedRoute, 'Routes.'),
  model: Type.Optional(ImportedModel),
  chats: rows(ImportedChat, 'Chats.'),
  people: rows(ImportedPerson, 'People.'),
  members: rows(ImportedMember, 'Who was seen in which chat.'),
  messages: rows(ImportedMessage, 'Messages.'),
  tags: rows(ImportedTag, 'Tags of people.'),
  pairs: rows(ImportedPair, 'Routed messages with what was sent for them, for the return path.'),
  enable: Type.Optional(
    Type.Array(Id('Bot ID.'), {
      maxItems: most,
      description: 'Bots to enable. Only those that an import added and nobody enabled yet.',
    }),
  ),
});

export const Taken = Type.Object({
  id: Integer('Its ID here; 0 for none.', 1),
  outcome: Choice(['added', 'known', 'refused'], {
    description: 'known: it was here already and stays as it is.',
  }),
  problem: Text('Why it was not imported, or not all of it; "" if there is no problem.', ''),
  problem_detail: Detail('problem'),
});

const added = (what: string) => Integer(`New ${what}.`, 1);

export const ImportReport = Type.Object({
  bots: List(Taken, 'In the order of the request, as users and routes.'),
  users: Type.Array(Taken),
  routes: Type.Array(Taken),
  model: Type.Union([Taken, Type.Null()]),
  enabled: List(Type.Integer(), 'Bots that were enabled.'),
  chats: added('chats'),
  people: added('people'),
  members: added('members of chats'),
  messages: added('messages'),
  tags: added('tags'),
  pairs: added('routed messages'),
});

import { type TProperties, type TSchema, Type } from 'typebox';
import { appFormats, appModes, appNamePattern, methodPattern } from '../../../core/apps/app.ts';
import {
  type AppFilter,
  chatTypes,
  filterLimits,
  updateKindPattern,
} from '../../../core/apps/app-filter.ts';
import {
  defaultPatience,
  mostPatience,
  pacingText,
  pacingValues,
  patienceText,
} from '../../../core/apps/pacing.ts';
import { limits } from '../../../core/limits.ts';
import {
  addressPattern,
  Body,
  ChatId,
  Choice,
  Closed,
  Flag,
  Id,
  Integer,
  List,
  Moment,
  Optional,
  Query,
  stated,
  Text,
  UserId,
} from '../../schemas.ts';

const listOf = (item: TSchema, description: string, example: unknown[]) =>
  Optional.List(item, description, example, { maxItems: filterLimits.valuesPerField });
// Stated in full here, so that the filter is the same in requests and responses.
const noNul = { pattern: '^[^\\x00]*$' };
const ShortText = Type.String({ maxLength: filterLimits.textLength, ...noNul });
const UpdateKind = Type.String(stated({ pattern: updateKindPattern }));

const filterFields: Record<keyof AppFilter, TSchema> = {
  kinds: listOf(UpdateKind, 'Update types, such as message or callback_query.', [
    'message',
    'callback_query',
  ]),
  chat_ids: listOf(ChatId('A chat.'), 'Chats that updates come from.', [-1001234567890]),
  user_ids: listOf(UserId('A user.'), 'Users that updates come from.', [123456789]),
  chat_types: listOf(Choice(chatTypes), 'Types of chats.', ['private']),
  commands: listOf(ShortText, 'Commands, with or without the slash.', ['/order', 'refund']),
  keywords: listOf(ShortText, 'Words in the text or caption, matched as the keywords of a route.', [
    'refund',
    'money back',
  ]),
  regex: Optional.Text(
    'Pattern that the text or caption matches, in RE2 syntax; "" means none.',
    '^#\\d+',
    {
      ...noNul,
    },
  ),
  callback_prefixes: listOf(ShortText, 'How the data of a pressed button begins.', ['buy:']),
  thread_ids: listOf(
    Type.Integer({ minimum: 1, description: 'A topic.' }),
    'Topics of forums: values of message_thread_id; 1 is General. Add chat_ids: topics of two forums can have the same number.',
    [4],
  ),
};

export const AppFilterSchema = Closed(filterFields as TProperties);

const Filter = (description: string) => Type.Unsafe<AppFilter>({ ...AppFilterSchema, description });

const filterText =
  'Which updates the app receives. Fields combine with AND, values of a field with OR; {}, the default, lets everything through.';
const connectionsText =
  'Most deliveries at the same time, only for mode webhook; 0 means the default of the service.';
const kindsText = 'Update types that the webhook receives, only for mode webhook; [] means all.';
const exclusiveText = 'Updates that pass its filter go to no other app.';
const priorityText = 'Decides between exclusive apps: the highest number wins, then the lowest ID.';
const ownRepliesText =
  'Button presses on, and replies to, messages that this app sent go to it alone.';
const keepPendingText =
  'Drop nothing when the app passes drop_pending_updates to setWebhook or deleteWebhook, or a negative offset to getUpdates.';
const urgentText =
  'Commands that overtake what the backend is still answering, such as /stop; up to 10, with or without the slash. Takes effect in mode webhook.';
const perTopicText =
  'Deliver each topic of a chat in a queue of its own, so that a topic whose delivery hangs or fails delays no other. Takes effect in mode webhook.';
const formatText =
  'markdown: texts and captions that it sends without parse_mode and entities are formatted as Markdown; long texts become several messages, or a file. "": they pass unchanged.';
const methodsText =
  'Bot API methods it may call: ["sendMessage"] allows only that one, ["!banChatMember"] all but that one; [] means all.';
const modeText =
  'How it receives updates: poll with getUpdates, webhook at its backend_url, send not at all.';

export const AppName = () =>
  Text(
    'Name, unique for each bot: 1 to 64 of A-Z a-z 0-9 _ . -; default is reserved.',
    'analytics',
    { ...stated({ pattern: appNamePattern }) },
  );

/** The app settings of requests; they have defaults only for a new app. */
export const givenAppSettings = (adds: boolean) => {
  const byDefault = <T>(value: T) => (adds ? { default: value } : {});
  return {
    mode: Optional.Choice(appModes, { description: modeText, ...byDefault('poll' as const) }),
    backend_url: Type.Optional(
      Type.String({
        ...stated({ pattern: addressPattern }),
        maxLength: limits.backendUrlLength,
        description: 'URL that updates are delivered to, http or https; needed for mode webhook.',
        examples: ['https://orders.example.com/updates'],
        ...byDefault(''),
      }),
    ),
    secret_token: Optional.Text(
      'Secret that the relay sends with every update; "" means none.',
      's3cret_Word_of_orders',
      { pattern: '^[A-Za-z0-9_-]*$', maxLength: limits.secretTokenLength, ...byDefault('') },
    ),
    max_connections: Optional.Integer(connectionsText, 40, {
      minimum: 0,
      maximum: 100,
      ...byDefault(0),
    }),
    allowed_updates: Optional.List(UpdateKind, kindsText, ['message', 'callback_query'], {
      maxItems: 100,
      ...byDefault([]),
    }),
    filter: Type.Optional(Filter(filterText)),
    exclusive: Optional.Flag(exclusiveText, false, { ...byDefault(false) }),
    priority: Optional.Integer(priorityText, 0, {
      minimum: -1_000_000,
      maximum: 1_000_000,
      ...byDefault(0),
    }),
    own_replies: Optional.Flag(ownRepliesText, true, { ...byDefault(false) }),
    keep_pending: Optional.Flag(keepPendingText, false, { ...byDefault(false) }),
    urgent: Optional.List(
      Type.String({ maxLength: limits.urgentLength, ...noNul }),
      urgentText,
      ['/stop'],
      {
        maxItems: limits.urgentEntries,
        ...byDefault([]),
      },
    ),
    per_topic: Optional.Flag(perTopicText, false, { ...byDefault(false) }),
    pacing: Optional.Choice(pacingValues, {
      description: pacingText,
      ...byDefault('off' as const),
    }),
    patience: Optional.Integer(patienceText, defaultPatience, {
      minimum: 0,
      maximum: mostPatience,
      ...byDefault(defaultPatience),
    }),
    format: Optional.Choice(appFormats, { description: formatText, ...byDefault('' as const) }),
    methods: Optional.List(
      Type.String(stated({ pattern: methodPattern })),
      methodsText,
      ['sendMessage', 'editMessageText'],
      { maxItems: 500, ...byDefault([]) },
    ),
  };
};

const shown = {
  id: Id('App ID.'),
  bot_id: Id('Bot ID.'),
  name: Text("Name; default is the app that the bot's own settings describe.", 'analytics'),
  has_token: Flag(
    'Whether it has a token. An app that was made by polling with consumer= has none until POST /api/bots/apps/rotate.',
    true,
  ),
  mode: Choice(appModes, { description: modeText }),
  backend_url: Type.String({
    description:
      'URL that updates are delivered to. Without the scope manage, only scheme, host and port are shown.',
    examples: ['https://orders.example.com/updates'],
  }),
  secret_token: Text(
    'Secret sent to the backend; masked without the scope manage.',
    's3cret_Word_of_orders',
  ),
  max_connections: Integer(connectionsText, 40),
  allowed_updates: List(Type.String(), kindsText, ['message', 'callback_query']),
  filter: Filter(filterText),
  exclusive: Flag(exclusiveText, false),
  priority: Integer(priorityText, 0),
  own_replies: Flag(ownRepliesText, true),
  keep_pending: Flag(keepPendingText, false),
  urgent: List(Type.String(), urgentText, ['/stop']),
  per_topic: Flag(perTopicText, false),
  pacing: Choice(pacingValues, { description: pacingText }),
  patience: Integer(patienceText, defaultPatience),
  format: Choice(appFormats, { description: formatText }),
  methods: List(Type.String(), methodsText, ['sendMessage', 'editMessageText']),
  disabled: Flag(
    'A disabled app receives, sends and claims nothing; it keeps its position.',
    false,
  ),
  created_at: Moment('When it was added.'),
  last_seen_at: Moment(
    'Time of its last call or poll, or of the last update its backend took; "" means never. For the app default in mode poll: its last poll.',
  ),
  behind: Integer('Unfinished updates for it; exact within the last 1,000 of the bot.', 0),
  claimed: Integer('Of these, claimed: no other app receives them.', 0),
  position: Integer('The last position of the log it read.', 128),
  dropped: Integer('Updates that retention removed before it read them.', 0),
  sent: Integer('Messages it sent.', 12),
  rate_limited: Integer(
    'Its calls through the gateway that Telegram answered with 429, or that the relay refused because their chat had to wait for longer than patience.',
    0,
  ),
  last_rate_limited_at: Moment('Time of the last of these; "" means never.'),
  last_retry_after: Integer('Seconds that it was told to wait then.', 0),
};

const Warnings = Optional.List(
  Type.Object({
    code: Text('A stable code.', 'filter_matches_nothing'),
    params: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The values in the sentence, by name.',
    }),
    text: Text('The sentence.', 'The filter matches none of the last 1000 updates.'),
  }),
  'What is probably not intended; absent if there is nothing.',
);
const token = Text(
  'Token of the app, shown only here. Use it in place of the bot token; it works only at this relay.',
  '123456789:StandInTokenOfTheAppAnalytics_35chr',
);

export const App = Closed({ ...shown, warnings: Warnings });
export const AppWithToken = Closed({ ...shown, token, warnings: Warnings });

const settable = new Set(['id', 'bot_id', 'name', ...Object.keys(givenAppSettings(false))]);
const readOnly = [
  ...Object.keys(shown).filter((field) => !settable.has(field)),
  'token',
  'warnings',
];

export const AddAppBody = Body(
  { bot_id: Id('The bot that the app uses.'), name: AppName(), ...givenAppSettings(true) },
  ['id', ...readOnly],
  {
    if: {
      anyOf: [
        { required: ['max_connections'], properties: { max_connections: { minimum: 1 } } },
        { required: ['allowed_updates'], properties: { allowed_updates: { minItems: 1 } } },
      ],
    },
    then: { required: ['mode'], properties: { mode: { const: 'webhook' } } },
  },
);
export const UpdateAppBody = Body(
  {
    id: Id('ID of the app to update.'),
    name: Optional.Text('Its name, which cannot be changed.', 'analytics'),
    ...givenAppSettings(false),
  },
  ['bot_id', ...readOnly],
);
export const PreviewBody = Body({
  bot_id: Id('The bot whose last updates are tested.'),
  filter: Filter('The filter to test.'),
});
export const FilterMatches = Closed({
  matched: Integer('Updates that pass the filter.', 38),
  of: Integer('Updates tested: the last 100.', 100),
});
export const AppQuery = Query({ id: Id('App ID.') });

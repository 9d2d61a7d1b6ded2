import { type TProperties, type TSchema, Type } from 'typebox';
import { appModes, appNamePattern, methodPattern } from '../../../core/apps/app.ts';
import {
  type AppFilter,
  chatTypes,
  filterLimits,
  updateKindPattern,
} from '../../../core/apps/app-filter.ts';
import { limits } from '../../../core/limits.ts';
import {
  addressPattern,
  Body,
  ChatId,
  Choice,
  Id,
  Moment,
  Query,
  stated,
  UserId,
} from '../../schemas.ts';

const listOf = (item: TSchema, description: string, example: unknown[]) =>
  Type.Optional(
    Type.Array(item, { maxItems: filterLimits.valuesPerField, description, examples: [example] }),
  );
// Stated in full here, so that the filter is the same in requests and responses.
const noNul = { pattern: '^[^\\x00]*$' };
const Text = Type.String({ maxLength: filterLimits.textLength, ...noNul });
const UpdateKind = Type.String(stated({ pattern: updateKindPattern }));

const filterFields: Record<keyof AppFilter, TSchema> = {
  kinds: listOf(UpdateKind, 'Update types, such as message or callback_query.', [
    'message',
    'callback_query',
  ]),
  chat_ids: listOf(ChatId('A chat.'), 'Chats that updates come from.', [-1001234567890]),
  user_ids: listOf(UserId('A user.'), 'Users that updates come from.', [123456789]),
  chat_types: listOf(Choice(chatTypes), 'Types of chats.', ['private']),
  commands: listOf(Text, 'Commands, with or without the slash.', ['/order', 'refund']),
  keywords: listOf(Text, 'Words in the text or caption, matched as the keywords of a route.', [
    'refund',
    'money back',
  ]),
  regex: Type.Optional(
    Type.String({
      ...noNul,
      description: 'Pattern that the text or caption matches, in RE2 syntax; "" means none.',
      examples: ['^#\\d+'],
    }),
  ),
  callback_prefixes: listOf(Text, 'How the data of a pressed button begins.', ['buy:']),
  thread_ids: listOf(
    Type.Integer({ minimum: 1, description: 'A topic.' }),
    'Topics of forums: values of message_thread_id; 1 is General. Add chat_ids: topics of two forums can have the same number.',
    [4],
  ),
};

export const AppFilterSchema = Type.Object(filterFields as TProperties, {
  additionalProperties: false,
});

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
const methodsText =
  'Bot API methods it may call: ["sendMessage"] allows only that one, ["!banChatMember"] all but that one; [] means all.';
const modeText =
  'How it receives updates: poll with getUpdates, webhook at its backend_url, send not at all.';

export const AppName = () =>
  Type.String({
    ...stated({ pattern: appNamePattern }),
    description: 'Name, unique for each bot: 1 to 64 of A-Z a-z 0-9 _ . -; default is reserved.',
    examples: ['analytics'],
  });

/** The app settings of requests; they have defaults only for a new app. */
export const givenAppSettings = (adds: boolean) => {
  const byDefault = <T>(value: T) => (adds ? { default: value } : {});
  return {
    mode: Type.Optional(Choice(appModes, { description: modeText, ...byDefault('poll' as const) })),
    backend_url: Type.Optional(
      Type.String({
        ...stated({ pattern: addressPattern }),
        maxLength: limits.backendUrlLength,
        description: 'URL that updates are delivered to, http or https; needed for mode webhook.',
        examples: ['https://orders.example.com/updates'],
        ...byDefault(''),
      }),
    ),
    secret_token: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]*$',
        maxLength: limits.secretTokenLength,
        description: 'Secret that the relay sends with every update; "" means none.',
        examples: ['s3cret_Word_of_orders'],
        ...byDefault(''),
      }),
    ),
    max_connections: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: connectionsText,
        examples: [40],
        ...byDefault(0),
      }),
    ),
    allowed_updates: Type.Optional(
      Type.Array(UpdateKind, {
        maxItems: 100,
        description: kindsText,
        examples: [['message', 'callback_query']],
        ...byDefault([]),
      }),
    ),
    filter: Type.Optional(Filter(filterText)),
    exclusive: Type.Optional(
      Type.Boolean({ description: exclusiveText, examples: [false], ...byDefault(false) }),
    ),
    priority: Type.Optional(
      Type.Integer({
        minimum: -1_000_000,
        maximum: 1_000_000,
        description: priorityText,
        examples: [0],
        ...byDefault(0),
      }),
    ),
    own_replies: Type.Optional(
      Type.Boolean({ description: ownRepliesText, examples: [true], ...byDefault(false) }),
    ),
    methods: Type.Optional(
      Type.Array(Type.String(stated({ pattern: methodPattern })), {
        maxItems: 500,
        description: methodsText,
        examples: [['sendMessage', 'editMessageText']],
        ...byDefault([]),
      }),
    ),
  };
};

const shown = {
  id: Id('App ID.'),
  bot_id: Id('Bot ID.'),
  name: Type.String({
    description: "Name; default is the app that the bot's own settings describe.",
    examples: ['analytics'],
  }),
  has_token: Type.Boolean({
    description:
      'Whether it has a token. An app that was made by polling with consumer= has none until POST /api/bots/apps/rotate.',
    examples: [true],
  }),
  mode: Choice(appModes, { description: modeText }),
  backend_url: Type.String({
    description:
      'URL that updates are delivered to. Without the scope manage, only scheme, host and port are shown.',
    examples: ['https://orders.example.com/updates'],
  }),
  secret_token: Type.String({
    description: 'Secret sent to the backend; masked without the scope manage.',
    examples: ['s3cret_Word_of_orders'],
  }),
  max_connections: Type.Integer({ description: connectionsText, examples: [40] }),
  allowed_updates: Type.Array(Type.String(), {
    description: kindsText,
    examples: [['message', 'callback_query']],
  }),
  filter: Filter(filterText),
  exclusive: Type.Boolean({ description: exclusiveText, examples: [false] }),
  priority: Type.Integer({ description: priorityText, examples: [0] }),
  own_replies: Type.Boolean({ description: ownRepliesText, examples: [true] }),
  methods: Type.Array(Type.String(), {
    description: methodsText,
    examples: [['sendMessage', 'editMessageText']],
  }),
  disabled: Type.Boolean({
    description: 'A disabled app receives, sends and claims nothing; it keeps its position.',
    examples: [false],
  }),
  created_at: Moment('When it was added.'),
  last_seen_at: Moment(
    'Time of its last call or poll, or of the last update its backend took; "" means never. For the app default in mode poll: its last poll.',
  ),
  behind: Type.Integer({
    description: 'Unfinished updates for it; exact within the last 1,000 of the bot.',
    examples: [0],
  }),
  claimed: Type.Integer({
    description: 'Of these, claimed: no other app receives them.',
    examples: [0],
  }),
  position: Type.Integer({ description: 'The last position of the log it read.', examples: [128] }),
  dropped: Type.Integer({
    description: 'Updates that retention removed before it read them.',
    examples: [0],
  }),
  sent: Type.Integer({ description: 'Messages it sent.', examples: [12] }),
  rate_limited: Type.Integer({
    description: 'Its calls through the gateway that Telegram answered with 429.',
    examples: [0],
  }),
  last_rate_limited_at: Moment('Time of the last of these; "" means never.'),
  last_retry_after: Type.Integer({
    description: 'Seconds that Telegram told it to wait then.',
    examples: [0],
  }),
};

const Warnings = Type.Optional(
  Type.Array(
    Type.Object({
      code: Type.String({ description: 'A stable code.', examples: ['filter_matches_nothing'] }),
      params: Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'The values in the sentence, by name.',
      }),
      text: Type.String({
        description: 'The sentence.',
        examples: ['The filter matches none of the last 1000 updates.'],
      }),
    }),
    { description: 'What is probably not intended; absent if there is nothing.' },
  ),
);
const token = Type.String({
  description:
    'Token of the app, shown only here. Use it in place of the bot token; it works only at this relay.',
  examples: ['123456789:StandInTokenOfTheAppAnalytics_35chr'],
});

export const App = Type.Object({ ...shown, warnings: Warnings }, { additionalProperties: false });
export const AppWithToken = Type.Object(
  { ...shown, token, warnings: Warnings },
  { additionalProperties: false },
);

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
    name: Type.Optional(
      Type.String({ description: 'Its name, which cannot be changed.', examples: ['analytics'] }),
    ),
    ...givenAppSettings(false),
  },
  ['bot_id', ...readOnly],
);
export const PreviewBody = Body({
  bot_id: Id('The bot whose last updates are tested.'),
  filter: Filter('The filter to test.'),
});
export const FilterMatches = Type.Object(
  {
    matched: Type.Integer({ description: 'Updates that pass the filter.', examples: [38] }),
    of: Type.Integer({ description: 'Updates tested: the last 100.', examples: [100] }),
  },
  { additionalProperties: false },
);
export const AppQuery = Query({ id: Id('App ID.') });

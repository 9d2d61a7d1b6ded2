import { type TSchema, Type } from 'typebox';
import { appModes } from '../../../core/apps/app.ts';
import { roles, scopes } from '../../../core/access/access.ts';
import { hiddenFields, referableFields } from '../../../core/config-file/references.ts';
import {
  type ConfigDocument,
  entryKinds,
  type Section,
} from '../../../core/config-file/document.ts';
import { limits } from '../../../core/limits.ts';
import { linePattern } from '../../../core/people/plain-text.ts';
import { AppName, givenAppSettings } from '../bots/app-schema.ts';
import { givenBotSettings } from '../bots/bot-schema.ts';
import { givenChannelSettings } from '../alerts/alert-channel-schema.ts';
import { givenDeskSettings } from '../desks/desk-schema.ts';
import { AddReplyBody } from '../messages/saved-reply-schema.ts';
import { routeFields } from '../routing/route-schema.ts';
import { llmFields } from '../routing/routing-schema.ts';
import { TelegramUserId, Username } from '../access/users.ts';
import {
  asJsonSchema,
  Body,
  ChatId,
  Choice,
  Detail,
  Flag,
  Integer,
  type JsonSchema,
  largestId,
  List,
  Optional,
  Query,
  Text,
  UserId,
} from '../../schemas.ts';

const whole = { additionalProperties: false };

const secret = (description: string, example: string) =>
  Optional.Text(description, example, { maxLength: 1_024 });
const disabled = Optional.Flag('Whether it is disabled.', false, { default: false });
const BotIds = (description: string) =>
  Optional.List(UserId('Telegram ID of a bot.'), description, [123456789], {
    maxItems: 1_000,
    uniqueItems: true,
  });

const ChatIds = (description: string) =>
  Optional.List(ChatId('Chat ID.'), description, [-1001234567890], {
    maxItems: 1_000,
    uniqueItems: true,
  });

/** References do not match the format of the values they replace: the service checks the values itself. */
function withReferences<Fields extends Record<string, TSchema>>(fields: Fields): Fields {
  const changed = Object.entries(fields).map(([name, schema]) => {
    if (!referableFields.has(name)) return [name, schema];
    const { pattern: _pattern, 'x-stated': _stated, ...rest } = asJsonSchema(schema);
    return [name, Type.Optional(Type.Unsafe<string>(rest))];
  });
  return Object.fromEntries(changed) as Fields;
}

const AppEntry = Type.Object(
  {
    name: AppName(),
    token: secret(
      'Stand-in token: the Telegram ID of the bot, a colon and 35 characters. Left out, an app keeps its token, and a new app has none.',
      '${ORDERS_TOKEN}',
    ),
    ...withReferences(givenAppSettings(true)),
    disabled,
  },
  whole,
);

const BotEntry = Type.Object(
  {
    platform_id: UserId('Telegram ID of the bot: the number before the colon of its token.'),
    token: secret(
      'Token from @BotFather; required for a new bot. Left out, a bot keeps its token.',
      '${BOT_123456789_TOKEN}',
    ),
    disabled,
    ...withReferences(givenBotSettings({ default: false })),
    apps: Type.Optional(
      Type.Array(AppEntry, { maxItems: 100, description: 'Apps of the bot, without default.' }),
    ),
  },
  whole,
);

const { source_bot_id: _source, target_bot_id: _target, ...routeSettings } = routeFields;
const RouteEntry = Type.Object(
  {
    source: UserId('Telegram ID of the bot that receives messages.'),
    target: UserId('Telegram ID of the bot that sends them.'),
    ...routeSettings,
  },
  whole,
);

const { desk_bot_id: _deskBot, bot_ids: _deskBots, ...deskSettings } = givenDeskSettings(true);
const DeskEntry = Type.Object(
  {
    ...deskSettings,
    desk_bot: UserId('Telegram ID of the bot that writes in the forum.'),
    bots: List(
      UserId('Telegram ID of a bot.'),
      'Bots whose customers come to the desk.',
      [123456789],
      {
        minItems: 1,
        maxItems: 1_000,
        uniqueItems: true,
      },
    ),
  },
  whole,
);

const ReplyEntry = Type.Object(
  {
    name: AddReplyBody.properties.name,
    text: AddReplyBody.properties.text,
    bot: Optional.UserId('Telegram ID of the bot that it is for; left out for all bots.'),
  },
  whole,
);

const ModelEntry = Type.Object(
  {
    ...withReferences(llmFields),
    api_key: secret('Key of the model; "" removes it.', '${MODEL_API_KEY}'),
  },
  whole,
);

const UserEntry = Type.Object(
  {
    username: Username,
    password: secret(
      'Password of a new user, at least 8 characters. Ignored for others.',
      '${USER_ANNA_PASSWORD}',
    ),
    role: Optional.Choice(roles, { default: 'user', description: 'Role.' }),
    bots: BotIds('Bots assigned to the user; an admin has all.'),
    disabled,
    telegram_user_id: Type.Optional(TelegramUserId),
  },
  whole,
);

const KeyEntry = Type.Object(
  {
    name: Text('Name, unique among the keys.', 'shop backend', {
      minLength: 1,
      maxLength: limits.nameLength,
      pattern: linePattern,
    }),
    key: secret(
      'The key: brs_ and at least 32 characters; required for a new key. Left out, a key keeps its value.',
      '${KEY_SHOP_BACKEND}',
    ),
    scope: Optional.Choice(scopes, { default: 'read', description: 'What it may do.' }),
    bots: BotIds('Bots that it is limited to; left out, all.'),
    read_chats: ChatIds('Chats that it may read; left out, all.'),
    write_chats: ChatIds('Chats that it may write to; left out, all.'),
    daily_writes: Optional.Integer(
      'How many changes and sends it may make in a day (UTC); 0 for any number.',
      200,
      {
        default: 0,
        minimum: 0,
        maximum: 1_000_000,
      },
    ),
    expires_at: Optional.Text(
      'Expiry time in ISO 8601; "" means never.',
      '2030-01-31T12:00:00.000Z',
    ),
    disabled,
  },
  whole,
);

const { bot_id: _bot, bot_ids: _bots, ...channelSettings } = givenChannelSettings(true);
const ChannelEntry = Type.Object(
  {
    bot: Optional.UserId('Telegram ID of the bot that sends; left out for a webhook.'),
    secret: secret(
      'Signing secret of a new webhook: whsec_ and base64 of 24 to 64 bytes. Ignored for others.',
      '${ALERTS_OPS_EXAMPLE_COM_SECRET}',
    ),
    ...withReferences(channelSettings),
    bots: BotIds('Bots whose alerts it receives; left out, all bots and the service itself.'),
    disabled,
  },
  whole,
);

const list = <Item extends TSchema>(item: Item, maxItems: number, description: string) =>
  Type.Optional(Type.Array(item, { maxItems, description }));

const settingNames = new Set(
  [
    givenBotSettings({}),
    givenAppSettings(false),
    routeSettings,
    llmFields,
    channelSettings,
    deskSettings,
  ].flatMap(Object.keys),
);

/**
 * Makes one schema for requests and responses. It has no defaults, because responses would state
 * them, and its texts exclude NUL, as those of requests do. Descriptions of settings that other
 * endpoints document are not repeated.
 */
function forBoth(part: unknown, field = ''): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => forBoth(one));
  if (part === null || typeof part !== 'object' || field === 'filter') return part;
  const isSaidElsewhere = (name: string, value: unknown) =>
    name === 'default' ||
    name === 'examples' ||
    (name === 'description' && typeof value === 'string' && settingNames.has(field));
  const kept = Object.entries(part).filter(([name, value]) => !isSaidElsewhere(name, value));
  const isFree = ['pattern', 'enum', 'x-stated'].every((rule) => !(rule in part));
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, forBoth(value, name)])),
    ...((part as JsonSchema).type === 'string' && isFree ? { pattern: '^[^\\x00]*$' } : {}),
  };
}

const sections = {
  bots: list(BotEntry, 10_000, 'Bots with their apps.'),
  routes: list(RouteEntry, 100_000, 'Routes, in the order in which they are added.'),
  desks: list(DeskEntry, 1_000, 'Support desks. Their bots need `manage_enabled`.'),
  saved_replies: list(ReplyEntry, 1_000, 'Texts that a team answers with.'),
  model: Type.Optional(ModelEntry),
  users: list(UserEntry, 10_000, 'Users of the web UI.'),
  keys: list(KeyEntry, 10_000, 'API keys.'),
  alert_channels: list(ChannelEntry, 50, 'Chats and webhooks that receive alerts.'),
} satisfies Record<Section, TSchema>;

const DescribedFile = Type.Object(
  {
    version: Integer('Version of this format.', 1, { minimum: 1, maximum: 1 }),
    ...sections,
  },
  {
    ...whole,
    description:
      'Configuration of a service. Sections that are left out are not touched. An entry is whole: a setting that it leaves out has its default, as in the request that adds one; only `model` keeps what is left out, and a webhook that a client set with `setWebhook` stays. In a file, ${NAME} stands for an environment variable and file:PATH for the content of a file, where a secret or an address is expected.',
  },
);

export const ConfigFile = Type.Unsafe<ConfigDocument>(forBoth(DescribedFile) as object);

export const configFileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Bot Relay configuration',
  ...asJsonSchema(DescribedFile),
};

export const ConfigQuery = Query({
  with_secrets: Optional.Flag(
    `Return tokens and secrets in place of references. ${[...hiddenFields].join(', ')} stay references.`,
    undefined,
    { default: false },
  ),
});

const selfSetFields = {
  mode: Optional.Choice(appModes, { description: 'Of an app.' }),
  backend_url: Type.String({
    description: 'Its URL.',
    examples: ['https://n8n.example.com/webhook/1'],
  }),
  secret_token: Text('Masked without with_secrets.', '***'),
  proxy_enabled: Optional.Flag('Of a bot.', true),
  max_connections: Optional.Integer('Of an app.', 40),
  allowed_updates: Type.Optional(
    Type.Unsafe<readonly string[]>(List(Type.String(), 'Of an app.', ['message'])),
  ),
};

export const ConfigAnswer = Type.Object(
  {
    config: ConfigFile,
    self_set: List(
      Type.Object(
        {
          kind: Choice(['bot', 'app'], { description: 'What it is.' }),
          name: Text('Which one it is, as in a plan.', '123456789/n8n-orders'),
          fields: Type.Object(selfSetFields, { ...whole, description: 'What its client set.' }),
        },
        whole,
      ),
      'Bots and apps whose client set its own webhook with `setWebhook`. The configuration leaves these settings out, and applying it does not change them.',
    ),
    variables: List(Type.String(), 'Environment variables that the configuration refers to.', [
      'BOT_123456789_TOKEN',
    ]),
  },
  whole,
);

export const ApplyBody = Body({
  config: ConfigFile,
  dry_run: Optional.Flag('Check everything and change nothing.', undefined, { default: false }),
  prune: Optional.Flag('Delete what the sections of the configuration do not list.', undefined, {
    default: false,
  }),
  deletions: Optional.List(
    Type.Object(
      {
        kind: Choice(entryKinds, { description: 'What it is.' }),
        id: Integer('Its ID.', 1, { minimum: 0, maximum: largestId }),
      },
      whole,
    ),
    'What may be deleted, from the changes of a dry run. If anything else would be deleted, nothing changes and the answer is 409.',
  ),
});

export const AppliedConfig = Type.Object(
  {
    dry_run: Flag('Whether nothing was changed.', false),
    changes: List(
      Type.Object(
        {
          change: Choice(['add', 'update', 'delete'], {
            description: 'What happens to the entry.',
          }),
          kind: Choice(entryKinds, { description: 'What it is.' }),
          name: Text('Which one it is: Telegram ID, name, or what a route does.', '123456789'),
          id: Integer('Its ID on this service; 0 for one that is added, and for the model.', 1),
          fields: List(Type.String(), 'The fields that change; empty for add and delete.', [
            'name',
          ]),
        },
        whole,
      ),
      'In the order of the configuration, deletions last.',
    ),
    notes: List(
      Type.Object(
        {
          note: Text(
            'What to change in the file.',
            'The group -4001 is the supergroup -1001234567890. Change the ID in the file.',
          ),
          note_detail: Detail('note'),
        },
        whole,
      ),
      'IDs of groups that became supergroups. They were applied with the ID of the supergroup.',
    ),
    failed: List(
      Type.Object(
        {
          kind: Choice(['bot'], { description: 'What it is.' }),
          name: Text('Which one it is.', '123456789'),
          problem: Text('Why it was not deleted.'),
          problem_detail: Detail('problem'),
        },
        whole,
      ),
      'Bots that could not be deleted; everything else was applied. Apply the same configuration again to delete them.',
    ),
  },
  whole,
);

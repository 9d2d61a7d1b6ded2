import { type TOptional, type TSchema, type TUnsafe, Type } from 'typebox';
import {
  type BotSetting,
  type BotSettings,
  defaultOf,
  botSetting,
  type BotSettingName,
  botSettingNames,
} from '../../../core/bots/bot-settings.ts';
import { limits, tokenPattern } from '../../../core/limits.ts';
import { linePattern, textPattern } from '../../../core/people/plain-text.ts';
import {
  addressPattern,
  Body,
  Choice,
  Closed,
  Detail,
  Flag,
  Id,
  Integer,
  List,
  Moment,
  Optional,
  stated,
  Text,
} from '../../schemas.ts';

const secretPattern = '^[A-Za-z0-9_-]*$';

const token = (pattern: string, description: string) =>
  Text(description, '123456789:AAExampleTokenFromBotFather', {
    pattern,
    maxLength: limits.tokenLength,
  });

/** The order of the contract, followed by the other settings. */
const settingNames = [
  ...new Set<BotSettingName>([
    'name',
    'manage_enabled',
    'proxy_enabled',
    'backend_url',
    'secret_token',
    'long_poll_enabled',
    'description',
    'webhook_mode',
    ...botSettingNames,
  ]),
];

type Shown = { [Name in BotSettingName]: TUnsafe<BotSettings[Name]> };
type Given = { [Name in BotSettingName]: TOptional<Shown[Name]> };

function ofEach(make: (setting: BotSetting) => TSchema): Partial<Record<BotSettingName, TSchema>> {
  return Object.fromEntries(settingNames.map((name) => [name, make(botSetting(name))]));
}

const forms = {
  line: { pattern: linePattern },
  lines: { pattern: textPattern },
  secret: { pattern: secretPattern },
  address: stated({ pattern: addressPattern }),
};

/** The settings of requests; a switch missing in a new bot is off. */
export const givenBotSettings = (options: { default?: false }) =>
  ofEach((setting) => {
    const { kind, description, example, maxLength, form } = setting;
    // A text that is missing is empty, which goes without saying.
    return Type.Optional(
      kind === 'text'
        ? Text(description, String(example), {
            ...(maxLength === undefined ? {} : { maxLength }),
            ...(form ? forms[form] : {}),
          })
        : schemaOf(setting, 'default' in options),
    );
  }) as Given;

function schemaOf(setting: BotSetting, hasDefault: boolean): TSchema {
  const { kind, values = [], description, example, maxLength = 0, maximum = 0 } = setting;
  const byDefault = hasDefault ? { default: defaultOf(setting) as never } : {};
  if (kind === 'switch') return Flag(description, example === true, byDefault);
  if (kind === 'list') {
    const entry = Type.String({ minLength: 1, maxLength, pattern: linePattern });
    const rules = { maxItems: setting.mostEntries ?? 0, uniqueItems: true, ...byDefault };
    return List(entry, description, [...(example as readonly string[])], rules);
  }
  return kind === 'number'
    ? Integer(description, Number(example), { minimum: 0, maximum, ...byDefault })
    : Choice(values, { description, ...byDefault });
}

/** The settings of responses. */
const shown = ofEach((setting) =>
  setting.kind === 'text'
    ? Text(setting.answer ?? setting.description, String(setting.example))
    : schemaOf(setting, false),
) as Shown;

export const backendStatus = () =>
  Choice(['', 'ok', 'unknown', 'failing', 'paused'], {
    description:
      'State of the backend. "": nothing is forwarded; unknown: not contacted since its URL was set; paused: the circuit breaker is open after many failures, and the service keeps retrying.',
  });

export const backendSeenAt = () =>
  Moment(
    'Time of the last delivery or check, accurate to about a minute; while backend_status is failing or paused, of the failure in backend_error; "" if unknown.',
  );

const { name, description, webhook_mode, ...others } = shown;
const { manage_enabled, proxy_enabled, backend_url, secret_token, long_poll_enabled, ...beyond } =
  others;

/** Fields in the order of the contract, followed by the others. */
export const Bot = Closed({
  id: Id('Unique bot ID.'),
  token: Text(
    'Bot token; masked without the scope manage.',
    '123456789:AAExampleTokenFromBotFather',
  ),
  name,
  source: Choice(['cli', 'web'], { description: 'Registration source.' }),
  manage_enabled,
  proxy_enabled,
  backend_url,
  secret_token,
  long_poll_enabled,
  description,
  running: Flag('Whether the bot is running: polling, or with its webhook set.', true),
  webhook_mode,
  disabled: Flag('Whether the bot is disabled.', false),
  username: Text('Telegram username; "" until Telegram was reached.', 'support_bot'),
  platform_id: Integer('Telegram ID of the bot.', 123456789),
  last_error: Text('The last error; "" if none.', ''),
  last_error_detail: Detail('last_error'),
  last_activity: Moment('Time of the last update or send; "" means never.'),
  backend_status: backendStatus(),
  backend_error: Text(
    'Why the last delivery or check failed; "" unless backend_status is failing or paused.',
    '',
  ),
  backend_error_detail: Detail('backend_error'),
  backend_seen_at: backendSeenAt(),
  pending_updates: Integer(
    'Updates that wait for the backend; 0 while the bot is disabled or forwarding is off.',
    0,
  ),
  ...beyond,
  created_at: Moment('When it was added.'),
});

const settable = new Set<string>(['id', 'token', ...settingNames]);
const readOnly = Object.keys(Bot.properties).filter((name) => !settable.has(name));

export const AddBotBody = Body(
  {
    token: token(tokenPattern, 'Bot token from @BotFather.'),
    ...givenBotSettings({ default: false }),
  },
  ['id', ...readOnly],
);

export const UpdateBotBody = Body(
  {
    id: Id('ID of the bot to update.'),
    token: Type.Optional(
      token(
        `^$|${tokenPattern}`,
        'New token of the same bot, after the old one was revoked; "" keeps the token.',
      ),
    ),
    ...givenBotSettings({}),
  },
  readOnly,
);

export const ValidateBotBody = Body({ token: token(tokenPattern, 'The token to validate.') });

export const TokenCheck = Closed({
  valid: Flag('Whether Telegram accepts it.', true),
  platform_id: Integer('The bot it belongs to.', 123456789),
  username: Text('Its user name.', 'support_bot'),
  name: Text('Name of the bot in Telegram.', 'Support bot'),
  error: Text('Why it is refused; "" if it is not.', ''),
});

const allowedUpdates = List(
  Type.String(),
  'Update kinds it receives; empty for the default of Telegram.',
  ['message', 'callback_query'],
);

export const BotHealth = Closed({
  id: Id('Bot ID.'),
  healthy: Flag('Running, accepted by Telegram, and the backend is not failing.', true),
  running: Flag('Whether it is active.', true),
  disabled: Flag('Whether it is disabled.', false),
  platform_ok: Flag('Whether Telegram accepts its token.', true),
  platform_latency_ms: Integer('Response time of Telegram.', 42),
  last_error: Text('The last error.', ''),
  last_error_detail: Detail('last_error'),
  last_activity: Moment('Time of the last update or send; "" means never.'),
  backend_status: backendStatus(),
  pending_updates: Integer(
    'Updates that wait for the backend; 0 while the bot is disabled or forwarding is off.',
    0,
  ),
  previous_webhook: Type.Optional(
    Closed(
      {
        url: Type.String({
          description: 'Its URL; "" without the scope manage, as it may contain secrets.',
          examples: ['https://old.example.com/hook'],
        }),
        allowed_updates: allowedUpdates,
        max_connections: Integer('Connection limit; 0 if unknown.', 40),
        has_custom_certificate: Flag('Whether it had a custom certificate.', false),
        removed_at: Moment('When the relay removed it; "" if unknown.'),
      },
      'The webhook that was set before the relay polled this bot; absent if there was none. POST /api/bots/restore-webhook restores it.',
    ),
  ),
});

export const RestoreWebhookBody = Body({
  secret_token: Optional.Text(
    'Secret token of the webhook. Telegram does not reveal the previous one, so none is set unless you pass it.',
    's3cret_Word',
    { pattern: secretPattern, maxLength: limits.secretTokenLength },
  ),
});

export const RestoredWebhook = Closed({
  id: Id('Bot ID.'),
  disabled: Flag('The bot is disabled here, as a token can have only one receiver.', true),
  url: Type.String({
    description: 'Where Telegram delivers.',
    examples: ['https://old.example.com/hook'],
  }),
  allowed_updates: allowedUpdates,
  max_connections: Integer('Connections it may use at once.', 40),
  pending_update_count: Integer('Updates waiting at Telegram.', 0),
  warnings: List(Type.String(), 'What could not be restored.', []),
  warnings_detail: Type.Array(Detail('each of warnings'), { examples: [[]] }),
});

import { type TBoolean, type TOptional, type TSchema, type TString, Type } from 'typebox';
import {
  type BotSetting,
  botSetting,
  type BotSettingName,
  botSettingNames,
  type BotSwitch,
} from '../../../core/bots/bot-settings.ts';
import { limits, tokenPattern } from '../../../core/limits.ts';
import { linePattern, textPattern } from '../../../core/people/plain-text.ts';
import { Detail, addressPattern, Body, Choice, Id, Moment, stated } from '../../schemas.ts';

const secretPattern = '^[A-Za-z0-9_-]*$';

const token = (pattern: string, description: string) =>
  Type.String({
    pattern,
    maxLength: limits.tokenLength,
    description,
    examples: ['123456789:AAExampleTokenFromBotFather'],
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

type Shown = { [Name in BotSettingName]: Name extends BotSwitch ? TBoolean : TString };
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
  ofEach(({ kind, description, example, maxLength, form }) =>
    Type.Optional(
      kind === 'switch'
        ? Type.Boolean({ description, examples: [example], ...options })
        : Type.String({
            ...(maxLength === undefined ? {} : { maxLength }),
            ...(form ? forms[form] : {}),
            description,
            examples: [example],
          }),
    ),
  ) as Given;

/** The settings of responses. */
const shown = ofEach(({ kind, description, answer = description, example }) =>
  kind === 'switch'
    ? Type.Boolean({ description, examples: [example] })
    : Type.String({ description: answer, examples: [example] }),
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
export const Bot = Type.Object(
  {
    id: Id('Unique bot ID.'),
    token: Type.String({
      description: 'Bot token; masked without the scope manage.',
      examples: ['123456789:AAExampleTokenFromBotFather'],
    }),
    name,
    source: Choice(['cli', 'web'], { description: 'Registration source.' }),
    manage_enabled,
    proxy_enabled,
    backend_url,
    secret_token,
    long_poll_enabled,
    description,
    running: Type.Boolean({
      description: 'Whether the bot is running: polling, or with its webhook set.',
      examples: [true],
    }),
    webhook_mode,
    disabled: Type.Boolean({
      description: 'Whether the bot is disabled.',
      examples: [false],
    }),
    username: Type.String({
      description: 'Telegram username; "" until Telegram was reached.',
      examples: ['support_desk_bot'],
    }),
    platform_id: Type.Integer({ description: 'Telegram ID of the bot.', examples: [123456789] }),
    last_error: Type.String({
      description: 'The last error; "" if none.',
      examples: [''],
    }),
    last_error_detail: Detail('last_error'),
    last_activity: Moment('Time of the last update or send; "" means never.'),
    backend_status: backendStatus(),
    backend_error: Type.String({
      description:
        'Why the last delivery or check failed; "" unless backend_status is failing or paused.',
      examples: [''],
    }),
    backend_error_detail: Detail('backend_error'),
    backend_seen_at: backendSeenAt(),
    pending_updates: Type.Integer({
      description:
        'Updates that wait for the backend; 0 while the bot is disabled or forwarding is off.',
      examples: [0],
    }),
    ...beyond,
    created_at: Moment('When it was added.'),
  },
  { additionalProperties: false },
);

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

export const TokenCheck = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether Telegram accepts it.', examples: [true] }),
    platform_id: Type.Integer({ description: 'The bot it belongs to.', examples: [123456789] }),
    username: Type.String({ description: 'Its user name.', examples: ['support_desk_bot'] }),
    name: Type.String({ description: 'Name of the bot in Telegram.', examples: ['Support desk'] }),
    error: Type.String({ description: 'Why it is refused; "" if it is not.', examples: [''] }),
  },
  { additionalProperties: false },
);

const allowedUpdates = Type.Array(Type.String(), {
  description: 'Update kinds it receives; empty for the default of Telegram.',
  examples: [['message', 'callback_query']],
});

export const BotHealth = Type.Object(
  {
    id: Id('Bot ID.'),
    healthy: Type.Boolean({
      description: 'Running, accepted by Telegram, and the backend is not failing.',
      examples: [true],
    }),
    running: Type.Boolean({ description: 'Whether it is active.', examples: [true] }),
    disabled: Type.Boolean({ description: 'Whether it is disabled.', examples: [false] }),
    platform_ok: Type.Boolean({
      description: 'Whether Telegram accepts its token.',
      examples: [true],
    }),
    platform_latency_ms: Type.Integer({
      description: 'Response time of Telegram.',
      examples: [42],
    }),
    last_error: Type.String({ description: 'The last error.', examples: [''] }),
    last_error_detail: Detail('last_error'),
    last_activity: Moment('Time of the last update or send; "" means never.'),
    backend_status: backendStatus(),
    pending_updates: Type.Integer({
      description:
        'Updates that wait for the backend; 0 while the bot is disabled or forwarding is off.',
      examples: [0],
    }),
    previous_webhook: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            description: 'Its URL; "" without the scope manage, as it may contain secrets.',
            examples: ['https://old.example.com/hook'],
          }),
          allowed_updates: allowedUpdates,
          max_connections: Type.Integer({
            description: 'Connection limit; 0 if unknown.',
            examples: [40],
          }),
          has_custom_certificate: Type.Boolean({
            description: 'Whether it had a custom certificate.',
            examples: [false],
          }),
          removed_at: Moment('When the relay removed it; "" if unknown.'),
        },
        {
          additionalProperties: false,
          description:
            'The webhook that was set before the relay polled this bot; absent if there was none. POST /api/bots/restore-webhook restores it.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);

export const RestoreWebhookBody = Body({
  secret_token: Type.Optional(
    Type.String({
      pattern: secretPattern,
      maxLength: limits.secretTokenLength,
      description:
        'Secret token of the webhook. Telegram does not reveal the previous one, so none is set unless you pass it.',
      examples: ['s3cret_Word'],
    }),
  ),
});

export const RestoredWebhook = Type.Object(
  {
    id: Id('Bot ID.'),
    disabled: Type.Boolean({
      description: 'The bot is disabled here, as a token can have only one receiver.',
      examples: [true],
    }),
    url: Type.String({
      description: 'Where Telegram delivers.',
      examples: ['https://old.example.com/hook'],
    }),
    allowed_updates: allowedUpdates,
    max_connections: Type.Integer({
      description: 'Connections it may use at once.',
      examples: [40],
    }),
    pending_update_count: Type.Integer({
      description: 'Updates waiting at Telegram.',
      examples: [0],
    }),
    warnings: Type.Array(Type.String(), {
      description: 'What could not be restored.',
      examples: [[]],
    }),
    warnings_detail: Type.Array(Detail('each of warnings'), { examples: [[]] }),
  },
  { additionalProperties: false },
);

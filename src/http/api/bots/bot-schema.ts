import { type TBoolean, type TOptional, type TSchema, type TString, Type } from 'typebox';
import {
  type BotSetting,
  botSetting,
  type BotSettingName,
  botSettingNames,
  type BotSwitch,
} from '../../../core/bots/bot-settings.ts';
import { tokenPattern } from '../../../core/bots/bot-token.ts';
import { limits } from '../../../core/limits.ts';
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

/** In the order of the contract, then what it does not have. */
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

/** What requests say; a switch that is left out at first is off. */
const given = (options: { default?: false }) =>
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

/** What answers show. */
const shown = ofEach(({ kind, description, answer = description, example }) =>
  kind === 'switch'
    ? Type.Boolean({ description, examples: [example] })
    : Type.String({ description: answer, examples: [example] }),
) as Shown;

const backendStatus = () =>
  Choice(['', 'ok', 'unknown', 'failing', 'paused'], {
    description:
      'How forwarding goes. "": nothing is forwarded; unknown: the backend was neither reached nor checked since its address was set; paused: the circuit breaker is open after many failures, and the service keeps trying by itself.',
  });

const { name, description, webhook_mode, ...others } = shown;
const { manage_enabled, proxy_enabled, backend_url, secret_token, long_poll_enabled, ...beyond } =
  others;

/** In the order of the contract, then what it does not have. */
export const Bot = Type.Object(
  {
    id: Id('Unique bot ID.'),
    token: Type.String({
      description: 'Platform bot token; masked below the scope manage.',
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
      description: 'Whether the bot is currently active (polling or webhook-registered).',
      examples: [true],
    }),
    webhook_mode,
    disabled: Type.Boolean({
      description: 'Whether the bot is disabled, and so stopped.',
      examples: [false],
    }),
    username: Type.String({
      description: 'Its name on the platform; "" until the platform was reached.',
      examples: ['support_desk_bot'],
    }),
    platform_id: Type.Integer({ description: 'Its ID on the platform.', examples: [123456789] }),
    last_error: Type.String({
      description: 'What last went wrong; "" when nothing.',
      examples: [''],
    }),
    last_error_detail: Detail('last_error'),
    last_activity: Moment('When it last received or sent; "" means never.'),
    backend_status: backendStatus(),
    backend_error: Type.String({
      description:
        'Why the last delivery or check of the backend failed; "" while backend_status is neither failing nor paused.',
      examples: [''],
    }),
    backend_error_detail: Detail('backend_error'),
    backend_seen_at: Moment(
      'When backend_status was last observed, by a delivery or a check; "" means not known. While deliveries succeed, it is at most about a minute old.',
    ),
    pending_updates: Type.Integer({
      description: 'Updates not yet delivered to the backend.',
      examples: [0],
    }),
    ...beyond,
    created_at: Moment('When it was registered.'),
  },
  { additionalProperties: false },
);

const settable = new Set<string>(['id', 'token', ...settingNames]);
const readOnly = Object.keys(Bot.properties).filter((name) => !settable.has(name));

export const AddBotBody = Body(
  { token: token(tokenPattern, 'Platform bot token.'), ...given({ default: false }) },
  ['id', ...readOnly],
);

export const UpdateBotBody = Body(
  {
    id: Id('ID of the bot to update.'),
    token: Type.Optional(
      token(`^$|${tokenPattern}`, 'Replaces a revoked token of the same bot; "" keeps it.'),
    ),
    ...given({}),
  },
  readOnly,
);

export const ValidateBotBody = Body({ token: token(tokenPattern, 'The token to ask about.') });

export const TokenCheck = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the platform accepts it.', examples: [true] }),
    platform_id: Type.Integer({ description: 'The bot it belongs to.', examples: [123456789] }),
    username: Type.String({ description: 'Its user name.', examples: ['support_desk_bot'] }),
    name: Type.String({ description: 'Its name on the platform.', examples: ['Support desk'] }),
    error: Type.String({ description: 'Why it is refused; "" when it is not.', examples: [''] }),
  },
  { additionalProperties: false },
);

const allowedUpdates = Type.Array(Type.String(), {
  description: "Which kinds of updates it gets; empty for the platform's default.",
  examples: [['message', 'callback_query']],
});

export const BotHealth = Type.Object(
  {
    id: Id('Bot ID.'),
    healthy: Type.Boolean({
      description: 'Running, accepted by the platform, and its backend not failing.',
      examples: [true],
    }),
    running: Type.Boolean({ description: 'Whether it is active.', examples: [true] }),
    disabled: Type.Boolean({ description: 'Whether it is disabled.', examples: [false] }),
    platform_ok: Type.Boolean({
      description: 'Whether the platform accepted its token just now.',
      examples: [true],
    }),
    platform_latency_ms: Type.Integer({
      description: 'How long the platform took to say so.',
      examples: [42],
    }),
    last_error: Type.String({ description: 'What last went wrong.', examples: [''] }),
    last_error_detail: Detail('last_error'),
    last_activity: Moment('When it last received or sent; "" means never.'),
    backend_status: backendStatus(),
    pending_updates: Type.Integer({
      description: 'Updates not yet delivered to the backend.',
      examples: [0],
    }),
    previous_webhook: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            description: 'Its address; "" below the scope manage, as it may hold secrets.',
            examples: ['https://old.example.com/hook'],
          }),
          allowed_updates: allowedUpdates,
          max_connections: Type.Integer({
            description: 'What the platform told; 0 when it did not.',
            examples: [40],
          }),
          has_custom_certificate: Type.Boolean({
            description: 'Whether it had a certificate of its own.',
            examples: [false],
          }),
          removed_at: Moment('When the relay removed it; "" when that is not known.'),
        },
        {
          additionalProperties: false,
          description:
            'The webhook someone else had set before the relay polled this bot; left out when there was none. POST /api/bots/restore-webhook puts it back.',
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
        'What the receiver checks in X-Telegram-Bot-Api-Secret-Token. The platform never tells the former one, so without it none is set.',
      examples: ['s3cret_Word'],
    }),
  ),
});

export const RestoredWebhook = Type.Object(
  {
    id: Id('Bot ID.'),
    disabled: Type.Boolean({
      description: 'The bot is disabled here now, as a token has one receiver.',
      examples: [true],
    }),
    url: Type.String({
      description: 'Where the platform now delivers.',
      examples: ['https://old.example.com/hook'],
    }),
    allowed_updates: allowedUpdates,
    max_connections: Type.Integer({
      description: 'Connections it may use at once.',
      examples: [40],
    }),
    pending_update_count: Type.Integer({
      description: 'Updates the platform holds for it.',
      examples: [0],
    }),
    warnings: Type.Array(Type.String(), {
      description: 'What could not be put back as it was.',
      examples: [[]],
    }),
    warnings_detail: Type.Array(Detail('each of warnings'), { examples: [[]] }),
  },
  { additionalProperties: false },
);

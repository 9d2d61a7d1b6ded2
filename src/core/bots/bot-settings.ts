/*
 * The settings of a bot, declared once: its record and columns, the API, the flags of `bots add`
 * and `bots update` and the form of the web UI derive from this. A new setting also needs a
 * migration that adds its column, and its label in each language of the web UI.
 */
import {
  defaultPatience,
  mostPatience,
  pacingText,
  pacingValues,
  patienceText,
} from '../apps/pacing.ts';
import { limits } from '../limits.ts';

/** The sections of the form in the web UI. */
export const botSections = ['identity', 'receiving', 'passing', 'managing'] as const;

/** A switch is off, a text and a list empty, and a choice its first value unless a value is given. */
export interface BotSetting {
  kind: 'switch' | 'text' | 'choice' | 'number' | 'list';
  /** The text in the API reference. */
  description: string;
  /** The text for responses, if they need to say more, such as who sees the value. */
  answer?: string;
  example: boolean | string | number | readonly string[];
  /** Only for choices. */
  values?: readonly string[];
  /** Only for numbers, which begin at 0. */
  maximum?: number;
  byDefault?: number;
  /** Limits texts, and the entries of a list. */
  maxLength?: number;
  /** Only for lists. */
  mostEntries?: number;
  form?: 'line' | 'lines' | 'secret' | 'address';
  /**
   * Stored encrypted in this column, bound to the bot and the context. Some were stored in plain
   * text by early versions.
   */
  sealed?: { column: string; context: string; wasPlain?: true };
  /** How the value is hidden from callers who may not change it. */
  mask?: 'address' | 'secret';
  cli?: { flag: string; help: string };
  /** The section of the web UI's form that shows it. If missing, the form places the field itself. */
  section?: (typeof botSections)[number];
}

export const botSettings = {
  name: {
    kind: 'text',
    description: 'Display name.',
    example: 'Support bot',
    maxLength: limits.nameLength,
    form: 'line',
    cli: { flag: '--name <name>', help: 'display name' },
    section: 'identity',
  },
  description: {
    kind: 'text',
    description: 'What the bot is for. Routing by meaning compares messages with it.',
    example: 'Answers questions about invoices and refunds',
    maxLength: limits.descriptionLength,
    form: 'lines',
    cli: {
      flag: '--description <text>',
      help: 'what the bot is for; used to route by meaning',
    },
    section: 'identity',
  },
  backend_url: {
    kind: 'text',
    description: 'URL that updates are forwarded to, http or https; "" means none.',
    answer:
      'URL that updates are forwarded to if proxy_enabled is true. Without the scope manage, only scheme, host and port are shown.',
    example: 'https://backend.example.com/updates',
    maxLength: limits.backendUrlLength,
    form: 'address',
    sealed: { column: 'backend_url', context: 'backend_url', wasPlain: true },
    mask: 'address',
    cli: { flag: '--backend <address>', help: 'backend that receives updates' },
  },
  secret_token: {
    kind: 'text',
    description:
      'Secret that the relay sends with every forwarded update and expects from the backend. "" means none.',
    answer: 'Secret sent to the backend; masked without the scope manage.',
    example: 's3cret_Word',
    maxLength: limits.secretTokenLength,
    form: 'secret',
    sealed: { column: 'secret_sealed', context: 'secret' },
    mask: 'secret',
  },
  proxy_enabled: {
    kind: 'switch',
    description: 'Forward updates to backend_url, which must be set.',
    example: true,
    cli: { flag: '--proxy <on|off>', help: 'forward updates to the backend' },
    section: 'passing',
  },
  manage_enabled: {
    kind: 'switch',
    description:
      'Let users and API keys search, moderate and answer in the chats of this bot. Messages are stored either way.',
    example: false,
    cli: { flag: '--manage <on|off>', help: 'search, moderate and answer in chats' },
    section: 'managing',
  },
  long_poll_enabled: {
    kind: 'switch',
    description:
      'Let apps call getUpdates: they read updates through the gateway or with GET /api/updates/poll.',
    example: false,
    cli: { flag: '--long-poll <on|off>', help: 'let apps call getUpdates' },
    section: 'passing',
  },
  urgent: {
    kind: 'list',
    description:
      'Commands that overtake what the backend is still answering, such as /stop; up to 10, with or without the slash. For the backend of the bot; apps have their own setting.',
    example: ['/stop'],
    maxLength: limits.urgentLength,
    mostEntries: limits.urgentEntries,
    cli: { flag: '--urgent <commands>', help: 'commands that overtake others, such as /stop' },
    section: 'passing',
  },
  per_topic: {
    kind: 'switch',
    description:
      'Deliver each topic of a chat in a queue of its own, so that a topic whose delivery hangs or fails delays no other, and treat each topic of a private chat as a conversation. The queues are those of the backend of the bot; apps have their own setting.',
    example: false,
    cli: { flag: '--per-topic <on|off>', help: 'deliver the topics of a chat side by side' },
    section: 'passing',
  },
  keep_pending: {
    kind: 'switch',
    description:
      'Drop nothing when a client passes drop_pending_updates to setWebhook or deleteWebhook, or a negative offset to getUpdates. For the app default; other apps have their own setting.',
    example: false,
    cli: { flag: '--keep-pending <on|off>', help: 'keep updates that clients ask to drop' },
    section: 'passing',
  },
  pacing: {
    kind: 'choice',
    values: pacingValues,
    description: `${pacingText} For the app default; other apps have their own setting.`,
    example: 'off',
    cli: { flag: '--pacing <on|off>', help: 'hold and merge calls while a chat has to wait' },
    section: 'passing',
  },
  patience: {
    kind: 'number',
    maximum: mostPatience,
    byDefault: defaultPatience,
    description: patienceText,
    example: defaultPatience,
    cli: { flag: '--patience <seconds>', help: 'how long pacing holds a call before it gets 429' },
  },
  webhook_mode: {
    kind: 'switch',
    description: 'Receive from Telegram by webhook instead of polling; needs RELAY_PUBLIC_URL.',
    example: false,
    cli: {
      flag: '--webhook <on|off>',
      help: 'receive from Telegram by webhook instead of polling',
    },
    section: 'receiving',
  },
  automatic_answers: {
    kind: 'choice',
    values: ['count', 'ignore'],
    description:
      'Whether messages of apps and of the backend answer a conversation: count, or ignore, so that it waits until a person answers.',
    example: 'count',
    cli: {
      flag: '--automatic-answers <count|ignore>',
      help: 'whether answers of apps and the backend end the waiting of a conversation',
    },
    section: 'managing',
  },
  handoff: {
    kind: 'list',
    description:
      'Commands, and labels or callback data of buttons, that ask for a person: the conversation waits until one answers, whatever apps answer.',
    example: ['/agent', 'Talk to a person'],
    maxLength: limits.handoffLength,
    mostEntries: limits.handoffEntries,
    cli: {
      flag: '--handoff <words>',
      help: 'commands and buttons that ask for a person, separated by commas; "" for none',
    },
    section: 'managing',
  },
  llm_routing_enabled: {
    kind: 'switch',
    description:
      'Route by meaning: when no other route matches, the language model or the offline ranking picks the target bot.',
    example: false,
    section: 'managing',
  },
} as const satisfies Record<string, BotSetting>;

type Declared = typeof botSettings;
export type BotSettingName = keyof Declared;
type NamesOf<Part> = {
  [Name in BotSettingName]: Declared[Name] extends Part ? Name : never;
}[BotSettingName];
export type BotSwitch = NamesOf<{ kind: 'switch' }>;
export type BotChoice = NamesOf<{ kind: 'choice' }>;
export type BotNumber = NamesOf<{ kind: 'number' }>;
export type BotText = NamesOf<{ kind: 'text' }>;
export type BotList = NamesOf<{ kind: 'list' }>;
/** Settings whose column holds the value as it is. */
export type PlainBotSetting = Exclude<BotSettingName, SealedBotSetting>;
type SealedBotSetting = NamesOf<{ sealed: object }>;
export type SealedBotColumn = Declared[SealedBotSetting]['sealed']['column'];

export type BotSettings = {
  [Name in BotSettingName]: BotSettingValue<Declared[Name]>;
};

type BotSettingValue<Setting> = Setting extends { kind: 'switch' }
  ? boolean
  : Setting extends { kind: 'number' }
    ? number
    : Setting extends { values: readonly (infer Value)[] }
      ? Value
      : Setting extends { kind: 'list' }
        ? string[]
        : string;

export const botSettingNames = Object.keys(botSettings) as BotSettingName[];
export const botSwitches = botSettingNames.filter(isBotSwitch);
/** Settings whose column holds the value in the same form. */
export const plainBotValues = botSettingNames.filter(
  (name): name is Exclude<PlainBotSetting, BotSwitch | BotList> =>
    !isBotSwitch(name) && !isBotList(name) && !botSetting(name).sealed,
);
export const botLists = botSettingNames.filter(isBotList);

/** The encrypted settings with their columns. */
export const sealedBotSettings = botSettingNames.flatMap((name) => {
  const { sealed } = botSetting(name);
  const column = sealed?.column as SealedBotColumn;
  return sealed ? [{ ...sealed, name: name as SealedBotSetting, column }] : [];
});

export function isBotSwitch(name: BotSettingName): name is BotSwitch {
  return botSettings[name].kind === 'switch';
}

export function isBotText(name: BotSettingName): name is BotText {
  return botSettings[name].kind === 'text';
}

export function isBotList(name: BotSettingName): name is BotList {
  return botSettings[name].kind === 'list';
}

export function isBotNumber(name: BotSettingName): name is BotNumber {
  return botSettings[name].kind === 'number';
}

/** Returns one setting, typed as any setting. */
export function botSetting(name: BotSettingName): BotSetting {
  return botSettings[name];
}

export const defaultBotSettings = Object.fromEntries(
  botSettingNames.map((name) => [name, defaultOf(botSetting(name))]),
) as BotSettings;

export function defaultOf({ kind, byDefault, values }: BotSetting): BotSetting['example'] {
  if (kind === 'switch') return false;
  if (kind === 'list') return [];
  return kind === 'number' ? (byDefault ?? 0) : (values?.[0] ?? '');
}

/*
 * A configuration file: bots, apps, routes, the language model, users, keys and alert channels, by platform ID or name.
 * An entry is whole: what it leaves out has its default. Only the model keeps what is left out, and
 * webhooks that clients set themselves stay (self-set.ts).
 */
import { hash } from 'node:crypto';
import type { Role, Scope } from '../access/access.ts';
import { type AppSettings, defaultAppSettings } from '../apps/app.ts';
import {
  type BotSettings,
  botSetting,
  botSettingNames,
  defaultBotSettings,
} from '../bots/bot-settings.ts';
import { type ChannelSettings, channelDefaults } from '../ops/alert-channel.ts';
import { type RouteSettings, routeDefaults } from '../routing/route-settings.ts';
import { type ConfigEntry, isSame } from './plan.ts';
import { createVariableNames } from './references.ts';

export interface AppInFile extends Partial<AppSettings> {
  name: string;
  /** Stand-in token; left out, an app keeps its token, and a new one has none. */
  token?: string;
  max_connections?: number;
  allowed_updates?: readonly string[];
  disabled?: boolean;
}

export interface BotInFile extends Partial<BotSettings> {
  platform_id: number;
  token?: string;
  disabled?: boolean;
  apps?: readonly AppInFile[];
}

export interface RouteInFile extends Partial<RouteSettings> {
  source: number;
  target: number;
  action: RouteSettings['action'];
}

export interface ModelInFile {
  api_url?: string;
  api_key?: string;
  model?: string;
  system_prompt?: string;
  enabled?: boolean;
  temperature?: number;
  timeout_ms?: number;
  monthly_call_limit?: number;
  monthly_token_limit?: number;
  offline_threshold?: number;
}

export interface UserInFile {
  username: string;
  /** Of a new user. */
  password?: string;
  role?: Role;
  bots?: readonly number[];
  disabled?: boolean;
}

export interface KeyInFile {
  name: string;
  key?: string;
  scope?: Scope;
  /** Left out, all of them. */
  bots?: readonly number[];
  /** ISO 8601, '' for never. */
  expires_at?: string;
  disabled?: boolean;
}

export interface ChannelInFile extends Partial<Omit<ChannelSettings, 'bot_id' | 'bot_ids'>> {
  /** The bot that writes; left out for a webhook. */
  bot?: number;
  /** Of a new webhook. */
  secret?: string;
  bots?: readonly number[];
  disabled?: boolean;
}

export interface ConfigDocument {
  version: 1;
  bots?: readonly BotInFile[];
  routes?: readonly RouteInFile[];
  model?: ModelInFile;
  users?: readonly UserInFile[];
  keys?: readonly KeyInFile[];
  alert_channels?: readonly ChannelInFile[];
}

export const botDefaults = { disabled: false, ...defaultBotSettings };
export const appDefaults = {
  ...defaultAppSettings,
  max_connections: 0,
  allowed_updates: [] as readonly string[],
  disabled: false,
};
export const userDefaults = {
  role: 'user' as Role,
  bots: [] as readonly number[],
  disabled: false,
};
export const keyDefaults = { scope: 'read' as Scope, expires_at: '', disabled: false };

const { bot_id: _botId, bot_ids: _botIds, ...ofChannels } = channelDefaults;
export const channelFileDefaults = {
  ...ofChannels,
  bot: 0,
  bots: [] as readonly number[],
  disabled: false,
};

/** An entry with what the file says of it. */
export type FileEntry = ConfigEntry &
  (
    | { kind: 'bot'; given: BotInFile }
    | { kind: 'app'; given: AppInFile; platformId: number }
    | { kind: 'route'; given: RouteInFile }
    | { kind: 'model'; given: ModelInFile }
    | { kind: 'user'; given: UserInFile }
    | { kind: 'key'; given: KeyInFile }
    | { kind: 'channel'; given: ChannelInFile }
  );

/** The entries of a document, each bot followed by its apps. */
export function entriesOf(document: ConfigDocument): FileEntry[] {
  const occurrences = new Map<string, number>();
  /** What has no name is told apart by its order from others that do the same. */
  const numbered = (name: string): string => {
    const count = (occurrences.get(name) ?? 0) + 1;
    occurrences.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
  };
  return [
    ...(document.bots ?? []).flatMap((given): FileEntry[] => {
      const { platform_id: platformId, apps = [], ...fields } = given;
      return [
        { kind: 'bot', name: String(platformId), fields: { ...botDefaults, ...fields }, given },
        ...apps.map((app): FileEntry => {
          const { name, ...settings } = app;
          return {
            kind: 'app',
            name: `${platformId}/${name}`,
            fields: { ...appDefaults, ...settings },
            given: app,
            platformId,
          };
        }),
      ];
    }),
    ...(document.routes ?? []).map((given): FileEntry => {
      const condition = given.condition_type || routeDefaults.condition_type;
      const fields = { ...routeDefaults, ...given, condition_type: condition };
      return { kind: 'route', name: numbered(nameOfRoute(fields)), fields, given };
    }),
    ...(document.model
      ? [
          {
            kind: 'model',
            name: 'model',
            fields: { ...document.model },
            given: document.model,
          } as const,
        ]
      : []),
    ...(document.users ?? []).map((given): FileEntry => {
      const { username, password: _password, ...fields } = given;
      const settings = { ...userDefaults, ...fields };
      const bots = settings.role === 'admin' ? [] : sorted(settings.bots);
      return { kind: 'user', name: username, fields: { ...settings, bots }, given };
    }),
    ...(document.keys ?? []).map((given): FileEntry => {
      const { name, bots, ...fields } = given;
      const limited = bots ? sorted(bots) : null;
      return { kind: 'key', name, fields: { ...keyDefaults, ...fields, bots: limited }, given };
    }),
    ...(document.alert_channels ?? []).map((given): FileEntry => {
      const { secret: _secret, ...settings } = given;
      const fields = { ...channelFileDefaults, ...settings, bots: sorted(given.bots ?? []) };
      return { kind: 'channel', name: numbered(nameOfChannel(fields)), fields, given };
    }),
  ];
}

function nameOfRoute(route: Required<RouteInFile>): string {
  const { source, target, action, condition_type: type, condition_value: value } = route;
  const from = route.source_chat_id === 0 ? '' : ` in chat ${route.source_chat_id}`;
  const to = route.target_chat_id === 0 ? '' : ` to chat ${route.target_chat_id}`;
  const condition = value === '' ? type : `${type} ${JSON.stringify(value)}`;
  return `${source} → ${target}${to}: ${action} ${condition}${from}`;
}

/** Names are logged, and an address may hold a secret. */
function nameOfChannel(channel: ChannelInFile): string {
  const { bot, chat_id, message_thread_id: topic = 0, url = '' } = channel;
  if (url !== '') {
    return `${URL.parse(url)?.host || 'webhook'} #${hash('sha256', url).slice(0, 8)}`;
  }
  return `${bot} → chat ${chat_id}${topic === 0 ? '' : ` topic ${topic}`}`;
}

const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);

const secretNames: ReadonlySet<string> = new Set([
  'token',
  'api_key',
  ...botSettingNames.filter((name) => botSetting(name).mask === 'secret'),
]);

export interface WrittenConfig {
  config: ConfigDocument;
  /** Environment variables that the file refers to. */
  variables: string[];
}

/** As it is written down: without defaults, and with references in place of secrets. */
export function writtenDocument(document: ConfigDocument, withSecrets: boolean): WrittenConfig {
  const variables = createVariableNames();
  /** Without the defaults, so that no reference stands for an empty secret. */
  function written(settings: object, defaults: object, ...owner: unknown[]): object {
    const told = Object.entries(settings).filter(
      ([name, value]) =>
        value !== undefined && !isSame(value, defaults[name as keyof typeof defaults]),
    );
    return Object.fromEntries(
      told.map(([name, value]) => [
        name,
        secretNames.has(name) && !withSecrets ? variables.of(...owner, name) : (value as unknown),
      ]),
    );
  }
  const config = {
    version: 1,
    bots: document.bots?.map(({ platform_id, apps = [], ...bot }) => ({
      platform_id,
      ...written(bot, botDefaults, 'BOT', platform_id),
      ...(apps.length === 0
        ? {}
        : {
            apps: apps.map(({ name, ...app }) => ({
              name,
              ...written(app, appDefaults, 'APP', platform_id, name),
            })),
          }),
    })),
    routes: document.routes?.map(({ source, target, action, ...settings }) => ({
      source,
      target,
      action,
      ...written(settings, routeDefaults),
    })),
    ...(document.model ? { model: written(document.model, { api_key: '' }, 'MODEL') } : {}),
    users: document.users?.map(({ username, ...user }) => ({
      username,
      password: variables.of('USER', username, 'PASSWORD'),
      ...written(user, userDefaults),
    })),
    keys: document.keys?.map(({ name, ...key }) => ({
      name,
      key: variables.of('KEY', name),
      ...written(key, keyDefaults),
    })),
    alert_channels: document.alert_channels?.map(({ bot, url = '', ...channel }) => ({
      ...(url === ''
        ? { bot }
        : { url, secret: variables.of('ALERTS', URL.parse(url)?.hostname ?? '', 'SECRET') }),
      ...written(channel, channelFileDefaults),
    })),
  };
  return { config: config as ConfigDocument, variables: variables.names };
}

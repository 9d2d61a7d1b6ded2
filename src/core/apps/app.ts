/* An app is an application connected to a bot: it has a name, a token, one cursor and one queue. */
import { randomBytes } from 'node:crypto';
import { tokenOwner } from '../bots/bot-token.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { AppFilter } from './app-filter.ts';
import { defaultApp } from './default-app.ts';
import { defaultPatience, type PacingValue } from './pacing.ts';

/** How an app receives: by getUpdates, at its backend, or not at all. */
export const appModes = ['poll', 'webhook', 'send'] as const;
export type AppMode = (typeof appModes)[number];

/** `markdown` makes the relay format what an app sends; '' passes it unchanged. */
export const appFormats = ['', 'markdown'] as const;
export type AppFormat = (typeof appFormats)[number];

export { defaultApp };

/** The most apps a bot may have, not counting the default one. */
export const mostApps = 100;

/** Contains the secrets in plain text: never return it as it is. */
export interface AppRecord {
  id: number;
  bot_id: number;
  name: string;
  /** False for an app that was created by its first poll, until it is given a token. */
  hasToken: boolean;
  mode: AppMode;
  backend_url: string;
  secret_token: string;
  filter: AppFilter;
  /** Groups of the filter that became supergroups: the former ID, then the one in the filter. */
  formerChats?: readonly (readonly [former: number, chat: number])[];
  /** If set, no other app receives the updates that its filter matches. */
  exclusive: boolean;
  priority: number;
  /** If set, no other app receives presses on, and replies to, its own messages. */
  own_replies: boolean;
  /** If set, the app's calls that drop pending updates drop nothing. */
  keep_pending: boolean;
  /** Commands that overtake what its backend is still answering. */
  urgent: readonly string[];
  /** If set, its backend gets the topics of a chat side by side. */
  per_topic: boolean;
  pacing: PacingValue;
  /** Seconds that pacing holds a call. */
  patience: number;
  /** How the relay reads the texts that it sends, unless a call says how. */
  format: AppFormat;
  /** Bot API methods it may call; empty means all. */
  methods: readonly string[];
  disabled: boolean;
  created_at: number;
  updated_at: number;
}

export type AppSettings = Pick<
  AppRecord,
  | 'mode'
  | 'backend_url'
  | 'secret_token'
  | 'filter'
  | 'exclusive'
  | 'priority'
  | 'own_replies'
  | 'keep_pending'
  | 'urgent'
  | 'per_topic'
  | 'pacing'
  | 'patience'
  | 'format'
  | 'methods'
>;

export const defaultAppSettings: AppSettings = {
  mode: 'poll',
  backend_url: '',
  secret_token: '',
  filter: {},
  exclusive: false,
  priority: 0,
  own_replies: false,
  keep_pending: false,
  urgent: [],
  per_topic: false,
  pacing: 'off',
  patience: defaultPatience,
  format: '',
  methods: [],
};

export const appNamePattern = '^[A-Za-z0-9_.-]{1,64}$';
const nameShape = new RegExp(appNamePattern);

export function appNameProblem(name: string): Reason | undefined {
  if (!nameShape.test(name)) return reason('not_an_app_name');
  return name === defaultApp ? reason('app_name_reserved') : undefined;
}

const secretLength = 35;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

/** A token that every bot library accepts as a bot token, and that only works here. */
export function newAppToken(botToken: string): string {
  const secret = Array.from(randomBytes(secretLength), (byte) => alphabet[byte & 63]).join('');
  return `${tokenOwner(botToken)}:${secret}`;
}

export const methodPattern = '^!?[A-Za-z]{1,64}$';
const methodShape = new RegExp(methodPattern);

export function methodProblem(entry: string): Reason | undefined {
  return methodShape.test(entry) ? undefined : reason('not_a_method');
}

/** Former names of methods, which Telegram still accepts. */
const formerNames: Record<string, string> = {
  kickchatmember: 'banchatmember',
  getchatmemberscount: 'getchatmembercount',
  setstickersetthumb: 'setstickersetthumbnail',
};

/** The platform takes method names in any case. */
function methodName(method: string): string {
  const name = method.toLowerCase();
  return formerNames[name] ?? name;
}

/** Entries that are none of these methods: typos, or methods newer than the list. */
export function unknownMethods(entries: readonly string[], known: readonly string[]): string[] {
  const names = new Set(known.map(methodName));
  return entries
    .map((entry) => entry.replace(/^!/, ''))
    .filter((entry) => !names.has(methodName(entry)));
}

export function mayCall(methods: readonly string[], method: string): boolean {
  if (isForbidden(methods, method)) return false;
  const allowed = methods.filter((entry) => !entry.startsWith('!'));
  return allowed.length === 0 || allowed.some((entry) => methodName(entry) === methodName(method));
}

/**
 * Says whether a method is explicitly forbidden. For methods that the relay answers itself, which
 * an app may call unless they are.
 */
export function isForbidden(methods: readonly string[], method: string): boolean {
  return methods.some(
    (entry) => entry.startsWith('!') && methodName(entry.slice(1)) === methodName(method),
  );
}

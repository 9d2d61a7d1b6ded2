/* Defines the facts of an alert kind, and the words that sentences of several kinds share. */
import type { AnyReason } from '../../reasons/shape.ts';

export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** The actions that one click can take on an alert. */
export const alertActions = ['retry', 'replay', 'enable_bot', 'enable_target'] as const;
export type AlertAction = (typeof alertActions)[number];

/** The parameters of an alert's sentence. Addresses in them are masked. */
export interface AlertParams {
  /** Name of the bot. */
  bot?: string;
  count?: number;
  app?: string;
  chat_id?: number;
  message_thread_id?: number;
  reader?: string;
  /** What the service or the platform said about it. */
  why?: string;
  /** The same as a code, if it is a reason of the service. */
  why_detail?: AnyReason;
  /** The backend answered, so it can be reached. */
  rejects?: true;
  /** The host of a backend or a webhook, without its path. */
  host?: string;
  route_id?: number;
  target_bot_id?: number;
  minutes?: number;
  days?: number;
  free_bytes?: number;
  total_bytes?: number;
  node?: string;
  channel_id?: number;
  desk_id?: number;
  /** Names of people, the first few. */
  people?: string;
  /** Conversations, the first few, with the time since which somebody waits in them. */
  chats?: readonly { bot_id: number; chat_id: number; name: string; since: string }[];
  cause?: AlertCause;
}

/**
 * The message that caused it, or the first of several: what became of it is shown by its timeline. 0
 * stands for what it does not have. An update need not have a message, and of a send that failed only
 * the chat may be known.
 */
export interface AlertCause {
  bot_id: number;
  chat_id: number;
  message_id: number;
  /** The position of its update in the log. */
  position: number;
}

export type Sentence = (params: AlertParams) => string;

export interface AlertKindFacts {
  severity: Severity;
  /**
   * `live`: read from the database for each request, so the page shows it as it is. `watched`: only
   * the node that watches looks for it, every ten seconds.
   */
  found: 'live' | 'watched';
  /** The param that tells alerts of one kind and bot apart. */
  subject?: 'reader' | 'app' | 'route_id' | 'host' | 'node' | 'channel_id' | 'chat_id' | 'desk_id';
  /** The name of an icon in the web UI. */
  icon: string;
  /** The page of the web UI with more: a tab of the bot, or a page. Alerts with a route lead to it. */
  page:
    | 'settings'
    | 'deliveries'
    | 'sends'
    | 'apps'
    | 'log'
    | 'routes'
    | 'desks'
    | 'service'
    | 'channels';
  action?: AlertAction;
  /** It may need no action, and does not resolve by itself: people can hide it. */
  canBeDismissed?: true;
  label: string;
  /** The sentence while it is open, without the name of the bot. */
  present: Sentence;
  /** The sentence after it was resolved; that of a one-time event is the same. */
  past: Sentence;
  /** Tells the guide when it opens, and what helps. */
  when: string;
  helps: string;
}

export const counted = (count = 0, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;

export const because: Sentence = ({ why = '' }) =>
  why === '' ? '.' : `: ${why.replace(/\.$/, '')}${why.endsWith('?') ? '' : '.'}`;

export const waiting: Sentence = ({ count = 0 }) =>
  count === 0 ? '' : ` ${counted(count, 'update')} waiting.`;

export const backend: Sentence = ({ host = '', app }) =>
  `Backend${host === '' ? '' : ` ${host}`}${app === undefined ? '' : ` of app ${app}`}`;

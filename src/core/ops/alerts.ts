import type { Reason } from '../reasons/reason.ts';

/** In the order of urgency. */
export const alertKinds = [
  'bot_refused',
  'bot_conflict',
  'bot_trouble',
  'backend_down',
  'chats_parked',
  'backlog',
  'dead_letters',
  'reader_failing',
  'reader_behind',
  'unknown_sends',
  'updates_dropped',
  'route_failing',
  'route_to_disabled',
  'weak_secret',
  'webhook_moved',
  'bot_disabled',
] as const;
export type AlertKind = (typeof alertKinds)[number];

export interface Alert {
  kind: AlertKind;
  botId: number;
  /** How many of what the kind is about; 0 where nothing is counted. */
  count: number;
  /** Milliseconds since the epoch, 0 where it is not known. */
  since: number;
  /** What the service or the platform said about it, '' when nothing. */
  text: string;
  /** The same for programs, where it is a reason of ours. */
  detail?: Reason;
  /** The app that it is about; left out, it is the bot itself. */
  app?: string;
  /** The reader that is behind or has lost something: push, pull:<name> and the like. */
  reader?: string;
  /** Why the last delivery to the backend or its last check failed. */
  reason?: string;
  reasonDetail?: Reason;
  /** When that was, in milliseconds since the epoch; 0 where it is not known. */
  seenAt?: number;
  routeId?: number;
  /** The bot that a route leads to. */
  targetBotId?: number;
}

/*
 * Notifications between nodes that share a database. They may be lost and may come twice: whoever gets one
 * looks at the database, and looks again from time to time without one.
 */

import type { BucketRow } from '../../core/stats/live-metrics.ts';

/** What a notification is about, and what it says. */
export interface NotificationPayloads {
  /** A bot's log grew up to this position. */
  appended: { botId: number; lastPosition: number };
  /** A bot's settings changed; with `retire`, it is about to be deleted. */
  bot: { botId: number; retire?: boolean };
  /** The node that runs a bot works by the settings of that `updated_at`. */
  applied: { botId: number; updatedAt: number };
  /** No node is to deliver for these readers of a bot until `resume`; what is in flight is finished. */
  drain: { id: string; botId: number; readers: readonly string[] };
  /** A node has done so. */
  drained: { id: string; node: string };
  /** The drain of that id is over. */
  resume: { id: string };
  /** Of a send of an app that answers for replies: who sent it is stored, or nothing was sent. */
  sent: { id: string };
  /** A node let bots go, so others can take them. */
  released: Record<string, never>;
  /** What waits for a bot's backend was changed by someone else than the bot's owner. */
  push: { botId: number };
  /** Something waits to be sent through a bot. */
  outbox: { botId: number };
  /** Someone set a reader of a bot's log to another position, or removed it. */
  reader: { botId: number; reader: string };
  /** A poll of a consumer started to wait. Its own node receives this too, in order. */
  poll: { botId: number; consumer: string; pollId: string };
  /** A setting, key or user changed. */
  settings: { name: string };
  /** Something for the page and API clients. */
  event: { event: unknown };
  /** A client of this node listens to events; said again and again while one does. */
  listening: Record<string, never>;
  /** What a node counted in a time bucket. */
  liveMetrics: { slot: number; rows: readonly BucketRow[] };
}

export type NotificationTopic = keyof NotificationPayloads;

/** Delivered to the sender too, so that all nodes agree which of two came first. */
export const echoedTopics: ReadonlySet<NotificationTopic> = new Set(['poll']);

export interface Notifications {
  /** Tells the other nodes, soon and together with other notifications; never fails. */
  publish<T extends NotificationTopic>(topic: T, payload: NotificationPayloads[T]): void;
  /** Called with what other nodes published; and with what this one did, where that is echoed. */
  subscribe<T extends NotificationTopic>(
    topic: T,
    listener: (payload: NotificationPayloads[T]) => void,
  ): () => void;
  /** Called after notifications may have been missed. */
  onGap(listener: () => void): () => void;
  close(): Promise<void>;
}

/** One node alone has nobody to tell. */
export function createSilentNotifications(): Notifications {
  return {
    publish: () => {},
    subscribe: () => () => {},
    onGap: () => () => {},
    close: async () => {},
  };
}

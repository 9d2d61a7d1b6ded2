/*
 * Sends notifications between nodes that share a database. They may be lost and may come twice, so
 * a receiver looks into the database, and also looks from time to time without one.
 */

import type { PacedClass } from '../../core/messages/send-class.ts';
import type { BucketRow } from '../../core/stats/live-metrics.ts';

/** The topics of notifications and their payloads. */
export interface NotificationPayloads {
  /** A bot's log grew up to this position. */
  appended: { botId: number; lastPosition: number };
  /** A bot's settings changed; with `retire`, it is about to be deleted. */
  bot: { botId: number; retire?: boolean };
  /** The node that runs a bot has applied the settings of that `updated_at`. */
  applied: { botId: number; updatedAt: number };
  /** No node may deliver for these readers of a bot until `resume`; deliveries in flight finish. */
  drain: { id: string; botId: number; readers: readonly string[] };
  /** A node has finished the drain. */
  drained: { id: string; node: string };
  /** The drain with this ID is over. */
  resume: { id: string };
  /** A send of an app that receives replies ended: its sender is stored, or nothing was sent. */
  sent: { id: string };
  /** A node released bots, so others can take them. */
  released: Record<string, never>;
  /** Another node than the bot's owner changed what waits for its backend. */
  push: { botId: number };
  /** Something waits to be sent through a bot; `broadcast` if one was started or stopped. */
  outbox: { botId: number; broadcast?: true };
  /** Telegram answered 429: how long the chat waits, and the rates learned from it. */
  floodWait: {
    botId: number;
    chat: string;
    pacedClass: PacedClass;
    leftMs: number;
    rates: Record<string, { burst: number; intervalMs: number }>;
  };
  /** Someone moved or removed a reader of a bot's log. */
  reader: { botId: number; reader: string };
  /** A poll of a consumer started to wait. Its own node receives this too, in order. */
  poll: { botId: number; consumer: string; pollId: string };
  /** A setting, key or user changed. */
  settings: { name: string };
  /** An event for the web UI and API clients. */
  event: { event: unknown };
  /** A client of this node listens to events; repeated while one does. */
  listening: Record<string, never>;
  /** A node's counts in a time bucket. */
  liveMetrics: { slot: number; rows: readonly BucketRow[] };
}

export type NotificationTopic = keyof NotificationPayloads;

/** These topics also reach the sender, so that all nodes agree which of two came first. */
export const echoedTopics: ReadonlySet<NotificationTopic> = new Set(['poll']);

export interface Notifications {
  /** Notifies the other nodes soon, together with other notifications; never fails. */
  publish<T extends NotificationTopic>(topic: T, payload: NotificationPayloads[T]): void;
  /**
   * Calls the listener with what other nodes published, and for echoed topics also with what this
   * one did.
   */
  subscribe<T extends NotificationTopic>(
    topic: T,
    listener: (payload: NotificationPayloads[T]) => void,
  ): () => void;
  /** Called after notifications may have been missed. */
  onGap(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Does nothing, because a single node has no other to notify. */
export function createSilentNotifications(): Notifications {
  return {
    publish: () => {},
    subscribe: () => () => {},
    onGap: () => () => {},
    close: async () => {},
  };
}

/*
 * Everything that the parts of the relay tell each other, by name. Subscribers run at once, in the
 * process of the publisher.
 *
 * Invariant: what an event tells is recorded before the event is published.
 */
import type { MessageFact } from '../../core/messages/archive-facts.ts';
import type { Author } from '../../core/messages/author.ts';
import type { EventBus, EventData, EventType } from '../../core/ports.ts';
import type { SendStateLabel } from '../../core/stats/relay-metrics.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { FloodWait } from '../pacing/flood-waits.ts';

/** Facts that concern only this process; clients and other nodes do not receive them. */
export interface FactData {
  /** This node appended these entries to the log. */
  stored: readonly LogEntry[];
  /** The bot sent, or changed, these messages, which are in the archive. */
  sent: { messages: readonly MessageFact[]; author?: Author | undefined };
  /** The outbox sent messages of an app; 0 is the default app. */
  appSent: { appId: number; messages: number };
  /** A send that routing had prepared arrived. */
  routed: OutboxRecord;
  /** The worker of the outbox is done with a try to send this. */
  tried: Pick<OutboxRecord, 'id' | 'appId'>;
  /** A try to send with this method failed; the send may be repeated. */
  sendFailed: string;
  /** A send ended in this state. */
  sendEnded: SendStateLabel;
  /** The outcome of this send was recorded after an outage, so the next one of the chat may go. */
  recordedLate: number;
  /** A send waited so many milliseconds for its turn. */
  sendWaited: number;
  /** Telegram took a send of the relay; chat 0 means no chat. */
  accepted: { chatId: number; method: string };
  /** Telegram answered a send of the relay, or a paced one of an app, with 429. */
  rateLimited: RateLimited;
  /** A chat has to wait, or has to wait longer. */
  floodWait: FloodWait;
  /** Telegram answered a send, an edit, a copy or a forward that a client made by the gateway. */
  passedThrough: PassedThrough;
}

export interface RateLimited {
  /** The name of the app; '' for the relay itself. */
  app: string;
  /** The chat as the call names it; '' for none. */
  chat: string;
  method: string;
  retryAfterSeconds: number;
}

export interface PassedThrough {
  /** The name of the app. */
  app: string;
  /** True if the relay paces the app. */
  isPaced: boolean;
  chatId: number | undefined;
  method: string;
  status: number;
  retryAfterSeconds: number | undefined;
}

export type RelayEventData = EventData & FactData;
export type EventName = keyof RelayEventData;
export type EventListener<Name extends EventName> = (
  botId: number,
  data: RelayEventData[Name],
) => void;

export interface RelayEvents extends EventBus {
  publish<Name extends EventName>(name: Name, botId: number, data: RelayEventData[Name]): void;
  /** Adds a subscriber of this process; it also hears what other nodes tell clients. */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): void;
  /** True if any client listens, on this node or on another. */
  readonly isHeard: boolean;
}

export type Publish = Pick<RelayEvents, 'publish'>;

const facts: Record<keyof FactData, true> = {
  stored: true,
  sent: true,
  appSent: true,
  routed: true,
  tried: true,
  sendFailed: true,
  sendEnded: true,
  recordedLate: true,
  sendWaited: true,
  accepted: true,
  rateLimited: true,
  floodWait: true,
  passedThrough: true,
};

/** True for events that clients and other nodes receive. */
export const isForClients = (name: EventName): name is EventType => !(name in facts);

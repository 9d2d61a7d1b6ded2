import { type Author, readAuthor } from '../../core/messages/author.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';

export type OutboxOrigin = 'sent' | 'routed' | 'answer' | 'hook' | 'gateway';
export type OutboxState = 'scheduled' | 'queued' | 'sending' | 'sent' | 'failed' | 'unknown';

export interface OutboxRecord {
  id: number;
  botId: number;
  chatId: number;
  method: string;
  params: string;
  context: string;
  origin: OutboxOrigin;
  /** 0 for the bot itself. */
  appId: number;
  /** When it is due; 0 if it was to be sent at once. */
  sendAt: number;
  intentKey: string | null;
  state: OutboxState;
  /** An index of `sendPriorities`. */
  priority: number;
  notBefore: number;
  attempts: number;
  /** The error as a sentence; '' if there is none. */
  error: string;
  errorDetail: Reason | null;
  messageId: number | null;
  createdAt: number;
  updatedAt: number;
  /** Undefined for sends of earlier versions. */
  author: Author | undefined;
}

/** A record as it is stored. */
export type OutboxRow = Omit<OutboxRecord, 'author' | 'errorDetail'> & { author: string | null };

export const outboxColumns = `id, bot_id as "botId", chat_id as "chatId", method, params, context, origin,
  app_id as "appId", send_at as "sendAt", intent_key as "intentKey", state, priority, not_before as "notBefore", attempts, error,
  message_id as "messageId", created_at as "createdAt", updated_at as "updatedAt", author`;

/** A send in the state `sending`, with the node that took it. */
export interface SendInFlight {
  id: number;
  node: string;
  /** The time by the clock of that node. */
  since: number;
}

export function toRecord(row: OutboxRow): OutboxRecord {
  const { text, detail } = unpackReason(row.error);
  return { ...row, error: text, errorDetail: detail, author: readAuthor(row.author) };
}

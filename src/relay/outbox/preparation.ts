import type { MessageFact } from '../../core/messages/archive-facts.ts';
import type { Step } from '../../store/engine.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { PlatformRefused } from '../../telegram/errors.ts';

/** The call that is actually sent. */
export interface PreparedCall {
  method: string;
  params: Record<string, unknown>;
  /** What people should know about the send although it succeeded. */
  note?: string;
  /** The parameters of sends by the same method, each made once the one before was sent. */
  following?: readonly Record<string, unknown>[];
  /** Passed back to the code that prepared the call. */
  context?: unknown;
  /** Returns what the archive keeps if the platform's answer contains only IDs. */
  archived?: (result: unknown) => MessageFact[];
}

/** What routing does for a stored send that has a context. */
export interface Preparation {
  /** Fetches files of other bots and fills in IDs that are only known when it is sent. */
  prepare(record: OutboxRecord): Promise<PreparedCall>;
  /** Returns another way to send what the platform refused; undefined if there is none. */
  instead(
    record: OutboxRecord,
    refused: PreparedCall,
    error: PlatformRefused,
  ): Promise<PreparedCall | undefined>;
  /** Adds to the commit that records a success. */
  recordAlso(record: OutboxRecord, sent: PreparedCall, result: unknown): Step<void>;
}

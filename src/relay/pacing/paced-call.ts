import type { PacedClass } from '../../core/messages/send-class.ts';
import type { PacedChat } from './flood-waits.ts';

/** Telegram's answer to a send, for callers whose edit it replaced. */
export interface Answer {
  status: number;
  body: Buffer;
}

/** A call of an app, as its pacing sees it. */
export interface PacedCall extends PacedChat {
  /** The name of the app. */
  app: string;
  method: string;
  pacedClass: PacedClass;
  /** The message that the call edits, or the messages that it deletes. */
  messages: readonly string[];
  patienceMs: number;
  /** The part of the call that is in memory. */
  bytes: number;
  /** Aborted when the caller went away. */
  gone: AbortSignal;
  /** Calls Telegram. A 429 is only returned, and was not passed on, if the call can be repeated. */
  send(wasHeld: boolean): Promise<Sent>;
}

export type Sent =
  | { kind: 'refused'; retryAfterSeconds: number }
  /** The caller has its answer; other callers of the same send get this one. */
  | { kind: 'ended'; isAccepted: boolean; answer: Answer | undefined };

export type PacedEnd =
  /** The caller has its answer, or went away. */
  | { kind: 'ended' }
  /** A later edit was sent in place of this one; without an answer its outcome is unknown. */
  | { kind: 'merged'; answer: Answer | undefined }
  /** Nothing was sent, and the caller need not know. */
  | { kind: 'dropped' }
  /** The message was deleted while its edit was held. */
  | { kind: 'cancelled' };

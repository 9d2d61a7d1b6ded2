/* A question that the relay asks people in a chat for a client, and what became of it. */
import type { Author } from '../messages/author.ts';

export const questionEnds = ['answered', 'expired', 'cancelled'] as const;
export const questionStates = ['open', ...questionEnds] as const;
export type QuestionState = (typeof questionStates)[number];
export type QuestionEnd = (typeof questionEnds)[number];

/** The states of the call that tells the end of a question; '' if there is nobody to call. */
export const callbackStates = ['', 'waiting', 'delivered', 'failed'] as const;
export type CallbackState = (typeof callbackStates)[number];

export interface Question {
  id: number;
  botId: number;
  chatId: number;
  /** 0 for none. */
  threadId: number;
  text: string;
  /** The labels of the buttons; without any, the answer is a message. */
  options: readonly string[];
  /** Who may answer; empty for everybody in the chat. */
  userIds: readonly number[];
  /** The client that asked. */
  askedBy: Author;
  /** Makes the buttons of this question valid. */
  nonce: string;
  /** The key of the send in the outbox; '' while it has to be queued. */
  intent: string;
  /** 0 until Telegram said which message it is. */
  messageId: number;
  state: QuestionState;
  answer: string;
  /** 0 while nobody has answered. */
  answeredBy: number;
  answererName: string;
  createdAt: number;
  expiresAt: number;
  /** 0 while it is open. */
  endedAt: number;
  callbackUrl: string;
  callbackState: CallbackState;
  callbackAttempts: number;
  /** When the next call is due; 0 if none is. */
  callbackAt: number;
  callbackError: string;
}

export const questionLimits = {
  options: { least: 2, most: 10, length: 64 },
  userIds: 100,
  openPerBot: 1_000,
  lifetimeMs: 24 * 3_600_000,
  longestLifetimeMs: 30 * 24 * 3_600_000,
} as const;

/** Sends for a question name it, and who asked. */
export function askAuthor({ id, askedBy }: Pick<Question, 'id' | 'askedBy'>): Author {
  return { kind: 'ask', id, name: askedBy.name };
}

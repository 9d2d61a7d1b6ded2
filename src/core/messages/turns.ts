/*
 * A turn is one step of a conversation: somebody asks, or answers. Conversations are private chats
 * and chats of business accounts, whose number is that of the person, so it is positive.
 */
import { object, type Wire } from '../log/wire.ts';
import type { MessageFact, TurnFact } from './archive-facts.ts';
import { isServiceContent } from './message-content.ts';

/** Undefined for groups, service messages and messages of bots. */
export function turnOf(message: Wire, fact: MessageFact): TurnFact | undefined {
  const { chatId, threadId, userId, date } = fact;
  if (chatId <= 0 || userId <= 0 || object(message.from)?.is_bot === true) return undefined;
  if (fact.editedAt !== null || isServiceContent(fact.extra)) return undefined;
  const words = fact.text === '' ? [] : [fact.text];
  const does = userId !== chatId ? 'answers' : isStart(fact.text) ? 'starts' : 'asks';
  // Telegram shows what a bot or an automatic greeting wrote for a business account as its owner's.
  const isByItself = message.sender_business_bot !== undefined || message.is_from_offline === true;
  if (does === 'answers' && isByItself) return undefined;
  return { chatId, threadId, at: date * 1000, does, words };
}

export function turnOfPress(
  { chatId, threadId, userId, date, text: data }: MessageFact,
  label = '',
): TurnFact | undefined {
  if (chatId <= 0 || chatId !== userId) return undefined;
  const words = [data, label].filter(Boolean);
  return { chatId, threadId, at: date * 1000, does: 'asks', words };
}

/** The command by which a chat with a bot begins is no question. */
export function isStart(words: string): boolean {
  return /^\/start(?:@\w+)?(?:\s|$)/.test(words);
}

/** The command without the name of the bot and what follows it; any other text as a whole. */
export function wordOf(words: string): string {
  const command = /^\/\w+/.exec(words)?.[0];
  return (command ?? words.trim()).toLowerCase();
}

/** The settings of a managed bot that decide what waits and what answers. */
export interface ManagedBot {
  automatic_answers: string;
  /** A JSON array of commands and buttons. */
  handoff: string;
  /** 1 if each topic of its private chats is a conversation. */
  per_topic: number;
}

export type ManagedBots = ReadonlyMap<number, ManagedBot>;

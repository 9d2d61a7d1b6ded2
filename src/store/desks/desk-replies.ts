/* What a desk says to customers by itself. It is no answer: anyone who waits still waits. */
import type { Customer } from '../../core/desks/desk.ts';
import { type DeskOptions, type LocalText, textFor } from '../../core/desks/desk-options.ts';
import { isSameAbsence, openMinutes } from '../../core/desks/working-hours.ts';
import { topicParam } from '../../core/messages/topics.ts';
import { raw, type Step } from '../engine.ts';
import { enqueueIntent } from '../outbox/outbox.ts';
import { relayAuthor } from './desk-queue.ts';

export type ReplyTarget = Pick<Customer, 'botId' | 'chatId' | 'connection' | 'fromThreadId'>;

/** Says once per absence that nobody is there. Returns the bot that says it, or 0. */
export function* replyInAbsence(
  { away_replies, working_hours: hours }: DeskOptions,
  customer: ReplyTarget,
  key: string,
  nowMs: number,
): Step<number> {
  if (!hours || away_replies.length === 0) return 0;
  if (openMinutes(hours, nowMs) !== undefined) return 0;
  const { botId, chatId } = customer;
  const [topic] = yield* raw<{ id: number; away_at: number; banned: number }>(
    'select id, away_at, banned from desk_topics where bot_id = $1 and chat_id = $2',
    [botId, chatId],
  );
  if (!topic || topic.banned !== 0) return 0;
  if (topic.away_at > 0 && isSameAbsence(hours, topic.away_at, nowMs)) return 0;
  yield* raw('update desk_topics set away_at = $2 where id = $1', [topic.id, nowMs]);
  return yield* tellCustomer(away_replies, customer, key, nowMs);
}

/** Sends the text in the language of the customer. Returns the bot, or 0 if there is no text. */
export function* tellCustomer(
  texts: readonly LocalText[],
  target: ReplyTarget,
  key: string,
  nowMs: number,
): Step<number> {
  const text = yield* textForCustomer(texts, target.chatId);
  return text === '' ? 0 : yield* sendToCustomer(text, target, key, nowMs);
}

/** Returns the text in the language of the customer; '' if there is none, or the customer is forgotten. */
export function* textForCustomer(texts: readonly LocalText[], chatId: number): Step<string> {
  if (chatId <= 0) return '';
  const [person] = yield* raw<{ language_code: string | null }>(
    'select language_code from people where user_id = $1',
    [chatId],
  );
  return textFor(texts, person?.language_code ?? '');
}

/** Returns the bot that sends it. */
export function* sendToCustomer(
  text: string,
  { botId, chatId, connection, fromThreadId }: ReplyTarget,
  key: string,
  nowMs: number,
  more: Record<string, unknown> = {},
): Step<number> {
  const params = {
    chat_id: chatId,
    ...(connection === '' ? {} : { business_connection_id: connection }),
    ...(fromThreadId === 0 ? {} : topicParam(fromThreadId)),
    text,
    ...more,
  };
  const how = { origin: 'sent', priority: 'bulk', author: relayAuthor, intentKey: key } as const;
  yield* enqueueIntent({ botId, chatId, method: 'sendMessage', params, ...how }, nowMs);
  return botId;
}

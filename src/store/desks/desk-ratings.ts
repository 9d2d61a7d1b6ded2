/*
 * Asks customers to rate their conversation once it is done, and stores what they answer. Neither
 * the question nor the rating is an answer: nobody waits because of them.
 */
import { readOptions } from '../../core/desks/desk-options.ts';
import { ratedText, ratingKeyboard, ratingThanks } from '../../core/desks/rating-message.ts';
import { answerClaim } from '../../core/apps/claims.ts';
import { routingReader } from '../../core/log/reader-kinds.ts';
import type { Press } from '../../core/messages/own-buttons.ts';
import { reason } from '../../core/reasons/reason.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { enqueueIntent, type OnSent } from '../outbox/outbox.ts';
import {
  allDone,
  type ChangedConversation,
  endTopics,
  stateRow,
  whoHas,
} from '../conversations/topic-states.ts';
import { touchCards } from '../people/touch-cards.ts';
import { isOfCustomer, noteForCustomer, relayAuthor } from './desk-queue.ts';
import { sendToCustomer, textForCustomer } from './desk-replies.ts';

/** A conversation that is done again soon was about the same. */
const askAgainMs = 12 * 3_600_000;

interface ChatKey {
  botId: number;
  chatId: number;
}

/**
 * Nobody waits in the conversation any more, or without a topic in the chat and all topics of it.
 * Returns the bot that asks for a rating once nothing is left to do, or 0.
 */
export function* endConversation(
  newNonce: () => string,
  { botId, chatId, threadId }: ChangedConversation,
  nowMs: number,
): Step<number> {
  const [chat] = yield* stateOf(botId, chatId);
  if (!chat) return 0;
  const { table, key, ids } = stateRow({ botId, chatId, threadId: threadId ?? 0 });
  yield* raw(
    `update ${table} set is_done = 1, unanswered_since = 0, needs_person = 0, snoozed_until = 0
     where ${key}`,
    ids,
  );
  if (threadId === undefined) yield* endTopics(botId, chatId);
  yield* touchCards(chatId, botId);
  if (chat.done === 1) return 0;
  if (threadId !== undefined && (yield* stateOf(botId, chatId))[0]?.done !== 1) return 0;
  return yield* askForRating(newNonce(), { botId, chatId, ...chat }, nowMs);
}

/**
 * True if the customer wrote something that the team could not see in the topic when it ended the
 * conversation: at that time by Telegram's clock, Infinity if Telegram does not tell it.
 */
export function* hasUnseen(topicId: number, endedAt: number): Step<boolean> {
  const waiting = yield* raw(
    `select 1 from desk_items where topic_id = $1 and ${isOfCustomer} limit 1`,
    [topicId],
  );
  if (waiting.length > 0) return true;
  const [last] = yield* raw<{ bot_id: number; date: number; position: number | null }>(
    `select m.bot_id, m.date, m.position from desk_topics t
       join messages m on m.bot_id = t.bot_id and m.chat_id = t.chat_id and m.user_id = t.chat_id
     where t.id = $1 and m.origin = 'received' and coalesce(m.media_type, '') <> 'callback'
     order by m.date desc, m.id desc limit 1`,
    [topicId],
  );
  if (!last) return false;
  if (last.date * 1000 > endedAt) return true;
  // It may be stored and not decided yet. What answers a question is never decided.
  const undecided = yield* raw(
    `select 1 from log l join readers r
       on r.bot_id = l.bot_id and r.name = $3 and r.position < l.position
     where l.bot_id = $1 and l.position = $2 and l.claimed_by <> $4
       and not exists (select 1 from route_decisions where bot_id = $1 and position = $2)`,
    [last.bot_id, last.position, routingReader, answerClaim],
  );
  return undecided.length > 0;
}

const stateOf = (botId: number, chatId: number) =>
  raw<{ done: number; assignee: string; name: string }>(
    `select ${allDone} as done, ${whoHas('assignee')} as assignee, ${whoHas('assignee_name')} as name
     from chats c where c.bot_id = $1 and c.chat_id = $2`,
    [botId, chatId],
  );

interface AskedRow {
  id: number;
  desk_id: number;
  connection: string;
  from_thread_id: number;
  rating_at: number;
  name: string;
  settings: string;
}

function* askForRating(
  nonce: string,
  { assignee, botId, chatId, name }: ChatKey & { assignee: string; name: string },
  nowMs: number,
): Step<number> {
  const [topic] = yield* raw<AskedRow>(
    `select t.id, t.desk_id, t.connection, t.from_thread_id, t.rating_at, d.name, d.settings
     from desk_topics t join desks d on d.id = t.desk_id join bots b on b.id = t.bot_id
     where t.bot_id = $1 and t.chat_id = $2 and t.banned = 0 and t.rating_at <= $3
       and b.disabled = 0`,
    [botId, chatId, nowMs - askAgainMs],
  );
  if (!topic) return 0;
  const { rating_questions: questions } = readOptions(topic);
  const text = questions.length === 0 ? '' : yield* textForCustomer(questions, chatId);
  if (text === '') return 0;
  const { id: topicId, connection, desk_id, rating_at, from_thread_id: fromThreadId } = topic;
  const mine = yield* raw(
    'update desk_topics set rating_at = $3 where id = $1 and rating_at = $2 returning 1 as one',
    [topicId, rating_at, nowMs],
  );
  if (mine.length === 0) return 0;
  // A new question ends an earlier one that nobody answered.
  yield* raw('delete from desk_ratings where bot_id = $1 and chat_id = $2 and rating = 0', [
    botId,
    chatId,
  ]);
  const [added] = yield* raw<{ id: number }>(
    `insert into desk_ratings
       (bot_id, desk_id, chat_id, connection, nonce, text, assignee, assignee_name, asked_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    [botId, desk_id, chatId, connection, nonce, text, assignee, name, nowMs],
  );
  const id = added?.id ?? 0;
  const target = { botId, chatId, connection, fromThreadId };
  const reply_markup = ratingKeyboard(id, nonce);
  return yield* sendToCustomer(text, target, `${keyPrefix}${id}`, nowMs, { reply_markup });
}

const keyPrefix = 'desk:rate:';

/** Runs in the commit that records a send: only the message of the question has valid buttons. */
export function* ratingSent(
  { author, intentKey }: Parameters<OnSent>[0],
  messageId: number | null,
): Step<void> {
  if (author?.kind !== 'relay' || !intentKey?.startsWith(keyPrefix) || messageId === null) return;
  yield* raw('update desk_ratings set message_id = $2 where id = $1', [
    Number(intentKey.slice(keyPrefix.length)),
    messageId,
  ]);
}

export interface RatingPress extends Press {
  botId: number;
  id: number;
  nonce: string;
  rating: number;
  /** Names the press, so that what it causes happens once. */
  key: string;
}

/** Stores the first rating of a question. Returns the bots that say so. */
export function* rate(
  dialect: DialectName,
  { botId, id, nonce, rating, key, ...press }: RatingPress,
  nowMs: number,
): Step<readonly number[]> {
  const { chatId, isShown, messageId, queryId, userId } = press;
  // Ending a conversation locks the topic before the ratings, too.
  yield* raw(
    `select 1 from desk_topics where bot_id = $1 and chat_id = $2
     ${wordsOf[dialect].lock('for update')}`,
    [botId, chatId],
  );
  // Until its number is known, Telegram must say that the message has the button.
  const [rated] = yield* raw<{ text: string; connection: string }>(
    `update desk_ratings set rating = $6, rated_at = $7, message_id = $5
     where id = $1 and nonce = $2 and bot_id = $3 and chat_id = $4 and chat_id = $8 and rating = 0
       and message_id in ($5, $9) returning text, connection`,
    [id, nonce, botId, chatId, messageId, rating, nowMs, userId, isShown ? 0 : messageId],
  );
  const how = { botId, origin: 'sent', priority: 'interactive', author: relayAuthor } as const;
  const text = rated ? ratingThanks(rating) : '';
  yield* enqueueIntent(
    {
      ...how,
      chatId: 0,
      method: 'answerCallbackQuery',
      params: { callback_query_id: queryId, ...(rated ? { text } : {}) },
      intentKey: `${key}:press`,
    },
    nowMs,
  );
  if (!rated) return [botId];
  const { connection } = rated;
  const params = {
    chat_id: chatId,
    message_id: messageId,
    ...(connection === '' ? {} : { business_connection_id: connection }),
    text: ratedText(rated.text, rating),
  };
  yield* enqueueIntent(
    { ...how, chatId, method: 'editMessageText', params, intentKey: `${key}:edit` },
    nowMs,
  );
  const note = { key: `${key}:rated`, why: reason('desk_rated', { rating }) };
  return [botId, yield* noteForCustomer(dialect, { botId, chatId }, note, nowMs)];
}

/*
 * What waits to be sent into the topics of customers, one step at a time for each topic.
 *
 * Invariants: a topic has one step in the outbox at most (`doing` is its key); the result of a step,
 * the end of its item and the next step are in the transaction that records the outcome; items of a
 * topic go in order, and none is dropped but one that Telegram will never take. A step whose outcome
 * is unknown is repeated, because it only concerns the team's own topic (docs/adr/0033-desks.md).
 */
import {
  type Customer,
  type DeskCall,
  type DeskItem,
  storedOptions,
} from '../../core/desks/desk.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { type ChangedConversation, endWaiting } from '../conversations/topic-states.ts';
import { enqueueIntent } from '../outbox/outbox.ts';
import { touchCards } from '../people/touch-cards.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type ItemRow, nextStep, type StepIntent, type TopicRow } from './desk-steps.ts';

export const first = 0;
export const inTurn = 1;

/** A condition: a customer wrote what is to be sent. */
export const isOfCustomer = `call like '%"isOfCustomer":true%'`;

interface NewTopicRow {
  id: number;
  banned: number;
  card_shown: string;
}

/**
 * Takes what a customer wrote for the desk of the bot; returns the bot that writes in the forum, or
 * 0 if there is nothing to send at the moment. A customer who is banned waits for nobody: `onChange`
 * hears of that.
 */
export function* takeForDesk(
  dialect: DialectName,
  deskId: number,
  customer: Customer,
  items: readonly DeskItem[],
  nowMs: number,
  onChange: (conversation: ChangedConversation) => void,
): Step<number> {
  const { botId, chatId, connection, fromThreadId, name } = customer;
  // Appends lock the chat before the topic, and so does this.
  const banned = yield* raw(
    'select 1 from desk_topics where bot_id = $1 and chat_id = $2 and banned <> 0',
    [botId, chatId],
  );
  if (banned.length > 0) {
    if (yield* endWaiting(botId, chatId)) onChange({ botId, chatId });
    return 0;
  }
  const [topic] = yield* raw<NewTopicRow>(
    `insert into desk_topics (desk_id, bot_id, chat_id, connection, from_thread_id, name, created_at)
     select desk_id, bot_id, $3, $4, $5, $6, $7 from desk_bots where bot_id = $1 and desk_id = $2
     on conflict (bot_id, chat_id) do update set connection = excluded.connection,
       from_thread_id = excluded.from_thread_id returning id, banned, card_shown`,
    [botId, deskId, chatId, connection, fromThreadId, name, nowMs],
  );
  if (!topic || topic.banned !== 0) return 0;
  if (topic.card_shown.includes('"done":true')) yield* touchCards(chatId, botId);
  for (const item of items) yield* addItem(topic.id, item, inTurn);
  return yield* takeStep(dialect, topic.id, nowMs);
}

/** Tells the team something in the topic of a customer. */
export function* noteInTopic(
  dialect: DialectName,
  topicId: number,
  note: { key: string; why: Reason; replyTo?: number },
  nowMs: number,
): Step<number> {
  const [topic] = yield* raw('select 1 from desk_topics where id = $1', [topicId]);
  if (!topic) return 0;
  const call = noteCall(note.why, note.replyTo);
  yield* addItem(topicId, { key: note.key, call }, inTurn);
  return yield* takeStep(dialect, topicId, nowMs);
}

/** The same, by the customer; nothing is said if there is no topic. */
export function* noteForCustomer(
  dialect: DialectName,
  { botId, chatId }: Pick<Customer, 'botId' | 'chatId'>,
  note: { key: string; why: Reason },
  nowMs: number,
): Step<number> {
  const [topic] = yield* raw<{ id: number }>(
    'select id from desk_topics where bot_id = $1 and chat_id = $2 and banned = 0',
    [botId, chatId],
  );
  return topic ? yield* noteInTopic(dialect, topic.id, note, nowMs) : 0;
}

/** What the relay says by itself; if Telegram refuses it, nobody is told. */
export const relayAuthor = { kind: 'relay', id: 0, name: 'desk' } as const;

export function noteCall(why: Reason, replyTo?: number): DeskCall {
  const reply = { message_id: replyTo, allow_sending_without_reply: true };
  return {
    method: 'sendMessage',
    params: {
      disable_notification: true,
      ...(replyTo === undefined ? {} : { reply_parameters: reply }),
    },
    says: why,
    author: relayAuthor,
  };
}

/** Makes another call in the topic, after what waits there. */
export function* addDeskCall(
  dialect: DialectName,
  topicId: number,
  key: string,
  method: string,
  params: Record<string, unknown>,
  nowMs: number,
): Step<number> {
  yield* addItem(topicId, { key, call: { method, params, author: relayAuthor } }, inTurn);
  return yield* takeStep(dialect, topicId, nowMs);
}

export function* addItem(topicId: number, { key, call }: DeskItem, rank: number): Step<void> {
  yield* raw(
    `insert into desk_items (topic_id, rank, key, call) values ($1, $2, $3, $4)
     on conflict (key) do nothing`,
    [topicId, rank, key, JSON.stringify(call)],
  );
}

/**
 * Queues the next step of a topic, unless one is queued; returns the bot that makes it, or 0. A
 * topic with a problem waits unless `isForced`.
 */
export function* takeStep(
  dialect: DialectName,
  topicId: number,
  nowMs: number,
  isForced = false,
): Step<number> {
  const topic = yield* lockTopic(dialect, topicId);
  if (!topic || topic.doing !== '' || (topic.problem !== '' && !isForced)) return 0;
  const [item] = yield* raw<ItemRow>(
    `select id, key, call, repeated from desk_items where topic_id = $1
     order by rank, id limit 1`,
    [topicId],
  );
  if (!item) return 0;
  // The customer was forgotten, and the topic is gone: nobody is told.
  if (topic.thread_id === null && topic.chat_id <= 0) {
    yield* raw('delete from desk_items where topic_id = $1', [topicId]);
    return 0;
  }
  const intent = yield* nextStep(topic, item);
  yield* raw('update desk_topics set doing = $2 where id = $1', [topicId, intent.intentKey]);
  yield* queueStep(intent, nowMs);
  return topic.desk_bot_id;
}

/** Queues the next step of a topic that has a problem, or whose step was lost by a restore. */
export function* takeUpStep(dialect: DialectName, topicId: number, nowMs: number): Step<number> {
  const topic = yield* lockTopic(dialect, topicId);
  if (!topic) return 0;
  if (topic.doing !== '') {
    const [open] = yield* raw(
      `select 1 from outbox where intent_key = $1 and state in ('queued', 'sending')`,
      [topic.doing],
    );
    if (open) return 0;
    yield* stepLost(topic);
  }
  return yield* takeStep(dialect, topicId, nowMs, true);
}

/** The step is repeated, because it may not have been made. */
export function* stepLost({ id, doing }: Pick<TopicRow, 'id' | 'doing'>): Step<void> {
  yield* raw('update desk_items set repeated = 1 where topic_id = $1 and key = $2', [id, doing]);
  yield* raw(`update desk_topics set doing = '' where id = $1`, [id]);
}

export function* lockTopic(dialect: DialectName, topicId: number): Step<TopicRow | undefined> {
  const [topic] = yield* raw<Omit<TopicRow, 'language' | 'working_hours'> & { settings: string }>(
    `select t.id, t.desk_id, d.name as desk_name, d.desk_bot_id, d.chat_id as forum_id, t.bot_id,
       t.chat_id, t.name, t.thread_id, t.generation, t.closed, t.doing, t.problem, d.settings
     from desk_topics t join desks d on d.id = t.desk_id where t.id = $1
     ${wordsOf[dialect].lock('for update of t')}`,
    [topicId],
  );
  return topic && { ...topic, ...storedOptions(topic.settings) };
}

/** Queues a step for the first time, or again. */
function* queueStep(intent: StepIntent, nowMs: number): Step<void> {
  if ((yield* enqueueIntent(intent, nowMs)) !== undefined) return;
  yield* raw(
    `update outbox set state = 'queued', bot_id = $2, chat_id = $3, method = $4, params = $5,
       context = $6, error = '', attempts = 0, not_before = 0, created_at = $7, updated_at = $7
     where intent_key = $1 and state <> 'sending'`,
    [
      intent.intentKey,
      intent.botId,
      intent.chatId,
      intent.method,
      JSON.stringify(intent.params),
      JSON.stringify(intent.context),
      nowMs,
    ],
  );
}

/*
 * What waits to be sent into the topics of customers, one step at a time for each topic.
 *
 * Invariants: a topic has one step in the outbox at most (`doing` is its key); the result of a step,
 * the end of its item and the next step are in the transaction that records the outcome; items of a
 * topic go in order, and none is dropped but one that Telegram will never take. A step whose outcome
 * is unknown is repeated, because it only concerns the team's own topic (docs/adr/0033-desks.md).
 */
import { type Customer, deskAuthor, type DeskCall, type DeskItem } from '../../core/desks/desk.ts';
import type { DeskAnswer, DeskStep } from '../../core/desks/desk.ts';
import { isoTime } from '../../core/iso-time.ts';
import { integer, object } from '../../core/log/wire.ts';
import { generalTopic, topicParam } from '../../core/messages/topics.ts';
import type { RefusalCode } from '../../core/reasons/platform.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { cardOf } from './desk-card.ts';
import { enqueueIntent, type OutboxIntent, type OutboxRecord } from '../outbox/outbox.ts';
import { wordsOf } from '../sql/dialect.ts';

interface TopicRow {
  id: number;
  desk_id: number;
  desk_name: string;
  desk_bot_id: number;
  forum_id: number;
  bot_id: number;
  chat_id: number;
  name: string;
  thread_id: number | null;
  generation: number;
  closed: number;
  doing: string;
  problem: string;
}

interface ItemRow {
  id: number;
  key: string;
  call: string;
  repeated: number;
}

/** Lost rights and the like are looked at again after this time, by one topic for all of a desk. */
const lookAgainMs = 60_000;
const nameLength = 128;
/** The colours that Telegram offers for the icons of topics, so that each bot of a desk has one. */
const iconColors = [7_322_096, 16_766_590, 13_338_331, 9_367_192, 16_749_490, 16_478_047];

/** These refusals are about the desk, not about one message: what customers write waits. */
const holding = new Set<RefusalCode | ''>(['no_rights', 'not_there', 'no_chat', 'no_topics']);

const first = 0;
export const inTurn = 1;

const cardKey = (topicId: number, generation: number) => `desk:card:${topicId}:${generation}`;

export const createKey = (topicId: number, generation: number) =>
  `desk:topic:${topicId}:${generation}`;

/**
 * Takes what a customer wrote for the desk of the bot; returns the bot that writes in the forum, or
 * 0 if there is nothing to send at the moment.
 */
export function* takeForDesk(
  dialect: DialectName,
  deskId: number,
  customer: Customer,
  items: readonly DeskItem[],
  nowMs: number,
): Step<number> {
  const { botId, chatId, connection, fromThreadId, name } = customer;
  const [topic] = yield* raw<{ id: number; banned: number }>(
    `insert into desk_topics (desk_id, bot_id, chat_id, connection, from_thread_id, name, created_at)
     select desk_id, bot_id, $3, $4, $5, $6, $7 from desk_bots where bot_id = $1 and desk_id = $2
     on conflict (bot_id, chat_id) do update set connection = excluded.connection,
       from_thread_id = excluded.from_thread_id returning id, banned`,
    [botId, deskId, chatId, connection, fromThreadId, name, nowMs],
  );
  if (!topic || topic.banned !== 0) return 0;
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

/** What the relay says by itself; if Telegram refuses it, nobody is told. */
const relayAuthor = { kind: 'relay', id: 0, name: 'desk' } as const;

function noteCall(why: Reason, replyTo?: number): DeskCall {
  const reply = { message_id: replyTo, allow_sending_without_reply: true };
  return {
    method: 'sendMessage',
    params: {
      text: `ℹ️ ${reasonText(why)}`,
      disable_notification: true,
      ...(replyTo === undefined ? {} : { reply_parameters: reply }),
    },
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
  const intent = yield* nextStep(topic, item);
  yield* raw('update desk_topics set doing = $2 where id = $1', [topicId, intent.intentKey]);
  yield* queueStep(intent, nowMs);
  return topic.desk_bot_id;
}

function* lockTopic(dialect: DialectName, topicId: number): Step<TopicRow | undefined> {
  const [topic] = yield* raw<TopicRow>(
    `select t.id, t.desk_id, d.name as desk_name, d.desk_bot_id, d.chat_id as forum_id, t.bot_id,
       t.chat_id, t.name, t.thread_id, t.generation, t.closed, t.doing, t.problem
     from desk_topics t join desks d on d.id = t.desk_id where t.id = $1
     ${wordsOf[dialect].lock('for update of t')}`,
    [topicId],
  );
  return topic;
}

type StepIntent = OutboxIntent & { intentKey: string };

function* nextStep(topic: TopicRow, item: ItemRow): Step<StepIntent> {
  const call = JSON.parse(item.call) as DeskCall;
  if (topic.thread_id === null) return yield* createTopic(topic);
  if (topic.closed > 0 && call.isOfCustomer) {
    const method = 'reopenForumTopic';
    const params = { message_thread_id: topic.thread_id };
    const intentKey = `desk:reopen:${topic.id}:${item.id}`;
    return stepOf(topic, 'reopen', { method, params, author: authorOf(topic) }, intentKey);
  }
  const replied = call.replyTo && (yield* copyOf(topic, call.replyTo));
  const reply = replied && { message_id: replied, allow_sending_without_reply: true };
  // An edit and a deletion name their message, and Telegram takes no topic for them.
  const place = /^(?:send|copy|forward|\w+ForumTopic)/.test(call.method)
    ? topicParam(topic.thread_id)
    : {};
  const params = { ...call.params, ...place, ...(reply ? { reply_parameters: reply } : {}) };
  return stepOf(topic, 'item', { ...call, params }, item.key);
}

const authorOf = (topic: TopicRow) => deskAuthor({ id: topic.desk_id, name: topic.desk_name });

function* createTopic(topic: TopicRow): Step<StepIntent> {
  const [place] = yield* raw<{ before: number }>(
    'select count(*) as before from desk_bots where desk_id = $1 and bot_id < $2',
    [topic.desk_id, topic.bot_id],
  );
  const icon_color = iconColors[Number(place?.before ?? 0) % iconColors.length];
  const params = { name: topic.name.slice(0, nameLength).toWellFormed(), icon_color };
  const call = { method: 'createForumTopic', params, author: authorOf(topic) };
  return stepOf(topic, 'create', call, createKey(topic.id, topic.generation));
}

function stepOf(
  topic: TopicRow,
  does: DeskStep['does'],
  { method, params, author, context }: Pick<DeskCall, 'method' | 'params' | 'author' | 'context'>,
  intentKey: string,
): StepIntent {
  const desk: DeskStep = { topicId: topic.id, does };
  return {
    botId: topic.desk_bot_id,
    // A wait for a new topic must not hold back the topics that are open.
    chatId: does === 'create' ? 0 : topic.forum_id,
    method,
    params: { ...params, chat_id: topic.forum_id },
    origin: 'routed',
    intentKey,
    priority: 'bulk',
    context: { kind: 'desk', ...context, desk },
    author,
  };
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

/** Finds the copy of a message in the forum; the newest, if its topic was made again. */
function* copyOf(
  topic: TopicRow,
  { botId, connection, chatId, messageId }: NonNullable<DeskCall['replyTo']>,
): Step<number | undefined> {
  const [pair] = yield* raw<{ id: number }>(
    `select peer_message_id as id from message_pairs
     where bot_id = $1 and connection = $2 and chat_id = $3 and message_id = $4
       and peer_bot_id = $5 and peer_chat_id = $6 and style = 'desk'
     order by created_at desc, peer_message_id limit 1`,
    [botId, connection, chatId, messageId, topic.desk_bot_id, topic.forum_id],
  );
  return pair?.id;
}

/** Ends a step that Telegram took, and queues the next one. */
export function* stepSent(
  dialect: DialectName,
  { topicId, does }: DeskStep,
  intentKey: string | null,
  result: unknown,
  nowMs: number,
): Step<void> {
  const topic = yield* lockTopic(dialect, topicId);
  // A person may have repeated an earlier step by hand.
  if (!topic || topic.doing !== intentKey) return;
  if (does === 'create') {
    const threadId = integer(object(result)?.message_thread_id) ?? generalTopic;
    yield* raw('update desk_topics set thread_id = $2, closed = 0 where id = $1', [
      topicId,
      threadId,
    ]);
    const key = cardKey(topicId, topic.generation);
    yield* addItem(topicId, { key, call: noteCall(yield* cardOf(topicId)) }, first);
  } else if (does === 'reopen') {
    yield* raw('update desk_topics set closed = 0 where id = $1', [topicId]);
    const call = noteCall(reason('desk_reopened', { since: isoTime(topic.closed) }));
    yield* addItem(topicId, { key: `${intentKey}:said`, call }, first);
  } else {
    yield* endItem(topic, intentKey, result, nowMs);
  }
  yield* raw(`update desk_topics set doing = '' where id = $1`, [topicId]);
  if (topic.problem !== '') yield* endProblems(topic.desk_id);
  yield* takeStep(dialect, topicId, nowMs);
}

function* endItem(topic: TopicRow, key: string, result: unknown, nowMs: number): Step<void> {
  const [item] = yield* raw<{ repeated: number; call: string }>(
    'delete from desk_items where topic_id = $1 and key = $2 returning repeated, call',
    [topic.id, key],
  );
  if (!item) return;
  const { method } = JSON.parse(item.call) as DeskCall;
  if (method === 'closeForumTopic') {
    yield* raw('update desk_topics set closed = $2 where id = $1', [topic.id, nowMs]);
  }
  if (key === cardKey(topic.id, topic.generation)) {
    const params = { message_id: integer(object(result)?.message_id), disable_notification: true };
    const pin = { method: 'pinChatMessage', params, author: relayAuthor };
    yield* addItem(topic.id, { key: `${key}:pin`, call: pin }, first);
  }
  if (!item.repeated || !/^(?:send|copy|forward)/.test(method)) return;
  const call = noteCall(reason('desk_repeated'));
  yield* addItem(topic.id, { key: `${key}:repeated`, call }, first);
}

/** What held up one topic of a desk held up all of them. */
function* endProblems(deskId: number): Step<void> {
  yield* raw(
    `update desk_topics set problem = '', retry_at = 0 where desk_id = $1 and problem <> ''`,
    [deskId],
  );
}

type EndedSend = Pick<OutboxRecord, 'id' | 'context' | 'intentKey' | 'chatId' | 'updatedAt'>;

/** Decides what follows a send that failed, or that may have arrived. Part of the commit that says so. */
export function* deskSendEnded(
  dialect: DialectName,
  send: EndedSend,
  { state, error }: { state: 'failed' | 'unknown'; error: string },
  nowMs: number,
): Step<void> {
  if (!send.context.includes('"desk"') && !send.context.includes('"answer"')) return;
  const { desk, answer } = JSON.parse(send.context) as { desk?: DeskStep; answer?: DeskAnswer };
  if (answer) {
    const { detail } = unpackReason(error);
    const why = reason(state === 'unknown' ? 'desk_answer_unknown' : 'desk_answer_failed', {
      cause: detail ?? reason('verbatim', { text: error }),
    });
    const key = `desk:note:${send.id}:${nowMs}`;
    yield* noteInTopic(dialect, answer.topicId, { key, why, replyTo: answer.messageId }, nowMs);
    return;
  }
  if (!desk) return;
  const topic = yield* lockTopic(dialect, desk.topicId);
  if (!topic || topic.doing !== send.intentKey) return;
  yield* raw(`update desk_topics set doing = '' where id = $1`, [topic.id]);
  if (state === 'unknown') {
    yield* raw('update desk_items set repeated = 1 where topic_id = $1 and key = $2', [
      topic.id,
      topic.doing,
    ]);
  } else if (!(yield* afterRefusal(topic, desk.does, error, nowMs))) return;
  yield* takeStep(dialect, topic.id, nowMs);
}

/** Returns false if the topic has to wait. */
function* afterRefusal(
  topic: TopicRow,
  does: DeskStep['does'],
  error: string,
  nowMs: number,
): Step<boolean> {
  const { detail } = unpackReason(error);
  const refusal =
    detail?.code === 'platform_refused_with_code' ? (detail.params.refusal ?? '') : undefined;
  if (does !== 'create' && refusal === 'topic_gone') {
    yield* raw(
      `update desk_topics set thread_id = null, closed = 0, generation = generation + 1
       where id = $1`,
      [topic.id],
    );
    return true;
  }
  if (does === 'item' && refusal === 'topic_closed') {
    yield* raw('update desk_topics set closed = $2 where id = $1', [topic.id, nowMs]);
    yield* reopenFor(topic);
    return true;
  }
  // The relay could not reach Telegram for hours, or the bot was disabled: that is no problem of the desk.
  if (does === 'create' || refusal === undefined || holding.has(refusal as RefusalCode)) {
    yield* raw('update desk_topics set problem = $2, retry_at = $3 where id = $1', [
      topic.id,
      error,
      nowMs + lookAgainMs,
    ]);
    return false;
  }
  if (does === 'reopen') {
    // Somebody reopened it, or the send will say what is wrong.
    yield* raw('update desk_topics set closed = 0 where id = $1', [topic.id]);
    return true;
  }
  yield* replaceItem(topic, detail as Reason);
  return true;
}

/** An item that Telegram refused because the topic is closed opens it, whether a customer wrote it or not. */
function* reopenFor(topic: TopicRow): Step<void> {
  const [item] = yield* raw<{ call: string }>('select call from desk_items where key = $1', [
    topic.doing,
  ]);
  if (!item) return;
  const call = { ...(JSON.parse(item.call) as DeskCall), isOfCustomer: true };
  yield* raw('update desk_items set call = $2 where key = $1', [topic.doing, JSON.stringify(call)]);
}

/** Says in the topic what Telegram did not take; what says so is dropped if it is refused as well. */
function* replaceItem(topic: TopicRow, why: Reason): Step<void> {
  const [gone] = yield* raw<{ id: number; call: string }>(
    'delete from desk_items where topic_id = $1 and key = $2 returning id, call',
    [topic.id, topic.doing],
  );
  const call = gone && (JSON.parse(gone.call) as DeskCall);
  if (!call || call.author.kind === 'relay') return;
  const note = noteCall(reason('desk_not_shown', { cause: why }));
  const key = `${topic.doing}:not-shown`;
  yield* addItem(topic.id, { key, call: note }, first);
}

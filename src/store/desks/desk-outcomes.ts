/*
 * Decides what follows a step of a topic, and an answer to a customer, whose outcome is known. Part
 * of the commit that records the outcome.
 */
import type { DeskAnswer, DeskCall, DeskStep } from '../../core/desks/desk.ts';
import { teamTime } from '../../core/desks/working-hours.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import { editLine } from '../../core/messages/compose-message.ts';
import { generalTopic } from '../../core/messages/topics.ts';
import type { RefusalCode } from '../../core/reasons/platform.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import type { OutboxRecord } from '../outbox/outbox-record.ts';
import { touchCards } from '../people/touch-cards.ts';
import { addCard, cardGone, cardKey } from './desk-card.ts';
import {
  addItem,
  first,
  lockTopic,
  noteCall,
  noteInTopic,
  relayAuthor,
  stepLost,
  takeStep,
} from './desk-queue.ts';
import type { TopicRow } from './desk-steps.ts';

/** Lost rights and the like are looked at again after this time, by one topic for all of a desk. */
const lookAgainMs = 60_000;

/** These refusals are about the desk, not about one message. */
const holding = new Set<RefusalCode | ''>([
  'no_rights',
  'not_there',
  'no_chat',
  'no_topics',
  'upgraded',
]);

/** The relay itself cannot send this message, and never will. */
const ofOneItem: ReadonlySet<string> = new Set<Reason['code'] | ''>([
  'edited_never_carried',
  'deleted_never_carried',
  'source_bot_gone',
  'source_bot_refused',
  'file_without_path',
  'file_not_fetched_status',
  'send_internal_error',
]);

/** Ends a step that Telegram took, and queues the next one. */
export function* stepSent(
  dialect: DialectName,
  newNonce: () => string,
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
    // The cards at other bots name this one from now on.
    yield* touchCards(topic.chat_id);
    yield* addCard(topic, newNonce());
  } else if (does === 'reopen') {
    yield* raw('update desk_topics set closed = 0 where id = $1', [topicId]);
    const call = noteCall(
      reason('desk_reopened', { since: teamTime(topic.working_hours, topic.closed) }),
    );
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
  if (method === 'closeForumTopic' || method === 'reopenForumTopic') {
    const closed = method === 'closeForumTopic' ? nowMs : 0;
    yield* raw('update desk_topics set closed = $2 where id = $1', [topic.id, closed]);
  }
  if (key === cardKey(topic.id, topic.generation)) {
    const message_id = integer(object(result)?.message_id);
    // Nothing marked what changed while it was written.
    yield* raw('update desk_topics set card_id = $2, card_stale = 1 where id = $1', [
      topic.id,
      message_id ?? 0,
    ]);
    const params = { message_id, disable_notification: true };
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
  yield* raw('update desks set check_at = 0 where id = $1', [deskId]);
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
  if (state === 'unknown') yield* stepLost(topic);
  else {
    yield* raw(`update desk_topics set doing = '' where id = $1`, [topic.id]);
    if (!(yield* afterRefusal(topic, desk.does, { ...send, error }, nowMs))) return;
  }
  yield* takeStep(dialect, topic.id, nowMs);
}

/** Returns false if the topic has to wait. */
function* afterRefusal(
  topic: TopicRow,
  does: DeskStep['does'],
  { error, chatId }: Pick<OutboxRecord, 'error' | 'chatId'>,
  nowMs: number,
): Step<boolean> {
  const { detail } = unpackReason(error);
  const refusal = refusalOf(detail);
  // The desk follows its forum before this is recorded.
  if (refusal === 'upgraded' && topic.forum_id !== chatId) return true;
  if (does !== 'create' && refusal === 'topic_gone') {
    yield* raw(
      `update desk_topics set thread_id = null, closed = 0, card_id = 0, generation = generation + 1
       where id = $1`,
      [topic.id],
    );
    // The next topic has a card of its own.
    const card = cardKey(topic.id, topic.generation);
    yield* raw('delete from desk_items where key = $1', [card]);
    // A topic that is gone as soon as it was made is not made again at once.
    if (topic.doing !== card) return true;
    yield* setProblem(topic, error, nowMs);
    return false;
  }
  if (does === 'item' && refusal === 'topic_closed') {
    yield* raw('update desk_topics set closed = $2 where id = $1', [topic.id, nowMs]);
    yield* reopenFor(topic);
    return true;
  }
  const isSmall = does === 'item' && (yield* isOnlyTidy(topic));
  if (!isSmall && (does === 'create' || holdsUp(detail))) {
    // Telegram does not always name the right.
    const isForTopics = does !== 'item' && refusal === 'no_rights';
    const right = 'can_manage_topics';
    const problem = isForTopics
      ? packReason(reason('platform_refused_for_right', { refusal: detail as Reason, right }))
      : error;
    yield* setProblem(topic, problem, nowMs);
    return false;
  }
  if (does === 'reopen') {
    // Somebody reopened it, or the send will say what is wrong.
    yield* raw('update desk_topics set closed = 0 where id = $1', [topic.id]);
    return true;
  }
  yield* replaceItem(topic, refusal === 'unchanged' ? undefined : (detail as Reason));
  return true;
}

function* setProblem({ id }: TopicRow, problem: string, nowMs: number): Step<void> {
  yield* raw('update desk_topics set problem = $2, retry_at = $3 where id = $1', [
    id,
    problem,
    nowMs + lookAgainMs,
  ]);
}

const refusalOf = (why: Reason | null) =>
  why?.code === 'platform_refused_with_code' ? why.params.refusal : undefined;

/** True unless the refusal is about one message: what customers write waits. */
function holdsUp(why: Reason | null): boolean {
  if (why?.code !== 'platform_refused_with_code') return !ofOneItem.has(why?.code ?? '');
  const { error_code: code, refusal } = why.params;
  return ![400, 413].includes(code) || holding.has(refusal);
}

/**
 * Pins, deletions and the like: without the right to them, customers are served all the same. To edit
 * its card, a bot needs no right.
 */
function* isOnlyTidy(topic: TopicRow): Step<boolean> {
  const call = yield* callOf(topic);
  return call?.author.kind === 'relay' && !/^(?:send|edit)/.test(call.method);
}

function* callOf(topic: TopicRow): Step<DeskCall | undefined> {
  const [item] = yield* raw<{ call: string }>('select call from desk_items where key = $1', [
    topic.doing,
  ]);
  return item && (JSON.parse(item.call) as DeskCall);
}

/** An item that Telegram refused because the topic is closed opens it, whether a customer wrote it or not. */
function* reopenFor(topic: TopicRow): Step<void> {
  const call = yield* callOf(topic);
  if (!call) return;
  yield* raw('update desk_items set call = $2 where key = $1', [
    topic.doing,
    JSON.stringify({ ...call, isOfCustomer: true }),
  ]);
}

/** Says in the topic what Telegram did not take; what says so is dropped if it is refused as well. */
function* replaceItem(topic: TopicRow, why: Reason | undefined): Step<void> {
  const [gone] = yield* raw<{ id: number; call: string }>(
    'delete from desk_items where topic_id = $1 and key = $2 returning id, call',
    [topic.id, topic.doing],
  );
  const call = gone && (JSON.parse(gone.call) as DeskCall);
  if (
    call?.buttons &&
    call.method === 'editMessageText' &&
    refusalOf(why ?? null) === 'message_gone'
  ) {
    yield* cardGone(topic, call.params);
  }
  if (!call || !why || call.author.kind === 'relay') return;
  const instead = lineOf(call) ?? noteCall(reason('desk_not_shown', { cause: why }));
  const key = `${topic.doing}:not-shown`;
  yield* addItem(topic.id, { key, call: instead }, first);
}

/** An edit that cannot be made is shown as a line. */
function lineOf(call: DeskCall): DeskCall | undefined {
  if (!call.method.startsWith('editMessage')) return undefined;
  const { media, ...own } = call.params;
  const { text: words, entities, caption, caption_entities } = { ...own, ...object(media) } as Wire;
  const shown = text(words) || text(caption);
  if (shown === '') return undefined;
  const params = editLine(shown, entities ?? caption_entities);
  return { ...call, method: 'sendMessage', params };
}

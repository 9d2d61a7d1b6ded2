/* Builds the next step of the topic of a customer: to create it, to reopen it, or the next item. */
import { buttonLabels } from '../../core/desks/card-buttons.ts';
import {
  deskAuthor,
  type DeskCall,
  type DeskOptions,
  type DeskStep,
} from '../../core/desks/desk.ts';
import { deskNote } from '../../core/desks/words/words.ts';
import { topicParam } from '../../core/messages/topics.ts';
import { raw, type Step } from '../engine.ts';
import type { OutboxIntent } from '../outbox/outbox.ts';

export interface TopicRow extends Pick<DeskOptions, 'language' | 'working_hours'> {
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

export interface ItemRow {
  id: number;
  key: string;
  call: string;
  repeated: number;
}

const nameLength = 128;

/** The colours that Telegram offers for the icons of topics, so that each bot of a desk has one. */
const iconColors = [7_322_096, 16_766_590, 13_338_331, 9_367_192, 16_749_490, 16_478_047];

const createKey = (topicId: number, generation: number) => `desk:topic:${topicId}:${generation}`;

export type StepIntent = OutboxIntent & { intentKey: string };

export function* nextStep(topic: TopicRow, item: ItemRow): Step<StepIntent> {
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
  const said = call.says ? { text: deskNote(call.says, topic.language) } : {};
  const keyboard = call.buttons?.map((row) =>
    row.map(({ data, does }) => ({
      text: buttonLabels[topic.language][does],
      callback_data: data,
    })),
  );
  const reply_markup = keyboard ? { reply_markup: { inline_keyboard: keyboard } } : {};
  const reply_parameters = reply ? { reply_parameters: reply } : {};
  const params = { ...call.params, ...said, ...place, ...reply_markup, ...reply_parameters };
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
    chatId: topic.forum_id,
    method,
    params: { ...params, chat_id: topic.forum_id },
    origin: 'routed',
    intentKey,
    priority: 'bulk',
    context: { kind: 'desk', ...context, desk },
    author,
  };
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

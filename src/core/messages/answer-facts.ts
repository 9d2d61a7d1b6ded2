import type { ArchiveFacts, DeletionFact, PinFact } from './archive-facts.ts';
import { archivedId } from './business-messages.ts';
import { addMessageFacts, emptyFacts } from './message-facts.ts';
import { answeredTopic, generalTopic, type TopicFact } from './topics.ts';
import { integer, listParameter, object } from '../log/wire.ts';

/** The facts for the archive in Telegram's response to a method call. */
export interface AnswerFacts {
  archive: ArchiveFacts;
  /** The first message the call created or changed, by Telegram's message ID. */
  messageId: number | null;
  deleted: DeletionFact | null;
}

/**
 * Reads facts from the response of any method that returns a message or an array of them: sends,
 * forwards, edits, albums. Deletions and pins are answered with `true`, so their facts come from
 * the parameters.
 */
export function readAnswer(
  method: string,
  params: Record<string, unknown>,
  result: unknown,
): AnswerFacts {
  const archive = emptyFacts();
  const items: unknown[] = Array.isArray(result) ? result : [result];
  for (const item of items) {
    const message = object(item);
    if (message?.chat !== undefined) addMessageFacts(archive, message);
  }
  const pin = result === true ? pinnedBy(method, params) : undefined;
  if (pin) archive.pin = pin;
  const topic = answeredTopic(method, topicIn(params), params, result);
  if (topic) archive.topics = [topic];
  return {
    archive,
    messageId: integer(object(items[0])?.message_id) ?? null,
    deleted: result === true ? deletedBy(method, params) : null,
  };
}

/**
 * Returns the topic of a call that Telegram refused because the bot cannot write into it. General,
 * which some clients name although Telegram always refuses that, is not gone.
 */
export function refusedTopic(
  params: Record<string, unknown>,
  refusal: string,
): TopicFact | undefined {
  const { chatId, threadId = 0 } = topicIn(params);
  if (refusal !== 'topic_gone' || chatId === undefined || threadId <= generalTopic) {
    return undefined;
  }
  return { chatId, threadId, isGone: true };
}

function topicIn({ chat_id, message_thread_id }: Record<string, unknown>) {
  return { chatId: wholeNumber(chat_id), threadId: wholeNumber(message_thread_id) };
}

/** Says whether a method sends new messages; the other methods that return a message change one. */
export function makesMessages(method: string): boolean {
  return /^(?:send(?!chataction)|copy|forward)/i.test(method);
}

export function editsMessages(method: string): boolean {
  return /^edit/i.test(method);
}

function deletedBy(method: string, params: Record<string, unknown>): AnswerFacts['deleted'] {
  const name = method.toLowerCase();
  // Telegram needs no chat_id for messages of a business account; the relay's own calls pass it.
  const isDeletion = ['deletemessage', 'deletemessages', 'deletebusinessmessages'].includes(name);
  if (!isDeletion) return null;
  const chatId = wholeNumber(params.chat_id);
  const connection = connectionIn(params);
  const named = name === 'deletemessage' ? [params.message_id] : listParameter(params.message_ids);
  const messageIds = named
    .map(wholeNumber)
    .filter((id) => id !== undefined)
    .map((id) => archivedId(connection, id));
  if (chatId === undefined || messageIds.length === 0) return null;
  return { chatId, messageIds, ...(connection === '' ? {} : { connection }) };
}

/** Methods that unpin everything in a topic name no message, so they are left out. */
function pinnedBy(method: string, params: Record<string, unknown>): PinFact | undefined {
  const chatId = wholeNumber(params.chat_id);
  if (chatId === undefined) return undefined;
  const named = wholeNumber(params.message_id);
  const messageId = named === undefined ? undefined : archivedId(connectionIn(params), named);
  switch (method.toLowerCase()) {
    case 'pinchatmessage':
      return messageId === undefined ? undefined : { chatId, messageId, isPinned: true };
    case 'unpinchatmessage':
      return { chatId, messageId: messageId ?? 'newest', isPinned: false };
    case 'unpinallchatmessages':
      return { chatId, messageId: 'all', isPinned: false };
    default:
      return undefined;
  }
}

/** The business account on whose behalf the call is made; '' for the bot itself. */
export function connectionIn(params: Record<string, unknown>): string {
  const { business_connection_id: connection } = params;
  return typeof connection === 'string' ? connection : '';
}

/** Parameters of forms and queries arrive as text. */
function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return integer(Number(value));
  return integer(value);
}

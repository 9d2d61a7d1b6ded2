import type { ArchiveFacts, PinFact } from './archive-facts.ts';
import { addMessageFacts, emptyFacts, integer, object } from './message-facts.ts';

/** What the platform's answer to a method call means for the archive. */
export interface AnswerFacts {
  archive: ArchiveFacts;
  /** The first message the call made or changed. */
  messageId: number | null;
  deleted: { chatId: number; messageIds: number[] } | null;
}

/**
 * Any method whose result is a message, or an array of them, tells what to store: sends, forwards,
 * edits, albums. Deleting and pinning are answered with `true`: their parameters tell the rest.
 */
export function readAnswer(
  method: string,
  params: Record<string, unknown>,
  result: unknown,
): AnswerFacts {
  const archive = emptyFacts();
  for (const item of Array.isArray(result) ? result : [result]) {
    const message = object(item);
    if (message?.chat !== undefined) addMessageFacts(archive, message);
  }
  const pin = result === true ? pinnedBy(method, params) : undefined;
  if (pin) archive.pin = pin;
  const first = archive.messages[0]?.id;
  return {
    archive,
    messageId: typeof first === 'number' ? first : null,
    deleted: result === true ? deletedBy(method, params) : null,
  };
}

function deletedBy(method: string, params: Record<string, unknown>): AnswerFacts['deleted'] {
  const name = method.toLowerCase();
  if (name !== 'deletemessage' && name !== 'deletemessages') return null;
  const chatId = wholeNumber(params.chat_id);
  const named = name === 'deletemessage' ? [params.message_id] : listOf(params.message_ids);
  const messageIds = named.map(wholeNumber).filter((id) => id !== undefined);
  return chatId === undefined || messageIds.length === 0 ? null : { chatId, messageIds };
}

/** Topics have methods of their own for all their pins, which name no message: those are left out. */
function pinnedBy(method: string, params: Record<string, unknown>): PinFact | undefined {
  const chatId = wholeNumber(params.chat_id);
  if (chatId === undefined) return undefined;
  const messageId = wholeNumber(params.message_id);
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

/** Parameters of forms and queries arrive as text. */
function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return integer(Number(value));
  return integer(value);
}

function listOf(value: unknown): unknown[] {
  if (typeof value !== 'string') return Array.isArray(value) ? value : [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

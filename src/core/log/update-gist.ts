import { archivedId } from '../messages/business-messages.ts';
import { pressedText } from '../messages/message-buttons.ts';
import { chatFact, connectionOf, personFact, personName } from '../messages/message-facts.ts';
import { toLine } from '../people/plain-text.ts';
import { integer, object, text } from './wire.ts';

/** Names the sender, the chat and the words of an update; 0 or '' stands for what it does not have. */
export interface UpdateGist {
  userId: number;
  /** The name of the person, or the title of the chat that wrote. */
  person: string;
  username: string;
  chatId: number;
  chatTitle: string;
  /** The text, the caption, the label of a pressed button or the words of a query, as one line. */
  text: string;
  /** The stored message that it is. */
  messageId: number;
}

/** Reads from a stored update what people recognise it by. */
export function gistOfUpdate(update: { raw: string; kind: string; position: number }): UpdateGist {
  const { kind, position, raw } = update;
  const payload = object(object(JSON.parse(raw))?.[kind]) ?? {};
  const about = object(payload.message) ?? payload;
  const chat = chatFact(payload.chat ?? about.chat);
  const sender = payload.from ?? payload.user;
  const person = personFact(sender);
  const isPress = kind === 'callback_query';
  const words =
    text(payload.text) ||
    text(payload.caption) ||
    (isPress ? pressedText(payload) || text(payload.data) : text(payload.query));
  const messageId = integer(payload.message_id);
  return {
    userId: person?.userId ?? 0,
    person: personName(sender) || toLine(chat?.title ?? ''),
    username: person?.username ?? '',
    chatId: chat?.chatId ?? 0,
    chatTitle: toLine(chat?.title ?? ''),
    text: toLine(words),
    // The press of a button is stored under the position of its update.
    messageId: isPress
      ? -position
      : messageId === undefined
        ? 0
        : archivedId(connectionOf(payload), messageId),
  };
}

/** Tests whether all words are in what people recognise an update by, or are its numbers. */
export function gistMatcher(
  query: string,
): (update: { raw: string; kind: string; position: number; updateId: number }) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (update) => {
    const { userId, person, username, chatId, chatTitle, text: said } = gistOfUpdate(update);
    const names = `${person}\n@${username}\n${chatTitle}\n${said}`.toLowerCase();
    const numbers = new Set([userId, chatId, update.updateId, update.position].map(String));
    return words.every((word) => names.includes(word) || numbers.has(word));
  };
}

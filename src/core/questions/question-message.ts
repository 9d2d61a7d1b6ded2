/* Writes the Telegram messages of a question: the question itself, its outcome, and replies to presses. */
import { limits } from '../limits.ts';
import { ownButtonData, ownButtonPrefix, readOwnButton } from '../messages/own-buttons.ts';
import { topicParam } from '../messages/topics.ts';
import type { Question, QuestionState } from './question.ts';

const part = 'ask';
/** The prefix of the data of all buttons of questions. */
export const askPrefix = `${ownButtonPrefix}${part}:`;

/** Returns the question and the option of a button; undefined for other data. */
export function readAskButton(data: string) {
  const button = readOwnButton(part, data);
  return button && { id: button.id, nonce: button.nonce, option: Number(button.action) };
}

/** Buttons share a row if people can read them on a phone. */
const mostInRow = { buttons: 3, characters: 24 };
const mostShownOfName = 64;
const replyHint = '↩️ Reply to this message to answer.';

/** The words under which the question is shown; a group must reply, because others write there, too. */
export function askedText({
  chatId,
  options,
  text,
}: Pick<Question, 'chatId' | 'options' | 'text'>) {
  return options.length === 0 && chatId < 0 ? withLine(text, replyHint) : text;
}

/** The parameters of `sendMessage`. */
export function askParams(question: Question): Record<string, unknown> {
  const { chatId, options, threadId } = question;
  return {
    chat_id: chatId,
    ...topicParam(threadId),
    text: askedText(question),
    link_preview_options: { is_disabled: true },
    ...(options.length === 0 ? {} : { reply_markup: { inline_keyboard: keyboardOf(question) } }),
  };
}

function keyboardOf({ id, nonce, options }: Question): object[][] {
  const buttons = options.map((text, index) => ({
    text,
    callback_data: ownButtonData({ part, id, nonce, action: String(index) }),
  }));
  const isShort =
    options.length <= mostInRow.buttons && options.join('').length <= mostInRow.characters;
  return isShort ? [buttons] : buttons.map((button) => [button]);
}

/** The parameters of `editMessageText` that show the outcome; buttons that are left out go away. */
export function outcomeParams(question: Question): Record<string, unknown> {
  const { chatId, messageId, text } = question;
  return {
    chat_id: chatId,
    message_id: messageId,
    text: withLine(text, outcomeLine(question)),
    link_preview_options: { is_disabled: true },
  };
}

function outcomeLine({ answer, answererName, options, state }: Question): string {
  const who = Array.from(answererName).slice(0, mostShownOfName).join('');
  if (state === 'expired') return '⌛ Expired without an answer.';
  if (state === 'cancelled') return '✖️ Cancelled.';
  return options.length === 0 ? `✅ Answered by ${who}.` : `✅ ${answer} (${who})`;
}

/** Adds a line, and cuts the text before it if both are too long for Telegram. */
export function withLine(text: string, line: string): string {
  const room = limits.messageLength - line.length - 2;
  const shown = text.length <= room ? text : `${text.slice(0, room - 1).toWellFormed()}…`;
  return `${shown}\n\n${line}`;
}

/** The reply to a press that decided nothing. */
export const pressReplies: Record<Exclude<QuestionState, 'open'> | 'gone' | 'others', string> = {
  answered: 'Somebody has answered this question already.',
  expired: 'This question has expired.',
  cancelled: 'This question was cancelled.',
  gone: 'This question is gone.',
  others: 'Sorry, this question is for somebody else.',
};

/*
 * The relay's own buttons. Their data begins with a reserved prefix, so no app gets their presses.
 *
 * Clients can send any data for any message, and apps can send any button. A press is therefore
 * only valid if its nonce, chat, message and person are those that the relay stored with the button.
 */
import { integer, object, text, type Wire } from '../log/wire.ts';
import { personName } from './message-facts.ts';

export const ownButtonPrefix = 'bot-relay:';

export interface OwnButton {
  /** The part of the relay that made the button, such as `ask`. */
  part: string;
  /** The row that the button belongs to. */
  id: number;
  /** A secret of this row, from `newNonce`. */
  nonce: string;
  action: string;
}

/** 96 random bits; `random` returns that many bytes. */
export const newNonce = (random: (bytes: number) => Buffer): string =>
  random(12).toString('base64url');

/** Telegram allows 64 bytes. */
export const ownButtonData = ({ part, id, nonce, action }: OwnButton): string =>
  `${ownButtonPrefix}${part}:${id}:${nonce}:${action}`;

/** Undefined for other data, and for buttons of other parts. */
export function readOwnButton(part: string, data: string): OwnButton | undefined {
  const prefix = `${ownButtonPrefix}${part}:`;
  if (!data.startsWith(prefix)) return undefined;
  const [, id, nonce = '', action = ''] =
    /^(\d{1,16}):([\w-]{16}):(\w{1,16})$/.exec(data.slice(prefix.length)) ?? [];
  return id === undefined ? undefined : { part, id: Number(id), nonce, action };
}

/** A press of a button, as Telegram reports it. */
export interface Press {
  queryId: string;
  chatId: number;
  messageId: number;
  userId: number;
  userName: string;
  data: string;
  /** Telegram, not the client, says that the message has this button. */
  isShown: boolean;
}

/** Reads a callback query; undefined if it belongs to no message of a chat. */
export function pressOf(query: Wire): Press | undefined {
  const message = object(query.message);
  const chatId = integer(object(message?.chat)?.id);
  const messageId = integer(message?.message_id);
  const userId = integer(object(query.from)?.id);
  if (chatId === undefined || !messageId || userId === undefined) return undefined;
  const data = text(query.data);
  const keyboard = object(message?.reply_markup)?.inline_keyboard;
  const buttons = Array.isArray(keyboard) ? (keyboard as unknown[]).flat() : [];
  return {
    queryId: text(query.id),
    chatId,
    messageId,
    userId,
    userName: personName(query.from),
    data,
    isShown: buttons.some((button) => object(button)?.callback_data === data),
  };
}

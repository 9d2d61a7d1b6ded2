import type { InlineKeyboardButton, InlineKeyboardMarkup } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import type { Call } from '../call.ts';
import { asText } from '../params.ts';

export interface Markup {
  inlineKeyboard?: InlineKeyboardMarkup;
  replyKeyboard?: object;
}

/** Telegram's own limit is not documented; it is lower than this. */
const longest = 65_536;

const actions = [
  'url',
  'callback_data',
  'web_app',
  'login_url',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'copy_text',
  'callback_game',
  'pay',
  'disabled',
];

/** An empty address or data counts as missing. */
const isSaid = (name: string, value: unknown): boolean =>
  value !== '' || (name !== 'url' && name !== 'callback_data');

function checkKey(key: unknown): void {
  if (typeof key === 'string') return;
  if (key === null || typeof key !== 'object' || Array.isArray(key)) {
    throw badRequest("can't parse keyboard button: KeyboardButton must be a String or an Object");
  }
  if (typeof (key as { text?: unknown }).text !== 'string') {
    throw badRequest('can\'t parse keyboard button: Can\'t find field "text"');
  }
}

function checkButton(button: unknown): InlineKeyboardButton {
  if (button === null || typeof button !== 'object') {
    throw badRequest("can't parse inline keyboard button: InlineKeyboardButton must be an Object");
  }
  const fields = button as Record<string, unknown>;
  if (typeof fields['text'] !== 'string') {
    throw badRequest('can\'t parse inline keyboard button: Can\'t find field "text"');
  }
  if (fields['text'] === '') throw badRequest('BUTTON_TEXT_INVALID');
  const action = actions.find((name) => fields[name] !== undefined && isSaid(name, fields[name]));
  if (!action) {
    throw badRequest(
      "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    );
  }
  const data = fields['callback_data'];
  if (
    action === 'callback_data' &&
    (typeof data !== 'string' || data === '' || Buffer.byteLength(data) > 64)
  ) {
    throw badRequest('BUTTON_DATA_INVALID');
  }
  const url = fields['url'];
  if (action === 'url') {
    const address = typeof url === 'string' && (/^[a-z]+:/iu.test(url) ? url : `http://${url}`);
    if (!address || !URL.canParse(address)) {
      throw badRequest(`inline keyboard button URL '${asText(url)}' is invalid: Wrong HTTP URL`);
    }
    return { ...fields, url: new URL(address).href } as InlineKeyboardButton;
  }
  return fields as unknown as InlineKeyboardButton;
}

/** reply_markup of a call; an empty inline keyboard means none. */
export function readMarkup(call: Call): Markup {
  const given = call.params.json('reply_markup', 'reply keyboard markup');
  if (given === undefined) return {};
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest('object expected as reply markup');
  }
  if (JSON.stringify(given).length > longest) throw badRequest('reply markup is too long');
  const fields = given as Record<string, unknown>;
  const rows = fields['inline_keyboard'];
  if (rows !== undefined) {
    if (!Array.isArray(rows)) throw badRequest('field "inline_keyboard" must be of type Array');
    const keyboard: InlineKeyboardButton[][] = rows.map((row: unknown) => {
      if (!Array.isArray(row)) {
        throw badRequest(
          'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
        );
      }
      return row.map(checkButton);
    });
    const filled = keyboard.filter((row) => row.length > 0);
    if (filled.length === 0) return {};
    const forced = fields['force_reply'] === true && { force_reply: true };
    return { inlineKeyboard: { inline_keyboard: filled, ...forced } };
  }
  const plain = fields['keyboard'];
  if (plain !== undefined) {
    if (!Array.isArray(plain)) throw badRequest('field "keyboard" must be of type Array');
    for (const row of plain as unknown[]) {
      if (!Array.isArray(row)) throw badRequest('field "keyboard" must be an Array of Arrays');
      for (const key of row) checkKey(key);
    }
    return { replyKeyboard: given };
  }
  if (fields['remove_keyboard'] === true || fields['force_reply'] === true)
    return { replyKeyboard: given };
  return {};
}

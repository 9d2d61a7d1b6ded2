import type { RichText, User } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { findEntities } from '../text/find-entities.ts';
import { joined } from './inline.ts';
import { asNumber, asText } from '../methods/params.ts';

/* Checks the text of a rich message from a bot, counts it, and finds links and mentions in it. */

export interface TextRules {
  /** True if links, mentions and the like are detected automatically. */
  detects: boolean;
  /** Names of parts of the message that links can refer to. */
  references: ReadonlySet<string>;
  /** Called with the length of every text. */
  count(length: number): void;
  person(id: number): User | undefined;
}

type Fields = Record<string, unknown> & { type?: unknown; text?: unknown };

const mostLevels = 16;

const wrappers = new Set(
  'bold italic underline strikethrough spoiler subscript superscript marked code'.split(' '),
);

/** Types with a text, and their other required fields. */
const links = new Map(
  Object.entries({
    url: 'url',
    email_address: 'email_address',
    phone_number: 'phone_number',
    bank_card_number: 'bank_card_number',
    mention: 'username',
    hashtag: 'hashtag',
    cashtag: 'cashtag',
    bot_command: 'bot_command',
    anchor_link: 'anchor_name',
    reference: 'name',
    reference_link: 'reference_name',
  }),
);

const wrong = (reason: string) => badRequest(`can't parse RichText: ${reason}`);

function required(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw wrong(`Can't find field "${name}"`);
  return value;
}

export function readRichText(value: unknown, rules: TextRules, level = 0): RichText {
  if (level > mostLevels) throw badRequest('too many levels of formatting in the rich message');
  if (typeof value === 'string') {
    rules.count(value.length);
    return rules.detects ? marked(value) : value;
  }
  if (Array.isArray(value))
    return joined(value.map((part) => readRichText(part, rules, level + 1)));
  if (value === null || typeof value !== 'object')
    throw wrong('expected a String, an Array or an Object');
  return readPart(value as Fields, rules, level);
}

function readPart(fields: Fields, rules: TextRules, level: number): RichText {
  const type = asText(fields.type);
  const plain: TextRules = { ...rules, detects: false };
  if (wrappers.has(type)) {
    const inner = type === 'code' ? plain : rules;
    return { type, text: readRichText(fields.text, inner, level + 1) } as RichText;
  }
  const field = links.get(type);
  if (field !== undefined) {
    const text = readRichText(fields.text, plain, level + 1);
    const name = required(fields, field);
    if (type === 'anchor_link' && rules.references.has(name)) {
      return { type: 'reference_link', text, reference_name: name };
    }
    return { type, text, [field]: name } as RichText;
  }
  switch (type) {
    case 'text_mention': {
      const text = readRichText(fields.text, plain, level + 1);
      const id = asNumber((fields['user'] as { id?: unknown } | undefined)?.id);
      const user = rules.person(id);
      return user ? { type, text, user } : text;
    }
    case 'date_time': {
      const unix_time = asNumber(fields['unix_time']);
      if (!Number.isSafeInteger(unix_time)) throw wrong('Can\'t find field "unix_time"');
      const text = readRichText(fields.text, plain, level + 1);
      return {
        type,
        text,
        unix_time,
        date_time_format: fields['date_time_format'] ?? '',
      } as RichText;
    }
    case 'custom_emoji': {
      const alternative_text = asText(fields['alternative_text']);
      rules.count(alternative_text.length);
      return { type, custom_emoji_id: required(fields, 'custom_emoji_id'), alternative_text };
    }
    case 'mathematical_expression': {
      const expression = required(fields, 'expression');
      rules.count(expression.length);
      return { type, expression };
    }
    case 'anchor':
      return { type, name: required(fields, 'name') };
    case 'button':
      return { type, button: readRichButton(fields['button'], rules) as never };
    default:
      throw wrong(`type "${type}" is unsupported`);
  }
}

const buttonActions = [
  'url',
  'callback_data',
  'web_app',
  'login_url',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'copy_text',
  'disabled',
];

export function readRichButton(value: unknown, rules: TextRules): object {
  if (value === null || typeof value !== 'object') {
    throw badRequest("can't parse RichMessageButton: expected an Object");
  }
  const fields = value as Fields;
  if (buttonActions.filter((name) => fields[name] !== undefined).length !== 1) {
    throw badRequest("can't parse RichMessageButton: exactly one type of button must be specified");
  }
  const data = fields['callback_data'];
  if (
    data !== undefined &&
    (typeof data !== 'string' || data === '' || Buffer.byteLength(data) > 64)
  ) {
    throw badRequest('BUTTON_DATA_INVALID');
  }
  return { ...fields, text: readRichText(fields.text, { ...rules, detects: false }) };
}

/** Detects what Telegram marks in a text automatically. */
function marked(text: string): RichText {
  const parts: RichText[] = [];
  let at = 0;
  for (const { type, offset, length } of findEntities(text)) {
    const found = text.slice(offset, offset + length);
    parts.push(text.slice(at, offset), foundPart(type, found));
    at = offset + length;
  }
  return joined([...parts, text.slice(at)]);
}

function foundPart(type: string, text: string): RichText {
  switch (type) {
    case 'url':
      return { type: 'url', text, url: /^[a-z]+:\/\//iu.test(text) ? text : `http://${text}` };
    case 'email':
      return { type: 'email_address', text, email_address: text };
    case 'phone_number':
      return { type, text, phone_number: text };
    case 'mention':
      return { type, text, username: text.slice(1) };
    case 'hashtag':
      return { type, text, hashtag: text };
    case 'cashtag':
      return { type, text, cashtag: text };
    case 'bot_command':
      return { type, text, bot_command: text };
    default:
      return text;
  }
}

import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { entityFor } from './parse-failure.ts';
import { asNumber, asText } from '../methods/params.ts';

/** Types that Telegram detects automatically; given ones are ignored. */
const automaticTypes = new Set(
  'mention hashtag cashtag bot_command url email phone_number bank_card_number'.split(' '),
);

/** Types that a bot may send, with the field that each requires. */
const requestedTypes = new Map(
  Object.entries({
    bold: '',
    italic: '',
    underline: '',
    strikethrough: '',
    spoiler: '',
    code: '',
    pre: '',
    blockquote: '',
    expandable_blockquote: '',
    text_link: 'url',
    text_mention: 'user',
    custom_emoji: 'custom_emoji_id',
    date_time: 'unix_time',
  }),
);

const wrong = (reason: string) => badRequest(`can't parse MessageEntity: ${reason}`);

function checked(given: unknown): MessageEntity | undefined {
  if (given === null || typeof given !== 'object') throw wrong('expected an Object');
  const entity = given as Record<string, unknown>;
  const need = (name: string): void => {
    if (entity[name] === undefined || entity[name] === null)
      throw wrong(`Can't find field "${name}"`);
  };
  for (const name of ['offset', 'length']) {
    need(name);
    if (!Number.isInteger(asNumber(entity[name])))
      throw wrong(`Field "${name}" must be of type Number`);
  }
  need('type');
  const type = asText(entity['type']);
  if (automaticTypes.has(type)) return undefined;
  const field = requestedTypes.get(type);
  if (field === undefined) throw wrong('Unsupported type specified');
  if (field !== '') need(field);
  const range = { offset: Number(entity['offset']), length: Number(entity['length']) };
  if (type !== 'text_link') return { ...entity, ...range } as MessageEntity;
  const url = asText(entity['url']);
  const link = entityFor('text_link', range.offset, range.length, url);
  if (link) return link;
  throw badRequest(`entity URL '${url}' is invalid: Wrong HTTP URL`);
}

/** Checks entities that a bot sent; a value that is no list counts as none. */
export function checkEntities(given: unknown): MessageEntity[] {
  return Array.isArray(given) ? given.map(checked).filter((one) => one !== undefined) : [];
}

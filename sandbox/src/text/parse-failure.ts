import type { MessageEntity } from '@grammyjs/types';

export interface Parsed {
  text: string;
  entities: MessageEntity[];
}

/** Thrown by the parsers; answered as `can't parse entities: …`. */
export class ParseFailure extends Error {}

/** Makes an entity with its argument: the address of a link, the language of code, an emoji's ID. */
export function entityFor(
  type: MessageEntity['type'],
  offset: number,
  length: number,
  argument: string,
): MessageEntity | undefined {
  if (type === 'text_link') {
    const mention = argument.match(/^tg:\/\/user\?id=(\d+)$/u)?.[1];
    if (mention) {
      // The caller, which knows the person, fills in the name.
      const user = { id: Number(mention), is_bot: false, first_name: '' };
      return { type: 'text_mention', offset, length, user };
    }
    const url = normaliseUrl(argument);
    return url === undefined ? undefined : { type: 'text_link', offset, length, url };
  }
  if (type === 'pre') return { type, offset, length, ...(argument && { language: argument }) };
  if (type === 'custom_emoji') return { type, offset, length, custom_emoji_id: argument };
  if (type === 'text_mention' || type === 'date_time') return undefined;
  return { type, offset, length };
}

function normaliseUrl(value: string): string | undefined {
  const withScheme = /^[a-z][a-z0-9+.-]*:/iu.test(value) ? value : `http://${value}`;
  if (!URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  if (!['http:', 'https:', 'tg:', 'ton:', 'tonsite:', 'mailto:', 'tel:'].includes(url.protocol))
    return undefined;
  return url.protocol.startsWith('http') &&
    !url.hostname.includes('.') &&
    url.hostname !== 'localhost'
    ? undefined
    : url.href;
}

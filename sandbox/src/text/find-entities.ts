import type { MessageEntity } from '@grammyjs/types';

type Found = MessageEntity.CommonMessageEntity;

const topLevel =
  'com|org|net|info|io|dev|app|me|ru|de|fr|uk|us|eu|co|ai|chat|biz|tv|cn|jp|in|br|it|es|nl|pl|ua|ch|at|se|no';

const patterns: [Found['type'], RegExp][] = [
  ['url', /(?:https?|ftp|tg|ton):\/\/[^\s<>"«»]+/giu],
  ['email', /(?<![a-z0-9_.+-])[a-z0-9_.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/giu],
  [
    'url',
    new RegExp(
      `(?<![\\p{L}\\p{N}@._-])(?:[a-z0-9-]+\\.)+(?:${topLevel})(?![\\p{L}\\p{N}_-])(?:[:/?#][^\\s<>"«»]*)?`,
      'giu',
    ),
  ],
  [
    'bot_command',
    /(?<![\p{L}\p{N}_/<>])\/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z0-9_]{3,32})?(?![\p{L}\p{N}_/<>])/gu,
  ],
  ['mention', /(?<![\p{L}\p{N}_])@[a-zA-Z0-9_]{3,32}(?![\p{L}\p{N}_])/gu],
  [
    'hashtag',
    /(?<![\p{L}\p{N}_@])#(?=[\p{L}\p{N}_]*[\p{L}_])[\p{L}\p{N}_]{1,256}(?![\p{L}\p{N}_#])/gu,
  ],
  ['cashtag', /(?<![\p{L}\p{N}_$])\$[A-Z]{1,8}(?![\p{L}\p{N}_$])/gu],
  ['phone_number', /(?<![\p{L}\p{N}+])\+\d{10,15}(?!\d)/gu],
];

/** Longer texts are refused anyway. */
const longest = 4096;

/** A quick check that most texts fail, so that they need no patterns. */
const promising = /[/@#$+:]|\.[a-z]/iu;

/** Detects commands, links, mentions and the like as Telegram does. */
export function findEntities(text: string): Found[] {
  if (text.length > longest || !promising.test(text)) return [];
  const found: Found[] = [];
  for (const [type, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) {
      const value = type === 'url' ? match[0].replace(/[.,:;!?'")\]}]+$/u, '') : match[0];
      const entity: Found = { type, offset: match.index, length: value.length };
      if (entity.length > 0 && !found.some((other) => overlaps(other, entity))) found.push(entity);
    }
  }
  return found.sort((left, right) => left.offset - right.offset);
}

export const overlaps = (left: MessageEntity, right: MessageEntity): boolean =>
  left.offset < right.offset + right.length && right.offset < left.offset + left.length;

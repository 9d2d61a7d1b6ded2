import type { MessageEntity } from '@grammyjs/types';
import { marks } from './marks.ts';
import { ParseFailure, entityFor } from './parse-failure.ts';
import type { Parsed } from './parse-failure.ts';

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

const tags = new Map<string, MessageEntity['type']>(
  Object.entries({
    ...marks,
    pre: 'pre',
    blockquote: 'blockquote',
    a: 'text_link',
    'tg-emoji': 'custom_emoji',
  } as const),
);

interface OpenTag {
  tag: string;
  attributes: Map<string, string>;
  offset: number;
  at: number;
}

function decode(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot));?/giu,
    (all, dec, hex, name) => {
      if (name) return named[String(name).toLowerCase()] ?? all;
      const code = dec ? Number(dec) : Number.parseInt(hex as string, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

function readAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const match of source.matchAll(
    /([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/giu,
  )) {
    attributes.set((match[1] ?? '').toLowerCase(), decode(match[2] ?? match[3] ?? match[4] ?? ''));
  }
  return attributes;
}

const byteOffset = (text: string, at: number): number => Buffer.byteLength(text.slice(0, at));

/** Parses HTML as Telegram accepts it: a fixed set of tags, properly closed, four named entities. */
export function parseHtml(source: string): Parsed {
  let text = '';
  const entities: MessageEntity[] = [];
  const open: OpenTag[] = [];
  let at = 0;
  while (at < source.length) {
    const next = source.indexOf('<', at);
    text += decode(source.slice(at, next < 0 ? source.length : next));
    if (next < 0) break;
    const end = source.indexOf('>', next);
    const closing = source[next + 1] === '/';
    if (end < 0) {
      throw new ParseFailure(`Unclosed start tag at byte offset ${byteOffset(source, next)}`);
    }
    const inside = source.slice(next + (closing ? 2 : 1), end).trim();
    const tag = (inside.match(/^[a-z0-9-]*/iu)?.[0] ?? '').toLowerCase();
    if (closing) {
      closeTag(open, tag, text, entities, byteOffset(source, next));
    } else {
      const attributes = readAttributes(inside.slice(tag.length));
      const isSpoiler = tag === 'span' && attributes.get('class') === 'tg-spoiler';
      if (!tags.has(tag) && !isSpoiler) {
        throw new ParseFailure(
          `Unsupported start tag "${tag}" at byte offset ${byteOffset(source, next)}`,
        );
      }
      open.push({ tag, attributes, offset: text.length, at: next });
    }
    at = end + 1;
  }
  const left = open.pop();
  if (left) throw new ParseFailure(`Can't find end tag corresponding to start tag "${left.tag}"`);
  return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

function closeTag(
  open: OpenTag[],
  tag: string,
  text: string,
  entities: MessageEntity[],
  offset: number,
): void {
  const started = open.pop();
  if (!started) throw new ParseFailure(`Unexpected end tag at byte offset ${offset}`);
  if (tag && tag !== started.tag) {
    throw new ParseFailure(
      `Unmatched end tag at byte offset ${offset}, expected "</${started.tag}>", found "</${tag}>"`,
    );
  }
  const length = text.length - started.offset;
  if (length === 0) return;
  const language = started.attributes.get('class')?.match(/^language-(.+)$/u)?.[1];
  const around = open.at(-1);
  if (
    started.tag === 'code' &&
    around?.tag === 'pre' &&
    around.offset === started.offset &&
    language
  ) {
    around.attributes.set('language', language);
    return;
  }
  const type =
    started.tag === 'span'
      ? 'spoiler'
      : started.tag === 'blockquote' && started.attributes.has('expandable')
        ? 'expandable_blockquote'
        : (tags.get(started.tag) ?? 'bold');
  const argument =
    started.attributes.get('language') ??
    started.attributes.get('href') ??
    started.attributes.get('emoji-id') ??
    (started.tag === 'a' ? text.slice(started.offset) : '');
  const entity = entityFor(type, started.offset, length, argument);
  if (entity) entities.push(entity);
}

import type { MessageEntity } from '@grammyjs/types';
import { type Parsed, ParseFailure, entityFor } from './parse-failure.ts';

const reserved = '_*[]()~`>#+-=|{}.!';

interface Open {
  mark: string;
  type: MessageEntity['type'];
  offset: number;
  at: number;
}

const marks: [string, MessageEntity['type']][] = [
  ['__', 'underline'],
  ['||', 'spoiler'],
  ['_', 'italic'],
  ['*', 'bold'],
  ['~', 'strikethrough'],
];

/** Parses MarkdownV2: nesting is allowed, and every reserved character outside an entity must be escaped. */
export function parseMarkdownV2(source: string): Parsed {
  let text = '';
  const entities: MessageEntity[] = [];
  const open: Open[] = [];
  let quoteStart = -1;
  let at = 0;
  const bytes = (index: number): number => Buffer.byteLength(source.slice(0, index));
  const close = (item: Open, argument = ''): void => {
    const length = text.length - item.offset;
    const entity = length > 0 ? entityFor(item.type, item.offset, length, argument) : undefined;
    if (entity) entities.push(entity);
  };
  const endQuote = (expandable: boolean): void => {
    const length = text.length - quoteStart;
    const type = expandable ? 'expandable_blockquote' : 'blockquote';
    if (length > 0) entities.push({ type, offset: quoteStart, length });
    quoteStart = -1;
  };

  while (at < source.length) {
    const char = source[at] ?? '';
    const lineStart = at === 0 || source[at - 1] === '\n';
    if (lineStart && char === '>') {
      if (quoteStart < 0) quoteStart = text.length;
      at += 1;
      continue;
    }
    if (lineStart && quoteStart >= 0) {
      const trailing = text.endsWith('\n');
      if (trailing) text = text.slice(0, -1);
      endQuote(false);
      if (trailing) text += '\n';
    }
    if (char === '\\' && /[!-/:-@[-`{-~]/u.test(source[at + 1] ?? '')) {
      text += source[at + 1];
      at += 2;
    } else if (char === '`') {
      at = readCode(at);
    } else if (
      source.startsWith('||', at) &&
      quoteStart >= 0 &&
      /^\|\|\s*(?:\n(?!>)|$)/u.test(source.slice(at)) &&
      !open.some((item) => item.mark === '||')
    ) {
      endQuote(true);
      at += 2;
    } else {
      at = readMark(at, char);
    }
  }
  const left = open.at(-1);
  if (left) {
    throw new ParseFailure(
      `Can't find end of ${nameOf(left)} entity at byte offset ${bytes(left.at)}`,
    );
  }
  if (quoteStart >= 0) endQuote(false);
  return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };

  function readCode(start: number): number {
    const fence = source.startsWith('```', start) ? '```' : '`';
    let end = start + fence.length;
    let content = '';
    while (end < source.length && !source.startsWith(fence, end)) {
      if (source[end] === '\\' && '`\\'.includes(source[end + 1] ?? ' ')) end += 1;
      content += source[end];
      end += 1;
    }
    if (end >= source.length) {
      const name = fence === '`' ? 'Code' : 'Pre';
      throw new ParseFailure(`Can't find end of ${name} entity at byte offset ${bytes(start)}`);
    }
    const language = fence === '```' ? (content.match(/^([^\s`]+)\n/u)?.[1] ?? '') : '';
    const body = fence === '```' ? content.slice(language.length).replace(/^\n/u, '') : content;
    const entity =
      body && entityFor(fence === '`' ? 'code' : 'pre', text.length, body.length, language);
    if (entity) entities.push(entity);
    text += body;
    return end + fence.length;
  }

  function readMark(start: number, char: string): number {
    const mark = marks.find(([symbol]) => source.startsWith(symbol, start));
    if (mark) {
      const top = open.at(-1);
      // `___` closing an italic inside an underline belongs to the inner one first.
      const symbol = top?.mark === '_' && source.startsWith('___', start) ? '_' : mark[0];
      if (top?.mark === symbol) {
        open.pop();
        close(top);
      } else {
        open.push({ mark: symbol, type: mark[1], offset: text.length, at: start });
      }
      return start + symbol.length;
    }
    if (char === '[' || source.startsWith('![', start)) {
      const type = char === '!' ? 'custom_emoji' : 'text_link';
      open.push({ mark: '[', type, offset: text.length, at: start });
      return start + (char === '!' ? 2 : 1);
    }
    if (char === ']' && open.at(-1)?.mark === '[') return endLink(start);
    if (reserved.includes(char)) {
      throw new ParseFailure(
        `Character '${char}' is reserved and must be escaped with the preceding '\\'`,
      );
    }
    text += char;
    return start + 1;
  }

  function endLink(start: number): number {
    const item = open.pop();
    if (!item) return start + 1;
    let argument = '';
    let end = start + 1;
    if (source[end] === '(') {
      end += 1;
      while (end < source.length && source[end] !== ')') {
        if (source[end] === '\\') end += 1;
        argument += source[end];
        end += 1;
      }
      if (end >= source.length) {
        throw new ParseFailure(`Can't find end of a URL at byte offset ${bytes(start + 1)}`);
      }
      end += 1;
    } else {
      argument = text.slice(item.offset);
    }
    if (item.type === 'custom_emoji') {
      argument = argument.match(/^tg:\/\/emoji\?id=(\d+)$/u)?.[1] ?? '';
      if (!argument) throw new ParseFailure('Custom emoji entity must contain a tg://emoji URL');
    }
    close(item, argument);
    return end;
  }
}

const nameOf = (item: Open): string =>
  item.type === 'text_link'
    ? 'TextUrl'
    : item.type.charAt(0).toUpperCase() + item.type.slice(1).replaceAll('_', '');

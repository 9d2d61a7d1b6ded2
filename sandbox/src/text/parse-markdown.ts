import type { MessageEntity } from '@grammyjs/types';
import { type Parsed, ParseFailure, entityFor } from './parse-failure.ts';

/** Parses the older Markdown: `*`, `_`, backticks and links, none of them nested. */
export function parseMarkdown(source: string): Parsed {
  let text = '';
  const entities: MessageEntity[] = [];
  let at = 0;
  const failAt = (offset: number): never => {
    throw new ParseFailure(
      `Can't find end of the entity starting at byte offset ${Buffer.byteLength(source.slice(0, offset))}`,
    );
  };
  const add = (type: MessageEntity['type'], content: string, argument = ''): void => {
    const entity = content && entityFor(type, text.length, content.length, argument);
    if (entity) entities.push(entity);
    text += content;
  };
  while (at < source.length) {
    const char = source[at] ?? '';
    if (char === '\\' && '_*`['.includes(source[at + 1] ?? ' ')) {
      text += source[at + 1];
      at += 2;
    } else if (source.startsWith('```', at)) {
      const end = source.indexOf('```', at + 3);
      if (end < 0) failAt(at);
      const block = source.slice(at + 3, end);
      const language = block.match(/^([^\s`]+)\n/u)?.[1] ?? '';
      add('pre', block.slice(language.length).replace(/^\n/u, ''), language);
      at = end + 3;
    } else if (char === '*' || char === '_' || char === '`') {
      const end = source.indexOf(char, at + 1);
      if (end < 0) failAt(at);
      const types = { '*': 'bold', _: 'italic', '`': 'code' } as const;
      add(types[char], source.slice(at + 1, end));
      at = end + 1;
    } else if (char === '[') {
      const end = source.indexOf(']', at + 1);
      if (end < 0) failAt(at);
      const close = source[end + 1] === '(' ? source.indexOf(')', end + 2) : -1;
      const label = source.slice(at + 1, end);
      if (close < 0) add('text_link', label, label);
      else add('text_link', label, source.slice(end + 2, close));
      at = close < 0 ? end + 1 : close + 1;
    } else {
      text += char;
      at += 1;
    }
  }
  return { text, entities };
}

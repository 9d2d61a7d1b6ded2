import { describe, expect, it } from 'vitest';
import { markdownCases } from '../../../test/support/markdown-cases.ts';
import { formatMarkdown } from './format-markdown.ts';
import type { Entity, FormattedText } from './styled-text.ts';

const names: Record<Entity['type'], string> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'c',
  pre: 'pre',
  text_link: 'a',
  blockquote: 'q',
};

/** The text with its entities as tags. */
function shown({ text, entities }: FormattedText): string {
  let out = '';
  for (let at = 0; at <= text.length; at++) {
    const ending = entities.filter(({ offset, length }) => offset + length === at);
    for (const { type } of ending.reverse()) out += `</${names[type]}>`;
    for (const { type, url, language } of entities.filter(({ offset }) => offset === at)) {
      out += `<${[names[type], url ?? language].filter(Boolean).join(' ')}>`;
    }
    out += text.charAt(at);
  }
  return out;
}

const format = (source: string, mostParts = 5) => formatMarkdown(source, { mostParts });

describe('Markdown', () => {
  describe.each(Object.entries(markdownCases))('with %s', (_what, cases) => {
    it.each(cases)('shows %j', async (source, expected) => {
      const { parts } = await format(source);
      expect(parts.map(shown)).toEqual([expected]);
    });
  });
});

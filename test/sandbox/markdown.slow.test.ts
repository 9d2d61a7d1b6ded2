import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatMarkdown } from '../../src/core/markdown/format-markdown.ts';
import { longestTurn } from '../support/cpu-time.ts';
import { expectToArrive, markdownTexts } from './support/markdown-texts.ts';

const hostile = [
  ...'*_[]!`~<>#-|&\\(\n '.split(''),
  ...['**a', '*a ', '[a](', '![', '> ', '- a\n', '1. a\n', 'a|b\n', 'a\n-\n', '<b>', '```\n'],
  ...['`a``b', 'a**b', '<!--', '@a ', 'a\\\n', '[x](https://e.com) ', '- **a** `b`\n'],
];

describe('any Markdown', () => {
  it('arrives with all its words, in messages that Telegram accepts', async () => {
    await fc.assert(fc.asyncProperty(markdownTexts, expectToArrive), { numRuns: 5_000 });
  });
});

describe('100,000 characters', () => {
  const formatted = (piece: string) =>
    formatMarkdown(piece.repeat(100_000 / piece.length), { mostParts: 5 });
  // The first runs compile the code.
  beforeAll(async () => {
    for (const piece of hostile) await formatted(piece);
  });

  it.each(hostile)('of %j leave the event loop to others', async (piece) => {
    expect(await longestTurn(() => formatted(piece))).toBeLessThan(50);
  });
});

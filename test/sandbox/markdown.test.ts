import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectToArrive, markdownTexts } from './support/markdown-texts.ts';

describe('any Markdown', () => {
  it('arrives with all its words, in messages that Telegram accepts', async () => {
    await fc.assert(fc.asyncProperty(markdownTexts, expectToArrive), { numRuns: 200 });
  });
});

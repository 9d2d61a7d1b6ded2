import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPhraseIndex } from './phrase-index.ts';

function indexOf(phrases: readonly (readonly string[])[]) {
  const index = createPhraseIndex();
  for (const [order, phrase] of phrases.entries()) index.add(phrase, order);
  return index;
}

describe('the phrase index', () => {
  it('finds what a search for each phrase alone finds, each once', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    const phrase = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(phrase, { maxLength: 8 }), words, (phrases, text) => {
        const found = [...indexOf(phrases).find(text)];
        const stands = (one: readonly string[]) =>
          `${text.join(' ')} `.includes(`${one.join(' ')} `);
        const expected = phrases.map((one, order) => ({ order, phrase: one.join(' ') }));
        expect(found.toSorted((a, b) => a.order - b.order)).toEqual(
          expected.filter(({ order }) => stands(phrases[order] ?? [])),
        );
      }),
    );
  });

  it('takes phrases in between', () => {
    const index = indexOf([['a', 'b']]);
    expect([...index.find(['b', 'c'])]).toEqual([]);
    index.add(['b', 'c'], 7);
    expect([...index.find(['a', 'b', 'c'])].map(({ order }) => order)).toEqual([0, 7]);
  });
});

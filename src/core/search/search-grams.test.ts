import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gramsOfMessage, readWordQuery } from './search-grams.ts';

const facts = { botId: 1, chatId: 2, userId: 3, mediaType: null };
const letters = fc.constantFrom(...'abcdefzéüßАБвгдёйщ0179北京上海退款ไทย 😀-,.!'.match(/./gu)!);

function finds(query: string, text: string): boolean {
  const words = readWordQuery(query);
  const grams = new Set(gramsOfMessage(text, facts));
  return words !== undefined && words.grams.every((gram) => grams.has(gram)) && words.fits(text);
}

describe('search grams', () => {
  it('find every part of three letters or more, and every pair of Chinese characters', () => {
    const texts = fc.array(letters, { minLength: 1, maxLength: 40 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, where, length) => {
        const pieces = text.match(/\p{Script=Han}{2,}|[a-zéüßА-яё0-9]{3,}/giu) ?? [];
        const piece = pieces[where % Math.max(1, pieces.length)];
        if (piece === undefined) return;
        const shortest = /\p{Script=Han}/u.test(piece) ? 2 : 3;
        const start = where % (piece.length - shortest + 1);
        const end = start + shortest + (length % (piece.length - start - shortest + 1));
        const part = piece.slice(start, end);
        expect(finds(part, text), `${part} in ${text}`).toBe(true);
        expect(readWordQuery(part)?.highlights(text).length).toBeGreaterThan(0);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('find nothing that is not there, and beginnings of two letters only at a beginning', () => {
    expect(finds('北海', '北京上海')).toBe(false);
    expect(finds('abcd', 'abc bcd')).toBe(false);
    expect(finds('or', 'order')).toBe(true);
    expect(finds('rd', 'order')).toBe(false);
    expect(finds('a', 'a b')).toBe(true);
    expect(finds('a', 'ab')).toBe(false);
    expect(readWordQuery(' !? ')).toBeUndefined();
  });

  it('are the same for words of a text whether or not another script follows', () => {
    const more = new Set(gramsOfMessage('京', facts));
    for (const gram of gramsOfMessage('', facts)) more.delete(gram);
    const texts = fc.array(fc.oneof(letters, fc.string({ unit: 'grapheme', maxLength: 3 })));
    fc.assert(
      fc.property(texts, (all) => {
        const text = all.join('');
        const expected = new Set([...gramsOfMessage(text, facts), ...more]);
        expect(new Set(gramsOfMessage(`${text} 京`, facts))).toEqual(expected);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('are numbers that stored indexes hold, so that they never change', () => {
    expect(gramsOfMessage('Ёлка a, naïve x_1 😀', facts)).toEqual([
      -619050450, -1396292113, 334428694, 1710424689, 194918520, 1577266245, -1598694410,
      1198090556, -1739367288, -1811143259, 213959046, 504006916, -1992545793, 2112941871,
    ]);
  });

  it('mark each match once, at its position in the original text', () => {
    const text = '😀 ÉCOLE, école';
    const marked = readWordQuery('ecole col')?.highlights(text) ?? [];
    expect(marked.map(({ offset, length }) => text.slice(offset, offset + length))).toEqual([
      'ÉCOLE',
      'école',
    ]);
  });
});

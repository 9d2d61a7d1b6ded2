import { describe, expect, it } from 'vitest';
import { createTokenMask } from './token-mask.ts';

const real = `700:${'R'.repeat(34)}x`;
const own = `700:${'s'.repeat(35)}`;

function stream(pieces: string[], mask = createTokenMask(real, own)): string[] {
  const hiding = mask.hideInStream();
  const out = pieces.map((piece) => hiding.push(Buffer.from(piece)).toString());
  return [...out, hiding.end().toString()];
}

describe('mask of a token', () => {
  it('replaces it however its colon is written, and back', () => {
    const mask = createTokenMask(real, own);
    for (const colon of [':', '%3A', '%3a', '~', '\\u003a']) {
      const path = `/a/${real.replace(':', colon)}/b`;
      const shown = mask.hide(path);
      expect(shown).toBe(`/a/${own.replace(':', colon)}/b`);
      expect(mask.reveal(shown)).toBe(path);
    }
    expect(mask.keepsLength).toBe(true);
  });

  it('finds it across any cut of an answer, and holds back only what may be its beginning', () => {
    const text = `{"a":"${real}","b":"RRR","c":"x${real}${real}"}RR`;
    const expected = text.replaceAll(real, own);
    for (let first = 0; first <= text.length; first += 3) {
      for (let second = first; second <= text.length; second += 5) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        expect(stream(pieces).join('')).toBe(expected);
      }
    }
    expect(stream(['plain words', 'more RR', 'R'])).toEqual(['plain words', 'more ', '', 'RRR']);
  });

  it('takes a short secret only with the number before it', () => {
    const mask = createTokenMask('1:a', own);
    expect(mask.hide('a banana of 1:a')).toBe(`a banana of ${own}`);
    expect(mask.keepsLength).toBe(false);
    expect(stream(['banana 1:', 'a'], mask).join('')).toBe(`banana ${own}`);
  });
});

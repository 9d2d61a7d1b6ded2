import { describe, expect, it } from 'vitest';
import { shortened } from '../../../web/src/ui/text/shortened.ts';

describe('a shortened text', () => {
  it('keeps what is short, on one line', () => {
    expect(shortened('two\n lines', 9)).toBe('two lines');
  });

  it('cuts what is long, and no letter in two', () => {
    expect(shortened('abcdefgh', 5)).toBe('abcd…');
    expect(shortened('abc😀efgh', 5)).toBe('abc…');
    expect(shortened('ab😀efgh', 5)).toBe('ab😀…');
  });
});

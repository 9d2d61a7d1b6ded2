import { describe, expect, it } from 'vitest';
import { ReadAhead } from './read-ahead.ts';

/** At position 8, told of position 10 while the log ends at 8. */
function toldTooMuch(): ReadAhead {
  const readAhead = new ReadAhead();
  readAhead.begin();
  readAhead.ended(0, 8);
  readAhead.grew(10);
  readAhead.begin();
  return readAhead;
}

describe('the read-ahead', () => {
  it('waits for news after it was told of more than there is', () => {
    const readAhead = toldTooMuch();
    readAhead.ended(0, 8);
    expect(readAhead.isDue(8)).toBe(false);
  });

  it('reads again when the log grew during a read that found nothing', () => {
    const readAhead = toldTooMuch();
    readAhead.grew(12);
    readAhead.ended(0, 8);
    expect(readAhead.isDue(8)).toBe(true);
  });

  it('reads again when the log grew by an unknown amount during a read that found nothing', () => {
    const readAhead = toldTooMuch();
    readAhead.grew(0);
    readAhead.ended(0, 8);
    expect(readAhead.isDue(8)).toBe(true);
  });
});

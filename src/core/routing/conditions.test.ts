import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { conditionProblem } from './conditions.ts';
import { reasonText } from '../reasons/reason.ts';
import { roughPatternSize } from './pattern-size.ts';

const problem = (pattern: string) => {
  const found = conditionProblem('regex', pattern);
  return found && reasonText(found);
};

describe('patterns of routes', () => {
  it.each([
    '(?i)\\b(refund|chargeback|invoice)\\b',
    '^[A-Z]{2}\\d{6,12}$',
    '(?:\\d[ -]*?){13,16}',
    '[]{}]{2}[^\\]]+',
    'x{,5}',
    'word|'.repeat(200),
    'a?'.repeat(512),
  ])('may be %s', (pattern) => {
    expect(problem(pattern)).toBeUndefined();
  });

  it.each([
    '(.{1,1000})(.{1,1000})',
    '(.{1,1000})'.repeat(90),
    `(?:${'abc'.repeat(150)}){1000}`,
    `(?:${'[a-z]x{9}'.repeat(100)}){90}`,
    '((a{40}){40}b){10}c{1000}d{1000}',
  ])('may not make much of little, at once and without the work: %s', (pattern) => {
    const startedAt = cpuMs();
    expect(problem(pattern)).toMatch(/^(repeats too often|must be a regular expression)/);
    expect(cpuMs() - startedAt).toBeLessThan(500);
  });

  it('are told what is wrong with them', () => {
    expect(problem('(a')).toMatch(/^must be a regular expression/);
    expect(problem('(?=a)')).toMatch(/look-around/);
  });

  it('are measured by what their repetitions come to', () => {
    expect(roughPatternSize('abc')).toBe(3);
    expect(roughPatternSize('a{10}')).toBe(10);
    expect(roughPatternSize('(ab){10}')).toBe(20);
    expect(roughPatternSize('((ab){10}c){3}')).toBe(63);
    expect(roughPatternSize('[a{9}]{2,7}')).toBe(7);
    expect(roughPatternSize('\\p{L}{5}')).toBeGreaterThanOrEqual(5);
  });
});

import { expect, it } from 'vitest';
import { missedInShort } from './in-short.ts';

it('the faults that take longer lose no update and pass all checks', {
  timeout: 600_000,
}, async () => {
  const missed = await missedInShort([
    ['1', 'sqlite'],
    ['2-poison', 'sqlite'],
    ['3-slow-reads', 'postgres'],
    ['5', 'sqlite'],
    ['6', 'postgres'],
  ]);
  expect(missed).toEqual([]);
});

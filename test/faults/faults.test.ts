import { expect, it } from 'vitest';
import { missedInShort } from './in-short.ts';

it('faults lose no update and pass all checks', { timeout: 300_000 }, async () => {
  const missed = await missedInShort([
    ['2-backends', 'sqlite'],
    ['2-platforms', 'sqlite'],
    ['3-dead', 'postgres'],
    ['3-failover', 'postgres'],
    ['4-leases', 'postgres'],
    ['3-disk-full', 'sqlite'],
  ]);
  expect(missed).toEqual([]);
});

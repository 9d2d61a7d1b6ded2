import { describe, expect, it } from 'vitest';
import { missedInShort } from './in-short.ts';

describe('the service under faults', () => {
  it.each([
    {
      faults: 'of backends, Telegram, nodes and disks',
      runs: [
        ['2-backends', 'sqlite'],
        ['2-platforms', 'sqlite'],
        ['3-dead', 'postgres'],
        ['3-failover', 'postgres'],
        ['4-leases', 'postgres'],
        ['3-disk-full', 'sqlite'],
      ],
    },
    {
      faults: 'that take longer',
      runs: [
        ['1', 'sqlite'],
        ['2-poison', 'sqlite'],
        ['3-slow-reads', 'postgres'],
        ['5', 'sqlite'],
        ['6', 'postgres'],
      ],
    },
  ] as const)(
    'loses no update and passes all checks: faults $faults',
    {
      timeout: 600_000,
    },
    async ({ runs }) => {
      expect(await missedInShort(runs)).toEqual([]);
    },
  );
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../support/database/engines.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { faults } from './faults.ts';
import { quickly } from './quickly.ts';
import { NotRun } from './result.ts';

/** They mostly wait, so they do it together. */
const short: [string, DialectName][] = [
  ['2-backends', 'sqlite'],
  ['2-platforms', 'sqlite'],
  ['3-dead', 'postgres'],
  ['3-failover', 'postgres'],
  ['4-leases', 'postgres'],
  ['3-disk-full', 'sqlite'],
];

describe('faults, in short', { timeout: 300_000 }, () => {
  it('lose no update and pass all checks', async () => {
    // All end before any failure is told: each still uses a disk, a server or a database.
    const ended = await Promise.allSettled(
      short.map(async ([id, dialect]) => {
        const database = await createDatabase(dialect);
        onTestFinished(() => database.drop());
        const fault = faults.find((one) => one.id === id);
        try {
          const result = await fault?.run({ ...quickly, perSecond: 30, database });
          expect(result?.readers['push']?.offered, id).toBeGreaterThan(20);
          // Times are for the whole suite, which has the machine for itself.
          return (result?.marks ?? [])
            .filter(({ ok, limit }) => !ok && !limit.endsWith(' ms'))
            .map((mark) => ({ id, ...mark }));
        } catch (error) {
          // Only root may mount a disk.
          if (error instanceof NotRun) return [];
          throw error;
        }
      }),
    );
    const missed = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : [one.reason]));
    expect(missed).toEqual([]);
  });
});

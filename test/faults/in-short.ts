import { expect, onTestFinished } from 'vitest';
import type { DialectName } from '../../src/store/engine.ts';
import { createDatabase } from '../support/database/engines.ts';
import { faults } from './faults.ts';
import { quickly } from './quickly.ts';
import { NotRun } from './result.ts';

/** Runs short forms of these faults together, as they mostly wait; returns the checks that failed. */
export async function missedInShort(
  wanted: readonly (readonly [id: string, dialect: DialectName])[],
): Promise<unknown[]> {
  // All end before any failure is told: each still uses a disk, a server or a database.
  const ended = await Promise.allSettled(
    wanted.map(async ([id, dialect]) => {
      const create = async () => {
        const made = await createDatabase(dialect);
        onTestFinished(() => made.drop());
        return made;
      };
      const fault = faults.find((one) => one.id === id);
      try {
        const result = await fault?.run({
          ...quickly,
          perSecond: 30,
          database: await create(),
          createDatabase: create,
        });
        expect(result?.readers['push']?.offered, id).toBeGreaterThan(20);
        // Times are for the whole suite, which has the machine for itself; that all arrives is checked here too.
        return (result?.marks ?? [])
          .filter(({ ok, limit }) => !ok && !limit.endsWith(' ms'))
          .map((mark) => ({ id, ...mark }));
      } catch (error) {
        // Only root may mount a disk.
        if (!(error instanceof NotRun)) throw error;
        process.stderr.write(`Fault ${id} on ${dialect} was not run: ${error.message}.\n`);
        return [];
      }
    }),
  );
  return ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : [one.reason]));
}

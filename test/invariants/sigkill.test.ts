import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { killUnderLoad } from './support/sigkill.ts';

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_260_714);

/** The second kill meets a service that has just recovered. */
const killsOf = { sqlite: 2, postgres: 1 };

it.each(dialects)(
  'a service on %s that is killed under load keeps invariants 1, 3, 4 and 5',
  async (dialect) => {
    const outcome = await killUnderLoad(dialect, { kills: killsOf[dialect], seed });
    expect(outcome).toContain('lost 0');
    process.stdout.write(outcome);
  },
);

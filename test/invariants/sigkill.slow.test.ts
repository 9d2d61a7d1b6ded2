import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { killUnderLoad } from './support/sigkill.ts';

const seed = Number(process.env['SIGKILL_SEED'] ?? Math.floor(Math.random() * 1e9));

it.each(dialects)(
  'a service on %s that is killed 8 times under load keeps invariants 1, 3, 4 and 5',
  async (dialect) => {
    const outcome = await killUnderLoad(dialect, { kills: 8, seed });
    expect(outcome).toContain('lost 0');
    process.stdout.write(outcome);
  },
);

import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { killUnderLoad } from './support/sigkill.ts';

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_260_714);

it.each(dialects)(
  'a service on %s that is killed 2 times under load keeps invariants 1, 3, 4 and 5',
  async (dialect) => {
    const outcome = await killUnderLoad(dialect, { kills: 2, seed });
    expect(outcome).toContain('lost 0');
    process.stdout.write(outcome);
  },
);

import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { killDesk } from './support/kill-desk.ts';

/** Other nodes notice a death only after nine seconds. */
const killsOf = { sqlite: 200, postgres: 40 };

it.each(dialects)(
  'a desk on %s keeps one topic for each customer, however often it is killed',
  async (dialect) => {
    const kills = Number(process.env['DESK_KILLS'] ?? killsOf[dialect]);
    const outcome = await killDesk(dialect, [...Array(kills).keys()]);
    expect(outcome).toContain('one topic each');
    process.stdout.write(outcome);
  },
  3_600_000,
);

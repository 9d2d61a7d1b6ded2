import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { allKills, killDesk } from './support/kill-desk.ts';

/** Each run strikes other steps; the seed repeats it. */
const seed = Number(process.env['SIGKILL_SEED'] ?? Math.floor(Math.random() * 1e9));
/** Other nodes notice a death only after nine seconds. */
const killsOf = { sqlite: 3, postgres: 2 };

it.each(dialects)(
  'a desk on %s keeps one topic for each customer when it is killed while it opens them and answers',
  async (dialect) => {
    const kills = Array.from({ length: killsOf[dialect] }, (_, kill) => (seed + kill) % allKills);
    process.stdout.write(`${dialect}: SIGKILL_SEED=${seed}\n`);
    const outcome = await killDesk(dialect, kills);
    expect(outcome).toContain('one topic each');
    process.stdout.write(outcome);
  },
);

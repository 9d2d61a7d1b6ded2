import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { killDesk } from './support/kill-desk.ts';

/**
 * While a topic is made and an answer is passed on, which nobody may get twice, and on SQLite also at the first
 * message. Other nodes notice a death only after nine seconds.
 */
const killsOf = { sqlite: [0, 3, 4], postgres: [0, 3] };

it.each(dialects)(
  'a desk on %s keeps one topic for each customer when it is killed while it opens them and answers',
  async (dialect) => {
    const outcome = await killDesk(dialect, killsOf[dialect]);
    expect(outcome).toContain('one topic each');
    process.stdout.write(outcome);
  },
);

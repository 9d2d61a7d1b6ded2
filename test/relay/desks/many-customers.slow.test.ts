import { expect, it } from 'vitest';
import { dialects } from '../../support/database/engines.ts';
import { serveMany } from './support/many-customers.ts';

it.each(dialects)(
  'a desk on %s opens the topics of 1,000 customers at once within the limits of Telegram',
  async (dialect) => {
    const outcome = await serveMany(dialect, 1_000);
    expect(outcome).toContain('1000 customers');
    process.stdout.write(outcome);
  },
);

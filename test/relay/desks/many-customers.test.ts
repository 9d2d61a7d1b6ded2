import { expect, it } from 'vitest';
import { dialects } from '../../support/database/engines.ts';
import { serveMany } from './support/many-customers.ts';

it.each(dialects)(
  'a desk on %s opens the topics of 20 customers at once within the limits of Telegram',
  async (dialect) => {
    expect(await serveMany(dialect, 20)).toContain('20 customers');
  },
);

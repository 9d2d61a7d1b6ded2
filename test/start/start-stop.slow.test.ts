import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { stopAtOnce } from './support/stop-at-once.ts';

it.each(dialects)(
  'a service on %s that stops as soon as it started ends what it began before the database, time and again',
  async (dialect) => {
    await expect(stopAtOnce(dialect, 30)).resolves.toBeUndefined();
  },
);

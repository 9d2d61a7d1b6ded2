import { expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { killSends } from './support/kill-sends.ts';

it.each(dialects)(
  'invariant 6 on %s: a route acts once, though the service is killed 6 times while it sends',
  async (dialect) => {
    await expect(killSends(dialect, 6)).resolves.toBeUndefined();
  },
);

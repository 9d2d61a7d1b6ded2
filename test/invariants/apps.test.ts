import { describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { killWithApps } from './support/apps-world.ts';

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_261_116);

describe('five apps of one bot, killed under load', () => {
  it.each(dialects)(
    'on %s: none loses anything, only what was in flight repeats',
    async (dialect) => {
      const outcome = await killWithApps({ dialect, nodes: 1, kills: 3, seed });
      expect(outcome).toContain('lost 0');
      process.stdout.write(outcome);
    },
  );

  it('on three nodes: the same when the node that runs the bot is killed', async () => {
    const outcome = await killWithApps({ dialect: 'postgres', nodes: 3, kills: 1, seed });
    expect(outcome).toContain('lost 0');
    process.stdout.write(outcome);
  });
});

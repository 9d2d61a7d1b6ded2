import { expect, it } from 'vitest';
import { killWithApps } from './support/apps-world.ts';

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_261_116);

it('five apps of one bot lose nothing when it is killed, and only what was in flight repeats', async () => {
  const outcome = await killWithApps({ dialect: 'sqlite', nodes: 1, kills: 3, seed });
  expect(outcome).toContain('lost 0');
  process.stdout.write(outcome);
});

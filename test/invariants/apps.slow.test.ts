import { expect, it } from 'vitest';
import { killWithApps } from './support/apps-world.ts';

const seed = Number(process.env['SIGKILL_SEED'] ?? Math.floor(Math.random() * 1e9));

it.each([
  { dialect: 'sqlite', nodes: 1, kills: 25 },
  { dialect: 'postgres', nodes: 1, kills: 25 },
  { dialect: 'postgres', nodes: 3, kills: 8 },
] as const)(
  'apps survive $kills kills on $dialect, nodes: $nodes',
  { timeout: 600_000 },
  async (run) => {
    const outcome = await killWithApps({ ...run, seed });
    expect(outcome).toContain('lost 0');
    process.stdout.write(outcome);
  },
);

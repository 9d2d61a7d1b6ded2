import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

/** When, on what and of which commit something was measured. */
export interface RunFacts {
  at: string;
  commit: string;
  machine: { cpu: string; cores: number; memoryGb: number; node: string };
}

export function runFacts(): RunFacts {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root }).toString().trim();
  const isChanged = git('status', '--porcelain', 'src') !== '';
  return {
    at: new Date().toISOString(),
    commit: git('rev-parse', '--short', 'HEAD') + (isChanged ? ', changed' : ''),
    machine: {
      cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
      cores: os.cpus().length,
      memoryGb: Math.round(os.totalmem() / 2 ** 30),
      node: process.version,
    },
  };
}

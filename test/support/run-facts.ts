import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

/** Time, machine and commit of a measurement. */
export interface RunFacts {
  at: string;
  commit: string;
  machine: { cpu: string; cores: number; memoryGb: number; node: string };
}

export function runFacts(): RunFacts {
  return {
    at: new Date().toISOString(),
    commit: commitOf(fileURLToPath(new URL('../..', import.meta.url))),
    machine: {
      cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
      cores: os.cpus().length,
      memoryGb: Math.round(os.totalmem() / 2 ** 30),
      node: process.version,
    },
  };
}

/** What decides about a figure. */
const measured = ['src', 'bench', 'test', ':!bench/results', ':!test/faults/results'];

export function commitOf(checkout: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout }).toString().trim();
  const isChanged = git('status', '--porcelain', '--', ...measured) !== '';
  return git('rev-parse', '--short', 'HEAD') + (isChanged ? ', changed' : '');
}

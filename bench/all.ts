/*
 * `npm run bench -- all`: every benchmark in a smaller form, each in its own process, within a quarter
 * of an hour. One table, compared with bench/results/baseline.json; `--baseline` makes the result the
 * new baseline, `--minutes 30` gives a slow machine more time. Writes the generated part of
 * bench/results/results.md.
 */
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runFacts } from '../test/support/run-facts.ts';
import { root, withStolen } from './relay/parts.ts';
import { type AllResult, compare } from './report/compare.ts';
import { readResults, resultFiles } from './report/files.ts';
import { showTable } from './report/show.ts';
import type { BenchRow } from './run.ts';

/** Expected durations in seconds, on an undisturbed machine with two cores; the most important come first. */
const expected = {
  relay: 240,
  postgres: 145,
  scale: 120,
  api: 40,
  search: 60,
  stats: 60,
  routing: 30,
  apps: 30,
  sandbox: 20,
};
const usualMinutes = 15;

export async function runAll(options: { baseline: boolean; minutes?: string }): Promise<void> {
  const mostSeconds = 60 * Number(options.minutes ?? usualMinutes);
  const result: AllResult = { ...runFacts(), seconds: 0, stolen: 0, parts: [], notRun: [] };
  const startedAt = performance.now();
  const passed = () => (performance.now() - startedAt) / 1000;
  const { stolen } = await withStolen(async () => {
    // How much slower this machine is, judging by the benchmarks so far.
    let slowness = 1;
    let done = 0;
    for (const [name, seconds] of Object.entries(expected)) {
      if (passed() + seconds * slowness > mostSeconds) {
        result.notRun.push({ name, why: 'no time was left' });
        continue;
      }
      console.log(`\n${name}`);
      const from = passed();
      try {
        const part = await withStolen(() => runApart(name));
        result.parts.push({
          name,
          seconds: Math.round(passed() - from),
          stolen: part.stolen,
          rows: part.value,
        });
      } catch (error) {
        result.notRun.push({ name, why: (error as Error).message });
      }
      done += seconds;
      slowness = Math.max(1, passed() / done);
    }
  });
  result.seconds = Math.round(passed());
  result.stolen = stolen;
  const { baseline } = readResults();
  console.log(`\n${showTable(result, baseline)}`);
  const text = `${JSON.stringify(result, null, 2)}\n`;
  writeFileSync(resultFiles.all, text);
  if (options.baseline) writeFileSync(resultFiles.baseline, text);
  const { writeDocuments } = await import('../scripts/write-docs.ts');
  writeDocuments();
  const isWorse = compare(result, baseline).some(({ change }) => change === 'worse');
  if (isWorse || result.notRun.length > 0) process.exitCode = 1;
}

/** Runs a benchmark in its own process, because memory left by one would slow down the next. */
async function runApart(name: string): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const file = path.join(folder, 'rows.json');
  try {
    const child = fork(path.join(root, 'bench', 'run.ts'), [name, '--json', file], {
      env: { ...process.env, BENCH_QUICK: '1' },
    });
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    // The process ends with 1 if a mark is missed, but has written its rows by then.
    if (!existsSync(file)) throw new Error(`it ended with ${code}`);
    return JSON.parse(readFileSync(file, 'utf8')) as BenchRow[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

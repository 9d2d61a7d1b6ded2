// `npm run bench -- <name>…`: runs the benchmarks of these names, or every one, one after another.
// Each is a file of its name here and exports `run`, which returns what it measured. `npm run bench
// -- scale --gigabytes 0.3,1 --bots 10,1000` chooses the steps of growth (scale.ts). `npm run bench
// -- all` runs smaller forms of all of them and compares with the baseline (all.ts). `npm run bench
// -- compare --with <checkout> [--pairs <count>]` compares this checkout with another.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** The target of the value, in words. */
  mark?: string;
  /** True if the target is met; omitted without a target. */
  ok?: boolean;
}

export interface BenchOptions {
  /** Another checkout of this repository, to compare with. */
  with?: string;
  pairs?: string;
  /** Steps of `scale`: sizes of the database, and numbers of bots. */
  gigabytes?: string;
  bots?: string;
  rounds?: string;
  /** What `headline` measures: `sqlite` or `postgres`; both if left out. */
  engine?: string;
  /** The folder in which `scale` creates its database. */
  folder?: string;
}

interface Benchmark {
  run(options: BenchOptions): Promise<BenchRow[]>;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Finds benchmarks: files that export `run`. The others are helpers, and some start servers. */
function findBenchmarks(): string[] {
  return globSync('*.ts', { cwd: folder })
    .filter((file) =>
      /^export (async )?function run\(/m.test(readFileSync(path.join(folder, file), 'utf8')),
    )
    .map((file) => path.basename(file, '.ts'))
    .sort();
}

function show(row: BenchRow): string {
  const outcome = row.ok === undefined ? '    ' : row.ok ? 'ok  ' : 'MISS';
  const mark = row.mark ? `  (${row.mark})` : '';
  return `  ${outcome} ${row.name.padEnd(52)} ${String(row.value).padStart(10)} ${row.unit}${mark}`;
}

const benchmarks = findBenchmarks();
const { values: options, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string' },
    pairs: { type: 'string' },
    gigabytes: { type: 'string' },
    bots: { type: 'string' },
    rounds: { type: 'string' },
    engine: { type: 'string' },
    folder: { type: 'string' },
    baseline: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    json: { type: 'string' },
  },
});
const unknown = asked.find((name) => name !== 'all' && !benchmarks.includes(name));
if (unknown !== undefined) {
  console.error(`no benchmark "${unknown}": there are all, ${benchmarks.join(', ')}`);
  process.exit(2);
}

console.log(`Node ${process.version}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}`);
if (asked.includes('all')) {
  const file = new URL('all.ts', import.meta.url).href;
  const { runAll } = (await import(file)) as {
    runAll(options: { baseline: boolean; minutes?: string }): Promise<void>;
  };
  await runAll(options);
} else {
  const every = benchmarks.filter((name) => name !== 'compare' || options.with !== undefined);
  const found: BenchRow[] = [];
  for (const name of asked.length > 0 ? asked : every) {
    console.log(`\n${name}`);
    const { run } = (await import(new URL(`${name}.ts`, import.meta.url).href)) as Benchmark;
    for (const row of await run(options)) {
      console.log(show(row));
      found.push(row);
      if (row.ok === false) process.exitCode = 1;
    }
  }
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(found));
}

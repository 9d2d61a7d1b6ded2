// `npm run bench -- <name>…`: runs the benchmarks of these names, or all of them, one after another.
// Each lives in a file of its name here and exports `run`, which tells what it measured.
import { globSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** What it has to reach, in words. */
  mark?: string;
  /** Whether it does; left out where nothing is demanded. */
  ok?: boolean;
}

interface Benchmark {
  run(): Promise<BenchRow[]>;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

/** A file is a benchmark when it exports `run`; the others are helpers, and some start servers. */
function findBenchmarks(): string[] {
  return globSync('*.ts', { cwd: folder })
    .filter((file) =>
      /^export (async )?function run\(/m.test(readFileSync(path.join(folder, file), 'utf8')),
    )
    .map((file) => path.basename(file, '.ts'))
    .sort();
}

function show(row: BenchRow): string {
  const verdict = row.ok === undefined ? '    ' : row.ok ? 'ok  ' : 'MISS';
  const mark = row.mark ? `  (${row.mark})` : '';
  return `  ${verdict} ${row.name.padEnd(52)} ${String(row.value).padStart(10)} ${row.unit}${mark}`;
}

const benchmarks = findBenchmarks();
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const unknown = asked.find((name) => !benchmarks.includes(name));
if (unknown !== undefined) {
  console.error(`no benchmark "${unknown}": there are ${benchmarks.join(', ')}`);
  process.exit(2);
}

console.log(`Node ${process.version}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}`);
for (const name of asked.length > 0 ? asked : benchmarks) {
  console.log(`\n${name}`);
  const { run } = (await import(new URL(`${name}.ts`, import.meta.url).href)) as Benchmark;
  for (const row of await run()) {
    console.log(show(row));
    if (row.ok === false) process.exitCode = 1;
  }
}

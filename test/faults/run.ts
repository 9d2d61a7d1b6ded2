// `npm run test:faults`: breaks the service as shipped, on both engines, and reconciles every update.
// Options: --fault 1|4, --engine sqlite|postgres, --kills, --updates, --bots, --rate (updates a second),
// --seed, --name (of the files in results/). Fault 4 goes by time: --kills and --updates do not change it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { DialectName } from '../../src/store/engine.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { runFacts } from '../support/run-facts.ts';
import { startPostgres } from '../support/database/start-postgres.ts';
import { runNodes } from './nodes.ts';
import { type Report, showReport } from './report.ts';
import type { FaultOptions, FaultResult } from './result.ts';
import { runSigkill } from './sigkill.ts';

const { values } = parseArgs({
  options: {
    fault: { type: 'string', multiple: true },
    engine: { type: 'string', multiple: true, default: [...dialects] },
    kills: { type: 'string', default: '100' },
    updates: { type: 'string', default: '50000' },
    bots: { type: 'string', default: '20' },
    rate: { type: 'string', default: '125' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    name: { type: 'string', default: 'latest' },
  },
});
const number = (name: 'kills' | 'updates' | 'bots' | 'rate' | 'seed') => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0, not "${values[name]}"`);
};
const scale = {
  kills: number('kills'),
  updates: number('updates'),
  bots: number('bots'),
  perSecond: number('rate'),
  seed: number('seed'),
};
const faults: Record<string, (options: FaultOptions) => Promise<FaultResult>> = {
  1: runSigkill,
  4: runNodes,
};
/** Nodes share a database only on PostgreSQL. */
const enginesOf = (fault: string): DialectName[] =>
  dialects.filter(
    (engine) => values.engine.includes(engine) && !(fault === '4' && engine === 'sqlite'),
  );

const unknown = values.engine.find((engine) => !dialects.some((known) => known === engine));
if (unknown !== undefined) throw new Error(`there is no engine ${unknown}: ${dialects.join(', ')}`);
const chosen = values.fault ?? Object.keys(faults);
const unrun = chosen.filter((fault) => faults[fault] && enginesOf(fault).length === 0);
if (unrun.length > 0) {
  process.stderr.write(`Fault ${unrun.join(', ')} needs several nodes: add --engine postgres.\n`);
  // Asked for by name, it must not pass for run.
  if (values.fault || unrun.length === chosen.length) process.exit(2);
}
const report: Report = { ...runFacts(), scale, results: [] };

const source = await startPostgres();
try {
  for (const fault of chosen) {
    const run = faults[fault];
    if (!run) throw new Error(`there is no fault ${fault}: choose 1 or 4`);
    for (const engine of enginesOf(fault)) {
      const startedAt = Date.now();
      const say = (line: string) =>
        process.stdout.write(`${Math.round((Date.now() - startedAt) / 1000)} s: ${line}\n`);
      process.stdout.write(`\nfault ${fault} on ${engine}, seed ${scale.seed}\n`);
      const database = await createDatabase(engine, { source });
      try {
        report.results.push(await run({ ...scale, database, say }));
      } finally {
        await database.drop();
      }
    }
  }
} finally {
  await source.stop();
}

const text = showReport(report);
process.stdout.write(`\n${text}\n`);
const folder = fileURLToPath(new URL('results/', import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}${values.name}.json`, `${JSON.stringify(report, null, 2)}\n`);
writeFileSync(`${folder}${values.name}.md`, `${text}\n`);
if (report.results.some(({ marks }) => marks.some(({ ok }) => !ok))) process.exitCode = 1;

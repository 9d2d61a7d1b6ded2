// `npm run test:faults`: breaks the service as shipped, on both engines, and reconciles every update.
// Options: --fault (a number, or one of its parts such as 3-stall), --engine sqlite|postgres, --kills,
// --updates, --bots, --rate (updates a second), --requests (of fault 7), --minutes (of faults 5, 6 and 8),
// --seed, --name (of the files in results/), --merge (keeps the other faults that are in that file). Fault 4
// goes by time: --kills and --updates do not change it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { runFacts } from '../support/run-facts.ts';
import { watchProcessors } from './support/processor-time.ts';
import { startPostgres } from '../support/database/start-postgres.ts';
import { type Fault, faults } from './faults.ts';
import { merge, type Report, showReport } from './report.ts';
import { NotRun } from './result.ts';

const { values } = parseArgs({
  options: {
    fault: { type: 'string', multiple: true },
    engine: { type: 'string', multiple: true, default: [...dialects] },
    kills: { type: 'string', default: '100' },
    updates: { type: 'string', default: '50000' },
    bots: { type: 'string', default: '20' },
    rate: { type: 'string', default: '125' },
    requests: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    name: { type: 'string', default: 'latest' },
    merge: { type: 'boolean', default: false },
  },
});
type Scale = 'kills' | 'updates' | 'bots' | 'rate' | 'requests' | 'minutes' | 'seed';
const number = (name: Scale) => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0, not "${values[name]}"`);
};
const scale = {
  kills: number('kills'),
  updates: number('updates'),
  bots: number('bots'),
  perSecond: number('rate'),
  requests: number('requests'),
  minutes: number('minutes'),
  seed: number('seed'),
  pace: 1,
};
const unknown = values.engine.find((engine) => !dialects.some((known) => known === engine));
if (unknown !== undefined) throw new Error(`there is no engine ${unknown}: ${dialects.join(', ')}`);
const partsOf = (wanted: string): Fault[] => {
  const parts = faults.filter(({ id }) => id === wanted || id.startsWith(`${wanted}-`));
  if (parts.length > 0) return parts;
  throw new Error(`there is no fault ${wanted}: ${faults.map(({ id }) => id).join(', ')}`);
};
const enginesOf = ({ engines }: Fault) => engines.filter((one) => values.engine.includes(one));
const chosen = values.fault?.flatMap(partsOf) ?? [...faults];
const unrun = chosen.filter((fault) => enginesOf(fault).length === 0).map(({ id }) => id);
if (unrun.length > 0) {
  process.stderr.write(`Fault ${unrun.join(', ')} does not run on ${values.engine.join()}.\n`);
  // Asked for by name, it must not pass for run.
  if (values.fault || unrun.length === chosen.length) process.exit(2);
}
const { machine, ...facts } = runFacts();
const report: Report = { machine, results: [], notRun: [] };
const failed: string[] = [];
const folder = fileURLToPath(new URL('results/', import.meta.url));
mkdirSync(folder, { recursive: true });
const file = `${folder}${values.name}.json`;
const earlier =
  values.merge && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;

/** After each fault, so that one that breaks off takes nothing with it. */
function save(): void {
  const kept = earlier ? merge(earlier, report) : report;
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  writeFileSync(`${folder}${values.name}.md`, `# Fault runs\n\n${showReport(kept)}\n`);
}

const source = await startPostgres('durable');
try {
  for (const fault of chosen) {
    for (const engine of enginesOf(fault)) {
      const startedAt = Date.now();
      const say = (line: string) =>
        process.stdout.write(`${Math.round((Date.now() - startedAt) / 1000)} s: ${line}\n`);
      process.stdout.write(`\nfault ${fault.id} on ${engine}, seed ${scale.seed}\n`);
      const create = () => createDatabase(engine, { source });
      const database = await create();
      try {
        const { restart: restartPostgres, binaries: postgresBinaries } = source;
        const options = {
          ...scale,
          database,
          createDatabase: create,
          say,
          restartPostgres,
          postgresBinaries,
        };
        const processors = watchProcessors();
        const result = await fault.run(options);
        report.results.push({
          ...facts,
          id: fault.id,
          ...result,
          ...processors(),
        });
      } catch (error) {
        const { message, stack } = error as Error;
        const isMissing = error instanceof NotRun;
        if (!isMissing) failed.push(`${fault.id} on ${engine}: ${stack}`);
        const why = isMissing ? message : `failed: ${message}`;
        say(`not run: ${why}`);
        report.notRun.push({ fault: `${fault.id} on ${engine}`, why });
      } finally {
        await database.drop();
      }
      save();
    }
  }
} finally {
  await source.stop();
}

process.stdout.write(`\n${showReport(report)}\n`);
for (const line of failed) process.stderr.write(`${line}\n`);
const isMissed = report.results.some(({ marks }) => marks.some(({ ok }) => !ok));
if (isMissed || failed.length > 0) process.exitCode = 1;

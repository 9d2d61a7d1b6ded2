import type { RunFacts } from '../support/run-facts.ts';
import type { FaultResult, Mark } from './result.ts';
import type { ProcessorTime } from './support/processor-time.ts';

/** A result, when and from which commit it comes, and how busy the machine was. */
export type DatedResult = FaultResult &
  Pick<RunFacts, 'at' | 'commit'> & {
    /** As `--fault` names it. */
    id: string;
  } & Partial<ProcessorTime>;

export interface Report {
  machine: RunFacts['machine'];
  results: DatedResult[];
  /** What the machine cannot do, or failed before it had a result. */
  notRun: { fault: string; why: string }[];
}

const nameOf = ({ id, engine }: Pick<DatedResult, 'id' | 'engine'>) => `${id} on ${engine}`;

/** The results of a later run take the place of earlier ones. */
export function merge(earlier: Report, later: Report): Report {
  const tried = new Set([...later.results.map(nameOf), ...later.notRun.map(({ fault }) => fault)]);
  const results = [...earlier.results.filter((one) => !tried.has(nameOf(one))), ...later.results];
  return {
    machine: later.machine,
    results: results.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))),
    notRun: [...earlier.notRun.filter(({ fault }) => !tried.has(fault)), ...later.notRun],
  };
}

/** A row for each fault, a table of arrivals, and a table of checks for each fault, as Markdown. */
/** The machine, and how each fault ended. */
export function showSummary({ machine, results, notRun }: Report): string {
  return [
    `Machine: ${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}.`,
    '',
    ...table(['Fault', 'SQLite', 'PostgreSQL'], summarize(inOrder(results), notRun)),
  ].join('\n');
}

const inOrder = (results: Report['results']) =>
  results.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));

export function showReport(report: Report): string {
  const { notRun } = report;
  const results = inOrder(report.results);
  const readers = results.flatMap(({ id, fault, engine, readers }) =>
    Object.entries(readers).map(([reader, tally]) => [
      titleOf(id, fault),
      engine,
      reader,
      ...[tally.offered, tally.delivered, tally.duplicated, tally.lost, tally.reordered].map(
        grouped,
      ),
      `${(tally.maxDelayMs / 1_000).toFixed(1)} s`,
    ]),
  );
  const sections = results.flatMap(({ fault, engine, seconds, marks, ...run }) => [
    '',
    `### ${titleOf(run.id, fault)}, ${engine}`,
    '',
    `${[
      `${run.at.slice(0, 16).replace('T', ' ')} UTC`,
      `commit ${run.commit}`,
      `seed ${run.seed}`,
      `${Math.round(seconds)} s`,
      ...(run.busy === undefined ? [] : [`processors ${percent(run.busy)} busy`]),
      ...(run.stolen === undefined ? [] : [`${percent(run.stolen)} of processor time stolen`]),
    ].join(', ')}.`,
    '',
    ...table(
      ['Check', 'Value', 'Mark', 'Result'],
      marks.map((mark) => [mark.name, mark.value, mark.limit, outcome(mark)]),
    ),
    ...marks.flatMap(({ name, ok, details = [] }) =>
      ok ? [] : details.map((line) => `\n${name}: ${line}`),
    ),
  ]);
  return [
    showSummary(report),
    '',
    ...table(
      [
        'Fault',
        'Database',
        'Reader',
        'Offered',
        'Delivered',
        'Duplicated',
        'Lost',
        'Reordered',
        'Longest delay',
      ],
      readers,
    ),
    ...notRun.map(({ fault, why }) => `\nNot run: ${fault} (${why}).`),
    ...sections,
  ].join('\n');
}

/** For each fault, how it ended on each engine. */
function summarize(results: readonly DatedResult[], notRun: Report['notRun']): string[][] {
  return [...new Set(results.map(({ id }) => id))].map((id) => [
    `\`${id}\``,
    ...(['sqlite', 'postgres'] as const).map((engine) => {
      const result = results.find((one) => one.id === id && one.engine === engine);
      if (result) return inShort(result);
      return notRun.some(({ fault }) => fault === nameOf({ id, engine })) ? 'not run' : '–';
    }),
  ]);
}

function inShort({ marks, readers }: DatedResult): string {
  const tallies = Object.values(readers);
  const count = (kind: 'lost' | 'duplicated') =>
    grouped(tallies.reduce((sum, tally) => sum + tally[kind], 0));
  return [
    marks.every(({ ok }) => ok) ? 'met' : 'MISSED',
    ...(tallies.length > 0 ? [`${count('lost')} lost`, `${count('duplicated')} duplicated`] : []),
  ].join(', ');
}

/** By the name that `--fault` takes, in place of the number alone. */
const titleOf = (id: string, fault: string) => `${id}: ${fault.replace(/^\S+: /, '')}`;

function outcome({ limit, ok }: Mark): string {
  if (!ok) return 'MISSED';
  return limit === 'counted' ? '' : 'ok';
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
const grouped = (value: number) => value.toLocaleString('en');

function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

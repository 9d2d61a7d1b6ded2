import type { RunFacts } from '../support/run-facts.ts';
import type { FaultResult } from './result.ts';
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

/** The results of a later run take the place of earlier ones. */
export function merge(earlier: Report, later: Report): Report {
  const nameOf = ({ id, engine }: DatedResult) => `${id} on ${engine}`;
  const tried = new Set([...later.results.map(nameOf), ...later.notRun.map(({ fault }) => fault)]);
  const results = [...earlier.results.filter((one) => !tried.has(nameOf(one))), ...later.results];
  return {
    machine: later.machine,
    results: results.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))),
    notRun: [...earlier.notRun.filter(({ fault }) => !tried.has(fault)), ...later.notRun],
  };
}

/** A table of arrivals, and a table of checks for each fault, as Markdown. */
export function showReport({ machine, results, notRun }: Report): string {
  const readers = results.flatMap(({ fault, engine, readers }) =>
    Object.entries(readers).map(([reader, tally]) => [
      fault,
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
    `### ${fault}, ${engine}`,
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
      ['Check', 'Value', 'Limit', 'Result'],
      marks.map(({ name, value, limit, ok }) => [name, value, limit, ok ? 'ok' : 'MISSED']),
    ),
    ...marks.flatMap(({ name, ok, details = [] }) =>
      ok ? [] : details.map((line) => `\n${name}: ${line}`),
    ),
  ]);
  return [
    `Machine: ${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}.`,
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

const percent = (share: number) => `${Math.round(share * 100)} %`;
const grouped = (value: number) => value.toLocaleString('en');

function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

import type { RunFacts } from '../support/run-facts.ts';
import type { FaultOptions, FaultResult } from './result.ts';

export interface Report extends RunFacts {
  scale: Pick<FaultOptions, 'kills' | 'updates' | 'bots' | 'perSecond' | 'seed'>;
  results: FaultResult[];
  /** What this machine cannot do. */
  notRun: { fault: string; why: string }[];
}

/** A table of arrivals and a table of checks, as Markdown. */
export function showReport({ at, commit, machine, scale, results, notRun }: Report): string {
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
  const marks = results.flatMap(({ fault, engine, seconds, marks }) => [
    '',
    `## ${fault}, ${engine}, ${Math.round(seconds)} s`,
    '',
    ...table(
      ['Mark', 'Value', 'Limit', 'Result'],
      marks.map(({ name, value, limit, ok }) => [name, value, limit, ok ? 'ok' : 'MISSED']),
    ),
    ...marks.flatMap(({ name, ok, details = [] }) =>
      ok ? [] : details.map((line) => `\n${name}: ${line}`),
    ),
  ]);
  return [
    '# Fault runs',
    '',
    `${at.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, seed ${scale.seed}, ${scale.bots} bots.`,
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}.`,
    '',
    ...table(
      [
        'Fault',
        'Engine',
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
    ...marks,
  ].join('\n');
}

const grouped = (value: number) => value.toLocaleString('en');

function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

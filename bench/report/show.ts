/*
 * Formats the results as one table in the terminal, and as the generated part of
 * bench/results/results.md.
 */
import type { RunFacts } from '../../test/support/run-facts.ts';
import { profileParts, type ProfileResult } from '../relay/cpu-profile.ts';
import type { BenchRow } from '../run.ts';
import type { Flood } from '../relay/pipeline.ts';
import { type ScaleResult, scaleCharts, type Step, summarizeScale } from '../scale/result.ts';
import type { Results } from './files.ts';
import { type AllResult, type ComparedRow, compare, quietPercent } from './compare.ts';

export function showTable(now: AllResult, baseline: AllResult | undefined): string {
  const cells = compare(now, baseline).map((one) => [
    one.part,
    one.row.name,
    `${one.row.value} ${one.row.unit}`,
    outcome(one.row),
    against(one),
  ]);
  const all = [['', 'Figure', 'Value', 'Mark', 'Baseline'], ...cells];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...all.map((line) => line[at]?.length ?? 0)));
  return [
    ...all.map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    '',
    `${facts(now)} ${minutes(now.seconds)}.`,
    ...(baseline ? [`Baseline: ${facts(baseline)}`] : ['No baseline to compare with.']),
    ...now.notRun.map(({ name, why }) => `Not run: ${name} (${why}).`),
  ].join('\n');
}

export function showPerformance({ all, baseline: kept, scale, profile }: Results): string {
  const growth = [...(scale ? showScale(scale) : []), ...(profile ? showProfile(profile) : [])];
  if (!all) return [...growth, ''].join('\n');
  // The baseline itself needs no comparison.
  const baseline = kept?.at === all.at ? undefined : kept;
  const parts = all.parts.flatMap((part) => {
    const rows = compare({ ...all, parts: [part] }, baseline).map((one) => [
      one.row.name,
      `${one.row.value.toLocaleString('en')} ${one.row.unit}`.trim(),
      outcome(one.row),
      ...(baseline ? [against(one)] : []),
    ]);
    return [
      '',
      `### ${part.name}`,
      '',
      `${Math.round(part.seconds)} s, ${stolenWords(part.stolen)}.`,
      '',
      ...table(['Figure', 'Value', 'Mark', ...(baseline ? ['Baseline'] : [])], rows),
    ];
  });
  return [
    `${facts(all)} All benchmarks together took ${minutes(all.seconds)}.`,
    ...(baseline ? ['', `Baseline: ${facts(baseline)}`] : []),
    ...all.notRun.map(({ name, why }) => `\nNot run: ${name} (${why}).`),
    ...parts,
    ...growth,
    '',
  ].join('\n');
}

function showScale(scale: ScaleResult): string[] {
  return [
    '',
    '### scale, larger steps',
    '',
    facts(scale),
    ...[...scaleCharts(scale)].flatMap(([name, { title }]) => [
      '',
      `![${title}](../../docs/charts/${name}.svg)`,
    ]),
    '',
    ...stepTable('Database', scale.sizes),
    '',
    ...stepTable('Bots', scale.bots),
    '',
    ...table(
      ['Growth, of the worst step', 'Value', 'Mark'],
      summarizeScale(scale).map((row) => [row.name, `${row.value} %`, outcome(row)]),
    ),
  ];
}

function showProfile({ cases, ...run }: ProfileResult): string[] {
  return [
    '',
    '### profile',
    '',
    facts(run),
    ...cases.flatMap(({ name, relay, limit }) => [
      '',
      ...table(
        [`${name}, µs per update`, 'Relay', 'Limit'],
        profileParts.map((part) => [part, String(relay[part]), String(limit[part])]),
      ),
    ]),
  ];
}

function stepTable(first: string, steps: readonly Step[]): string[] {
  const flood = (one: Flood | undefined) =>
    one ? `${one.perSecond.toLocaleString('en')}/s, ${one.micros} µs, ${kilobytes(one.bytes)}` : '';
  const reads = (steps[0]?.reads ?? []).map(({ name }) => name);
  const hasCold = steps.some(({ cold }) => cold);
  const hasOff = steps.some(({ off }) => off);
  const hasIngest = steps.some(({ ingest }) => ingest);
  return table(
    [
      first,
      'Push',
      ...(hasCold ? ['Push, cold'] : []),
      ...(hasOff ? ['Push, chat management off'] : []),
      hasIngest ? 'Ingest' : 'Push over all bots',
      'Limit',
      ...reads.map((name) => `${name}, ms`),
      'Memory',
      'Stolen',
    ],
    steps.map((step) => [
      step.label,
      flood(step.push),
      ...(hasCold ? [flood(step.cold)] : []),
      ...(hasOff ? [flood(step.off)] : []),
      flood(step.ingest ?? step.spread),
      flood(step.limit),
      ...reads.map((name) => String(step.reads.find((read) => read.name === name)?.ms ?? '')),
      `${step.memory} MB`,
      `${step.stolen} %`,
    ]),
  );
}

function outcome({ mark, ok }: BenchRow): string {
  if (ok === undefined) return mark ?? '';
  return `${mark ?? ''} ${ok ? 'ok' : 'MISSED'}`.trim();
}

function against({ before, ratio, points, change }: ComparedRow): string {
  if (before === undefined) return '';
  const by = [
    ...(ratio === undefined ? [] : [`×${ratio}`]),
    ...(points ? [`${points > 0 ? '+' : ''}${points} points`] : []),
  ];
  const told = [before, ...by.map((words) => `(${words})`)].join(' ');
  return change === 'worse' ? `${told} WORSE` : change === '' ? told : `${told} ${change}`;
}

function facts({ at, commit, machine, ...rest }: RunFacts & { stolen?: number }): string {
  const stolen = rest.stolen === undefined ? '' : `, ${stolenWords(rest.stolen)}`;
  return `${at.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}${stolen}.`;
}

function stolenWords(stolen: number): string {
  return `${stolen} % of the processor time stolen${stolen > quietPercent ? ' (noisy)' : ''}`;
}

const minutes = (seconds: number) => `${(seconds / 60).toFixed(1)} minutes`;
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

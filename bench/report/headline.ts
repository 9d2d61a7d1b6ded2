/* The results of `npm run bench -- headline`: the table and the charts of docs/performance.md. */
import type { RunFacts } from '../../test/support/run-facts.ts';
import type { BenchRow } from '../run.ts';
import type { Bars } from './bars.ts';

export interface Speed {
  perSecond: number;
  /** Processor time per update of the service, in microseconds. */
  service: number;
  /** The same of the PostgreSQL server. */
  database: number;
  /** What search and statistics catch up on after the flood, of both. */
  later: number;
}

export interface Measured {
  /** The first updates after the start. */
  cold: Speed[];
  /** Once for each round. */
  warm: Speed[];
  /** Milliseconds from the offer by the platform to the backend, once for each window. */
  p99: number[];
}

export type Side = 'limit' | 'on' | 'off' | 'threeOn' | 'threeOff';
export type Part = RunFacts & { stolen: number; latencyPerSecond: number } & {
  sides: Partial<Record<Side, Measured>>;
};
export interface HeadlineResult {
  sqlite?: Part;
  postgres?: Part;
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
const sideWords: Record<Side, string> = {
  limit: 'limit',
  on: 'one node, on',
  off: 'one node, off',
  threeOn: 'three nodes, on',
  threeOff: 'three nodes, off',
};

const micros = ({ service, database }: Speed) => service + database;

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? 0) + (sorted[Math.ceil(at)] ?? 0)) / 2;
}

/** Divides figures of the same round, and returns the median. */
function times(
  of: readonly Speed[] = [],
  to: readonly Speed[] = [],
  pick: (speed: Speed) => number,
): number {
  return middle(of.map((speed, round) => pick(speed) / pick(to[round] as Speed)));
}

interface Line {
  name: string;
  limit: Measured;
  measured: Measured;
}

function linesOf({ sqlite, postgres }: HeadlineResult): Line[] {
  return Object.entries({ sqlite, postgres }).flatMap(([engine, part]) =>
    Object.entries(part?.sides ?? {}).map(([side, measured]) => ({
      name: `${engines[engine as keyof typeof engines]}, ${sideWords[side as Side]}`,
      limit: part?.sides.limit as Measured,
      measured,
    })),
  );
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Returns the generated part of docs/performance.md. */
export function showHeadline(result: HeadlineResult): string {
  const rate = ({ perSecond }: Speed) => perSecond;
  const rows = linesOf(result).map(({ name, limit, measured: { cold, warm, p99 } }) => {
    const isLimit = limit.warm === warm;
    const both = (of: (speeds: Speed[], limits: Speed[]) => string) =>
      `${of(cold, limit.cold)} | ${of(warm, limit.warm)}`;
    return `| ${name} | ${both((speeds) => whole(middle(speeds.map(rate))))} | ${both(
      (speeds, limits) => (isLimit ? '' : percent(times(speeds, limits, rate))),
    )} | ${both((speeds) => whole(middle(speeds.map(micros))))} | ${Math.round(middle(p99))} ms |`;
  });
  const isMeasured = result.sqlite !== undefined || result.postgres !== undefined;
  return [
    '| | Cold, updates/s | Warm | Cold, of the limit | Warm | Cold, processor µs per update | Warm | p99 |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    ...(isMeasured ? [factsOf(result), '', ...marksOf(result)] : []),
  ].join('\n');
}

/** Which figures reach their marks. */
function marksOf(result: HeadlineResult): string[] {
  const rows = summarizeHeadline(result).flatMap(({ name, value, unit, mark, ok }) =>
    mark === undefined ? [] : `| ${name} | ${mark} | ${value} ${unit} | ${ok ? 'met' : 'missed'} |`,
  );
  return ['| With chat management, warm | Mark | Measured | |', '|---|---|---|---|', ...rows];
}

function factsOf({ sqlite, postgres }: HeadlineResult): string {
  const told = Object.entries({ sqlite, postgres }).flatMap(([engine, part]) => {
    const { cold = [], warm = [], p99 = [] } = part?.sides.on ?? {};
    return part
      ? `${engines[engine as keyof typeof engines]}: commit ${part.commit}, ${part.at.slice(0, 16).replace('T', ' ')} UTC, cold ${cold.length === 1 ? 'once' : `${cold.length} times`}, warm in ${warm.length} alternating rounds, ${p99.length} windows for p99 at ${whole(part.latencyPerSecond)} updates/s, ${part.stolen} % stolen.`
      : [];
  });
  const { machine } = (sqlite ?? postgres) as Part;
  return `Medians. ${told.join(' ')} ${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}.`;
}

/** Returns the marks that the figures should reach. */
export function summarizeHeadline(result: HeadlineResult): BenchRow[] {
  const { sqlite, postgres } = result;
  const rows: BenchRow[] = [];
  const add = (name: string, value: number, unit: string, mark: string, ok: boolean) =>
    rows.push({ name, value: Math.round(value * 100) / 100, unit, mark, ok });
  const rate = ({ perSecond }: Speed) => perSecond;
  for (const [engine, part] of Object.entries({ sqlite, postgres })) {
    const { limit, on } = part?.sides ?? {};
    if (!limit || !on) continue;
    const name = engines[engine as keyof typeof engines];
    const least = engine === 'sqlite' ? 70 : 55;
    const share = times(on.warm, limit.warm, rate) * 100;
    add(`${name}, share of the limit`, Math.round(share), '%', `>= ${least}`, share >= least);
    if (engine === 'sqlite') {
      const cost = times(on.warm, limit.warm, micros);
      add(`${name}, processor, times the limit's`, cost, '×', '<= 1.6', cost <= 1.6);
    }
    const late = middle(on.p99) / middle(limit.p99);
    add(`${name}, p99, times the limit's`, late, '×', '<= 1.5', late <= 1.5);
  }
  const { on, threeOn } = postgres?.sides ?? {};
  if (on && threeOn) {
    const more = (times(threeOn.warm, on.warm, micros) - 1) * 100;
    add(
      'PostgreSQL, processor, three nodes against one',
      Math.round(more),
      '%',
      '<= 30',
      more <= 30,
    );
  }
  for (const { name, measured } of linesOf(result)) {
    const value = Math.round(middle(measured.warm.map(({ later }) => later)));
    if (!name.endsWith('limit'))
      rows.push({ name: `${name}, afterwards`, value, unit: 'µs per update' });
  }
  return rows;
}

/** Returns the charts, by file name. */
export function headlineCharts(result: HeadlineResult): Map<string, Bars> {
  const lines = linesOf(result);
  const labels = lines.map(({ name }) => name);
  const bars = (name: string, pick: (measured: Measured) => number) => ({
    name,
    values: lines.map(({ measured }) => pick(measured)),
  });
  const of = (kind: 'cold' | 'warm', pick: (speed: Speed) => number) =>
    bars(kind, (measured) => middle(measured[kind].map(pick)));
  return new Map<string, Bars>([
    [
      'headline-rate',
      {
        title: 'Push, updates per second',
        unit: 'chat management on and off',
        labels,
        series: [
          of('cold', ({ perSecond }) => perSecond),
          of('warm', ({ perSecond }) => perSecond),
        ],
      },
    ],
    [
      'headline-processor',
      {
        title: 'Processor per update, warm',
        unit: 'µs, of the service and of PostgreSQL',
        labels,
        series: [
          bars('service', ({ warm }) => middle(warm.map(({ service }) => service))),
          bars('PostgreSQL', ({ warm }) => middle(warm.map(({ database }) => database))),
        ],
      },
    ],
    [
      'headline-latency',
      {
        title: 'Latency at half the rate, p99',
        unit: 'ms, from the offer by Telegram to the backend',
        labels,
        series: [bars('p99', ({ p99 }) => middle(p99))],
      },
    ],
  ]);
}

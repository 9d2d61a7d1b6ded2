/* Compares a run of all benchmarks with the committed one, row by row. */
import type { RunFacts } from '../../test/support/run-facts.ts';
import type { BenchRow } from '../run.ts';

/** The result of one benchmark. */
interface Part {
  name: string;
  seconds: number;
  /** Percent of the processor time that other machines took meanwhile. */
  stolen: number;
  rows: BenchRow[];
}

export interface AllResult extends RunFacts {
  seconds: number;
  stolen: number;
  parts: Part[];
  /** Names of benchmarks that failed or for which no time was left. */
  notRun: { name: string; why: string }[];
}

export interface ComparedRow {
  part: string;
  row: BenchRow;
  before?: number;
  /** The value divided by that of the baseline, if both are above 0. */
  ratio?: number;
  /** Percentage points from the baseline, for rows that are compared by points. */
  points?: number;
  /** `noisy` means that it looks worse, but the host was too busy for a judgement. */
  change: '' | 'better' | 'worse' | 'noisy';
}

/** Above this percentage, times and rates describe the host. */
export const quietPercent = 2;
/** Above this percentage a figure counts as changed. */
const changedPercent = 10;

export function compare(now: AllResult, baseline: AllResult | undefined): ComparedRow[] {
  const earlier = new Map(
    (baseline?.parts ?? []).flatMap((part) =>
      part.rows.map((row) => [keyOf(part.name, row), { value: row.value, stolen: part.stolen }]),
    ),
  );
  return now.parts.flatMap((part) =>
    part.rows.map((row): ComparedRow => {
      const before = earlier.get(keyOf(part.name, row));
      if (!before) return { part: part.name, row, change: '' };
      const isQuiet = part.stolen <= quietPercent && before.stolen <= quietPercent;
      return {
        part: part.name,
        row,
        before: before.value,
        ...difference(row, before.value),
        change: changeOf(row, before.value, isQuiet),
      };
    }),
  );
}

const keyOf = (part: string, row: BenchRow) => `${part}: ${row.name} in ${row.unit}`;

function difference(row: BenchRow, before: number): Pick<ComparedRow, 'ratio' | 'points'> {
  if (isGrowth(row)) return { points: Math.round((row.value - before) * 10) / 10 };
  if (!isRatio(row, before)) return {};
  return { ratio: Math.round((row.value / before) * 100) / 100 };
}

function changeOf(row: BenchRow, before: number, isQuiet: boolean): ComparedRow['change'] {
  const better = betterWay(row);
  if (better === 0 || isReference(row)) return '';
  if (!isGrowth(row) && !isRatio(row, before)) return '';
  const grown = isGrowth(row) ? row.value - before : (row.value / before - 1) * 100;
  const gained = Math.round(grown * 10) / 10;
  if (Math.abs(gained) <= changedPercent) return '';
  if (gained * better > 0) return 'better';
  // A ratio is taken within one run, so that a busy host slows both sides.
  return isQuiet || isGrowth(row) || row.unit === '%' || row.unit === '×' ? 'worse' : 'noisy';
}

/** References are measured for comparison only: if they change, the machine changed, not the relay. */
const isReference = ({ name }: BenchRow) => /\b(limit written by hand|bare Fastify)\b/.test(name);

/** True for a difference in percent of which less is better: it may be 0 or below and changes by points. */
const isGrowth = (row: BenchRow) =>
  (row.unit === '%' || row.unit === '% of a delivery') && betterWay(row) < 0;

/** A ratio to 0 or to a negative value is meaningless; a rate may fall to 0. */
const isRatio = (row: BenchRow, before: number) =>
  before > 0 && (row.value > 0 || (row.value === 0 && betterWay(row) > 0));

/** Returns 1 if more is better, -1 if less is, 0 if neither. */
function betterWay({ mark = '', unit }: BenchRow): number {
  if (/^(>|at least)/.test(mark)) return 1;
  if (/^(<|under|at most)/.test(mark)) return -1;
  if (unit.endsWith('/s')) return 1;
  return /^(ms|s|µs|MB|bytes|per 1,000 updates)\b/.test(unit) ? -1 : 0;
}

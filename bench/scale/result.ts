/* The results of `npm run bench -- scale`: rows for the table, and the curves. */
import type { RunFacts } from '../../test/support/run-facts.ts';
import type { Chart } from '../report/chart.ts';
import type { Flood } from '../relay/pipeline.ts';
import type { BenchRow } from '../run.ts';
import { allBots, type ReadTime } from './reads.ts';

export interface Step {
  label: string;
  /** Gigabytes, or the number of bots. */
  at: number;
  push: Flood;
  /** The first updates after the start. */
  cold?: Flood;
  /** Push of bots with chat management off. */
  off?: Flood;
  ingest?: Flood;
  /** A flood of all bots at once, with a few updates each. */
  spread?: Flood;
  /** The hand-written pipeline on an empty database; over all bots if there is `spread`. */
  limit: Flood;
  reads: ReadTime[];
  /** The private megabytes of the service. */
  memory: number;
  /** Percent of the processor time taken by other machines. */
  stolen: number;
}

export interface ScaleResult extends RunFacts {
  sizes: Step[];
  bots: Step[];
}

/** Growth up to this percentage counts as flat. */
const flatPercent = 10;

export function summarizeScale({ sizes, bots }: ScaleResult): BenchRow[] {
  return [...growth('', sizes), ...growth(' bots', bots)];
}

/**
 * Compares the worst step with the first: response times, and the processor time per update as a
 * multiple of that of the limit in the same step, which cancels out the current speed of the
 * machine.
 */
function growth(unit: string, steps: readonly Step[]): BenchRow[] {
  const [first, ...later] = steps;
  const last = later.at(-1);
  if (!first || !last) return [];
  const words = `${first.label}${unit} to ${last.label}${unit}`;
  const rows: BenchRow[] = [];
  const compare = (name: string, cost: (step: Step) => number | undefined, isFlat = true) => {
    const [before = 0, ...after] = steps.flatMap((step) => cost(step) ?? []);
    const value = Math.round((Math.max(...after) / before - 1) * 100);
    const mark = isFlat ? { mark: `<= ${flatPercent}`, ok: value <= flatPercent } : {};
    rows.push({ name: `${name}, ${words}`, value, unit: '%', ...mark });
  };
  const add = (name: string, pick: (step: Step) => Flood | undefined, isPlain = false) => {
    if (!pick(first)) return;
    const what = `${name}, processor${isPlain ? '' : ' against the limit'}`;
    compare(what, (step) => {
      const micros = pick(step)?.micros;
      return micros && micros / (isPlain ? 1 : step.limit.micros);
    });
  };
  // With many bots the limit polls them all, which cannot be compared with ten busy ones.
  add('push', ({ push }) => push, first.spread !== undefined);
  add('push, chat management off', ({ off }) => off);
  add('ingest', ({ ingest }) => ingest);
  add('push over all bots', ({ spread }) => spread);
  for (const { name } of first.reads) {
    const time = ({ reads }: Step) => reads.find((read) => read.name === name)?.ms;
    compare(`${name}, time`, time, name !== allBots);
  }
  return rows;
}

/** Returns the curves, by file name. */
export function scaleCharts({ sizes, bots }: ScaleResult): Map<string, Chart> {
  const charts = new Map<string, Chart>();
  const add = (name: string, title: string, unit: string, steps: Step[], series: Chart['series']) =>
    charts.set(name, { title, unit, labels: steps.map(({ label }) => label), series });
  const reads = (steps: Step[]) =>
    (steps[0]?.reads ?? []).map(({ name }) => ({
      name,
      values: steps.map((step) => step.reads.find((read) => read.name === name)?.ms ?? 0),
    }));
  const micros = (name: string, pick: (step: Step) => Flood | undefined, steps: Step[]) => ({
    name,
    values: steps.map((step) => pick(step)?.micros ?? 0),
  });
  add('scale-size-writes', 'Writes by database size', 'µs of processor per update', sizes, [
    micros('push', ({ push }) => push, sizes),
    ...(sizes[0]?.off ? [micros('push, chat management off', ({ off }) => off, sizes)] : []),
    micros('ingest', ({ ingest }) => ingest, sizes),
    micros('push, limit on an empty database', ({ limit }) => limit, sizes),
  ]);
  add('scale-size-disk', 'Written to disk by database size', 'kB per update', sizes, [
    { name: 'push', values: sizes.map(({ push }) => push.bytes / 1000) },
    { name: 'ingest', values: sizes.map(({ ingest }) => (ingest?.bytes ?? 0) / 1000) },
  ]);
  add('scale-size-reads', 'Reads by database size', 'ms, median', sizes, reads(sizes));
  add('scale-bots-writes', 'Writes by number of bots', 'µs of processor per update', bots, [
    micros('push of ten bots, the others idle', ({ push }) => push, bots),
    micros('push over all bots', ({ spread }) => spread, bots),
    micros('limit over all bots', ({ limit }) => limit, bots),
  ]);
  add('scale-bots-reads', 'Reads by number of bots', 'ms, median', bots, reads(bots));
  return charts;
}

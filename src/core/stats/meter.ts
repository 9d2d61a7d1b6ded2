/*
 * Counters and histograms as plain numbers. Callers keep a reference to their counter, so that
 * counting is an addition; names and labels are only needed when the metrics are read.
 */

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  readonly labels: Labels;
  value: number;
}

/** Upper bounds in seconds; values above the last one count only in the total. */
export type Buckets = readonly number[];

export class Histogram {
  readonly labels: Labels;
  /** Counts per bucket, not cumulative. */
  readonly counts: Float64Array;
  readonly #buckets: Buckets;
  count = 0;
  sum = 0;

  constructor(labels: Labels, buckets: Buckets) {
    this.labels = labels;
    this.counts = new Float64Array(buckets.length);
    this.#buckets = buckets;
  }

  observe(seconds: number, times = 1): void {
    this.count += times;
    this.sum += seconds * times;
    let bucket = 0;
    while (bucket < this.counts.length && seconds > (this.#buckets[bucket] ?? 0)) bucket += 1;
    if (bucket < this.counts.length) this.counts[bucket] = (this.counts[bucket] ?? 0) + times;
  }
}

export interface CounterFamily {
  readonly type: 'counter';
  readonly name: string;
  readonly help: string;
  readonly cells: Counter[];
  /** Adds a series; the caller keeps the reference. */
  add(labels?: Labels): Counter;
}

export interface HistogramFamily {
  readonly type: 'histogram';
  readonly name: string;
  readonly help: string;
  readonly buckets: Buckets;
  readonly cells: Histogram[];
  add(labels?: Labels): Histogram;
}

export interface Meter {
  readonly families: readonly (CounterFamily | HistogramFamily)[];
  counter(name: string, help: string): CounterFamily;
  histogram(name: string, help: string, buckets: Buckets): HistogramFamily;
}

export function createMeter(): Meter {
  const families: (CounterFamily | HistogramFamily)[] = [];
  return {
    families,
    counter(name, help) {
      const cells: Counter[] = [];
      const family: CounterFamily = {
        type: 'counter',
        name,
        help,
        cells,
        add(labels = {}) {
          const cell = { labels, value: 0 };
          cells.push(cell);
          return cell;
        },
      };
      families.push(family);
      return family;
    },
    histogram(name, help, buckets) {
      const cells: Histogram[] = [];
      const family: HistogramFamily = {
        type: 'histogram',
        name,
        help,
        buckets,
        cells,
        add(labels = {}) {
          const cell = new Histogram(labels, buckets);
          cells.push(cell);
          return cell;
        },
      };
      families.push(family);
      return family;
    },
  };
}

/** Adds a counter for each value of a label. */
export function cellsOf<Value extends string>(
  family: CounterFamily,
  label: string,
  values: readonly Value[],
  labels: Labels = {},
): Record<Value, Counter> {
  const entries = values.map((value) => [value, family.add({ ...labels, [label]: value })]);
  return Object.fromEntries(entries) as Record<Value, Counter>;
}

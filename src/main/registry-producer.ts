import type { HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { ValueType } from '@opentelemetry/api';
import type { MetricObject, MetricValueWithName, Registry } from 'prom-client';

type Value = MetricValueWithName<string>;
type Labels = Record<string, string | number>;

/** Reads the registry on request, in the form of the SDK. */
export function createRegistryProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = hrTime(performance.timeOrigin);
  return {
    async collect() {
      const families = (await registry.getMetricsAsJSON()) as (MetricObject & {
        values: Value[];
      })[];
      const times = { startTime, endTime: hrTime(Date.now()) };
      const metrics = families.flatMap((family) => dataOf(family, times) ?? []);
      const scopeMetrics = [{ scope: { name: 'bot-relay' }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

type Times = Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;

function dataOf(
  { name, help, type, values }: MetricObject & { values: Value[] },
  times: Times,
): MetricData | undefined {
  const about = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () =>
    values.map(({ labels, value }) => ({ ...times, attributes: labels as Labels, value }));
  // The library has names for types in one version, and numbers in another.
  if (String(type) === 'counter') {
    return { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
  }
  if (String(type) === 'gauge') {
    return { ...about, dataPointType: DataPointType.GAUGE, dataPoints: points() };
  }
  if (String(type) !== 'histogram') return undefined;
  const dataPoints = histogramsOf(values).map((point) => ({ ...times, ...point }));
  return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints };
}

/** Converts histograms: buckets are cumulative in the registry, and separate in the SDK. */
function histogramsOf(values: readonly Value[]): { attributes: Labels; value: Histogram }[] {
  const series = new Map<string, { attributes: Labels; value: Histogram; below: number }>();
  for (const { labels, metricName = '', value } of values) {
    const { le, ...attributes } = labels as Labels;
    const key = JSON.stringify(attributes);
    let one = series.get(key);
    if (!one) {
      const empty = { buckets: { boundaries: [], counts: [] }, count: 0, sum: 0 };
      series.set(key, (one = { attributes, value: empty, below: 0 }));
    }
    if (metricName.endsWith('_sum')) one.value.sum = value;
    else if (metricName.endsWith('_count')) one.value.count = value;
    else {
      if (le !== '+Inf') one.value.buckets.boundaries.push(Number(le));
      one.value.buckets.counts.push(value - one.below);
      one.below = value;
    }
  }
  return [...series.values()].map(({ attributes, value }) => ({ attributes, value }));
}

function unitOf(name: string): string {
  if (name.includes('_seconds')) return 's';
  return name.includes('_bytes') ? 'By' : '1';
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
}

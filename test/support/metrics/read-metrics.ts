export interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The Prometheus text format, as far as the service writes it. */
export interface MetricsText {
  /** By family: counter, gauge or histogram. */
  types: ReadonlyMap<string, string>;
  series: Series[];
  /** The sum of the series with these labels; undefined when there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

export function parseMetrics(text: string): MetricsText {
  const types = new Map<string, string>();
  const series: Series[] = [];
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type) types.set(type[1] ?? '', type[2] ?? '');
    const found = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/i.exec(line);
    if (!found || line.startsWith('#')) continue;
    const labels = [...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    series.push({
      name: found[1] ?? '',
      labels: Object.fromEntries(labels.map(([, name, value]) => [name, value])),
      value: Number(found[3]),
    });
  }
  return {
    types,
    series,
    value(name, labels = {}) {
      const fitting = series.filter(
        (one) =>
          one.name === name &&
          Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      );
      return fitting.length === 0 ? undefined : fitting.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

/** Of a running service. */
export async function readMetrics(service: {
  address: string;
  localKey: string;
}): Promise<MetricsText> {
  const headers = { authorization: `Bearer ${service.localKey}` };
  return parseMetrics(await (await fetch(`${service.address}/metrics`, { headers })).text());
}

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type MetricsText, readMetrics } from '../support/metrics/read-metrics.ts';
import { promqlProblem, seriesIn } from '../support/metrics/promql.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string };
}
interface Panel {
  title: string;
  type: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string }[];
}

// From Prometheus itself, or added by it when it scrapes.
const addedLabels = ['job', 'instance', 'le'];
const addedSeries = new Map([['up', ['job', 'instance']]]);

/** Rows of the table in the guide. */
function documented(): Map<string, { type: string; labels: string[] }> {
  const rows = [
    ...read('docs/monitor.md').matchAll(/^\| `(relay_\w+)` \| (\w+) \|(.*?)\| .+ \|$/gm),
  ];
  return new Map(
    rows.map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
    ]),
  );
}

describe('metrics in the guide, the dashboard and the rules', () => {
  const { service, addBot, call } = serviceForAllTests('sqlite', { RELAY_METRICS_BOTS: 'on' });
  let metrics: MetricsText;
  beforeAll(async () => {
    const bot = await addBot();
    await call('/api/bots/apps/add', { bot_id: bot.id, name: 'shop', mode: 'poll' });
    metrics = await readMetrics(service());
  });

  const labelsOf = (family: string) => documented().get(family)?.labels ?? [];

  /** The family of a series that an expression names; undefined when there is no such series. */
  function familyOf(series: string): string | undefined {
    const type = metrics.types.get(series);
    if (type !== undefined) return type === 'histogram' ? undefined : series;
    const family = series.replace(/_(bucket|sum|count)$/, '');
    return metrics.types.get(family) === 'histogram' ? family : undefined;
  }

  function check(where: string, expression: string): void {
    expect(promqlProblem(expression), `${where}: ${expression}`).toBe('');
    const named = seriesIn(expression);
    expect(named.length, `${where}: ${expression}`).toBeGreaterThan(0);
    for (const { name, labels } of named) {
      const family = familyOf(name);
      const known = addedSeries.get(name) ?? (family ? [...labelsOf(family), ...addedLabels] : []);
      expect(known, `${where}: no series ${name}`).not.toEqual([]);
      for (const label of labels) expect(known, `${where}: ${name} has no label`).toContain(label);
    }
  }

  it('are all in the table of the guide, with their type and labels', () => {
    const own = [...metrics.types].filter(([name]) => name.startsWith('relay_'));
    const table = documented();
    expect([...table].map(([name, { type }]) => [name, type]).sort()).toEqual(own.sort());
    for (const { name, labels } of metrics.series) {
      if (!name.startsWith('relay_')) continue;
      const known = [...labelsOf(familyOf(name) ?? ''), 'le'];
      for (const label of Object.keys(labels)) expect(known, name).toContain(label);
    }
  });

  it('of each panel of the dashboard exist, and no panel covers another', () => {
    const dashboard = JSON.parse(read('deploy/grafana/bot-relay.json')) as { panels: Panel[] };
    const charts = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(charts.length).toBeGreaterThan(20);
    const taken = new Set<string>();
    for (const { title, targets = [], gridPos } of charts) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr } of targets) check(title, expr);
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          expect(x, title).toBeLessThan(24);
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });

  it('of each rule exist', () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as {
      groups: { name: string; rules: Rule[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, annotations, expr, for: lasting = '1m', labels } of rules) {
      check(alert, expr);
      expect(lasting, alert).toMatch(/^\d+[smhd]$/);
      expect(['info', 'warning', 'critical'], alert).toContain(labels.severity);
      expect(annotations.summary, alert).not.toBe('');
    }
  });

  it('would be missed in an expression that names none, or is cut off', () => {
    expect(promqlProblem('sum(rate(relay_sends_total[5m])')).not.toBe('');
    expect(promqlProblem('sum by (le) rate(x[5m])')).not.toBe('');
    expect(promqlProblem('rate(relay_sends_total[5m]) >')).not.toBe('');
    expect(promqlProblem('relay_sends_total{state=sent}')).not.toBe('');
    expect(promqlProblem('unknown_function(relay_sends_total)')).not.toBe('');
    expect(seriesIn('sum by (kind) (a{b="c", d!~"e"}) / on (kind) rate(f_total[5m])')).toEqual([
      { name: 'a', labels: ['b', 'd', 'kind'] },
      { name: 'f_total', labels: [] },
    ]);
  });
});

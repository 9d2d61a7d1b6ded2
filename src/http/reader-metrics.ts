import { Gauge, type Registry } from 'prom-client';

interface ReaderTotals {
  kind: string;
  readers: number;
  behind: number;
  dropped: number;
}

interface AppTotals {
  botId: number;
  app: string;
  behind: number;
  dropped: number;
  deadLetters: number;
  sent: number;
  rateLimited: number;
}

/** Adds metrics by kind only: a series for each bot would grow without bounds. */
export function addReaderMetrics(registry: Registry, totals: () => Promise<ReaderTotals[]>): void {
  addGauges(registry, totals, ({ kind }) => ({ kind }), {
    relay_readers: ['Readers of update logs.', ({ readers }) => readers],
    relay_reader_behind_updates: [
      'Updates that readers have not finished, over all bots. Readers that are off count none.',
      ({ behind }) => behind,
    ],
    relay_reader_dropped_updates: [
      'Updates that retention took from readers of today before they had read them.',
      ({ dropped }) => dropped,
    ],
  });
}

/** Adds metrics for each app that somebody added; `totals` limits their number. */
export function addAppMetrics(registry: Registry, totals: () => Promise<AppTotals[]>): void {
  addGauges(registry, totals, ({ botId, app }) => ({ bot_id: String(botId), app }), {
    relay_app_behind_updates: [
      'Updates that an app has not finished; 0 while it is off.',
      ({ behind }) => behind,
    ],
    relay_app_dropped_updates: [
      'Updates that retention took from an app before it had read them.',
      ({ dropped }) => dropped,
    ],
    relay_app_dead_letters: ['Dead letters of an app.', ({ deadLetters }) => deadLetters],
    relay_app_sent_messages: ['Messages that an app sent.', ({ sent }) => sent],
    relay_app_rate_limited_calls: [
      'Calls of an app that Telegram or pacing answered with 429.',
      ({ rateLimited }) => rateLimited,
    ],
  });
}

function addGauges<Row>(
  registry: Registry,
  totals: () => Promise<Row[]>,
  labelsOf: (row: Row) => Record<string, string>,
  gauges: Record<string, [help: string, valueOf: (row: Row) => number]>,
): void {
  const helps = Object.entries(gauges).map(([name, [help]]) => [name, help]);
  addReadings(registry, Object.fromEntries(helps), async () =>
    (await totals()).flatMap((row) =>
      Object.entries(gauges).map(([name, [, valueOf]]) => ({
        name,
        labels: labelsOf(row),
        value: valueOf(row),
      })),
    ),
  );
}

export interface Reading<Name extends string = string> {
  name: Name;
  labels?: Record<string, string>;
  value: number;
}

/** Adds gauges that are looked up together when the library collects them; `helps` are by name. */
export function addReadings<Name extends string>(
  registry: Registry,
  helps: Record<Name, string>,
  look: () => Promise<Reading<Name>[]>,
): void {
  let latest: Promise<Reading<Name>[]> | undefined;
  const lookOnce = () => {
    latest ??= look().finally(() => {
      latest = undefined;
    });
    return latest;
  };
  for (const [name, help] of Object.entries<string>(helps)) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['kind', 'bot_id', 'app', 'state', 'version', 'rating'],
      registers: [],
      async collect() {
        // If the database is unavailable, the other metrics are still served.
        const readings = await lookOnce().catch(() => []);
        this.reset();
        for (const { name: its, labels = {}, value } of readings) {
          if (its === name) this.set(labels, value);
        }
      },
    });
    registry.registerMetric(gauge);
  }
}

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
}

/** By kind only: a series for each bot would grow without bounds. */
export function addReaderMetrics(registry: Registry, totals: () => Promise<ReaderTotals[]>): void {
  addGauges(registry, totals, ({ kind }) => ({ kind }), {
    relay_readers: ['Readers of update logs.', ({ readers }) => readers],
    relay_reader_behind_updates: [
      'Updates that readers have not finished, over all bots.',
      ({ behind }) => behind,
    ],
    relay_reader_dropped_updates: [
      'Updates that retention took from readers of today before they had read them.',
      ({ dropped }) => dropped,
    ],
  });
}

/** For each app that somebody added; `totals` limits their number. */
export function addAppMetrics(registry: Registry, totals: () => Promise<AppTotals[]>): void {
  addGauges(registry, totals, ({ botId, app }) => ({ bot_id: String(botId), app }), {
    relay_app_behind_updates: ['Updates after the position of an app.', ({ behind }) => behind],
    relay_app_dropped_updates: [
      'Updates that retention took from an app before it had read them.',
      ({ dropped }) => dropped,
    ],
    relay_app_dead_letters: ['Dead letters of an app.', ({ deadLetters }) => deadLetters],
    relay_app_sent_messages: ['Messages that an app sent.', ({ sent }) => sent],
  });
}

/** Gauges of one query; the library collects them together. */
function addGauges<Row>(
  registry: Registry,
  totals: () => Promise<Row[]>,
  labelsOf: (row: Row) => Record<string, string>,
  gauges: Record<string, [help: string, valueOf: (row: Row) => number]>,
): void {
  let latest: Promise<Row[]> | undefined;
  const look = () => {
    latest ??= totals().finally(() => {
      latest = undefined;
    });
    return latest;
  };
  for (const [name, [help, valueOf]] of Object.entries(gauges)) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['kind', 'bot_id', 'app'],
      registers: [],
      async collect() {
        // Without a database, the other metrics are needed all the more.
        const rows = await look().catch(() => []);
        this.reset();
        for (const row of rows) this.set(labelsOf(row), valueOf(row));
      },
    });
    registry.registerMetric(gauge);
  }
}

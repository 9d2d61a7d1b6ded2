import { Gauge, type Registry } from 'prom-client';

interface Totals {
  kind: string;
  readers: number;
  behind: number;
  dropped: number;
}

/** By kind only: a series for each bot or consumer would grow without bounds. */
export function addReaderMetrics(registry: Registry, totals: () => Promise<Totals[]>): void {
  // One query for all of them; the library collects them together.
  let latest: Promise<Totals[]> | undefined;
  const look = () => {
    latest ??= totals().finally(() => {
      latest = undefined;
    });
    return latest;
  };
  const add = (name: string, help: string, valueOf: (one: Totals) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers: [registry],
      async collect() {
        // Without a database, the other metrics are needed all the more.
        const all = await look().catch(() => []);
        this.reset();
        for (const one of all) this.set({ kind: one.kind }, valueOf(one));
      },
    });
  add('relay_readers', 'Readers of update logs.', ({ readers }) => readers);
  add(
    'relay_reader_behind_updates',
    'Updates that readers have not finished, over all bots.',
    ({ behind }) => behind,
  );
  add(
    'relay_reader_dropped_updates',
    'Updates that retention took from readers of today before they had read them.',
    ({ dropped }) => dropped,
  );
}

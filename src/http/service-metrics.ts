import type { Registry } from 'prom-client';
import { alertKindNames } from '../core/alerts/alerts.ts';
import { ratings } from '../core/desks/rating-message.ts';
import type { BackupState } from '../core/service/backup-state.ts';
import { addReadings, type Reading } from './reader-metrics.ts';

interface WaitingCount {
  what: 'retry_queues' | 'retry_updates' | 'dead_letters' | 'queued_sends' | 'sends_in_flight';
  botId: number;
  count: number;
}

interface ServiceMetricDeps {
  version: string;
  facts: {
    waiting(): Promise<WaitingCount[]>;
    behind(): Promise<{ botId: number; kind: string; behind: number }[]>;
    databaseBytes(): Promise<number>;
    ratings(): Promise<{ botId: number; rating: number; count: number }[]>;
    openAlerts(): Promise<{ kind: string; count: number }[]>;
  };
  /** True if bots have series of their own. */
  isByBot: boolean;
  botLabel(botId: number): string;
  nodes: { held(): unknown[]; living(): unknown[] };
  /** Undefined if no backups are scheduled. */
  backup(): BackupState | undefined;
}

const seriesOf = {
  retry_queues: { name: 'relay_retry_queues' },
  retry_updates: { name: 'relay_retry_queue_updates' },
  dead_letters: { name: 'relay_dead_letters' },
  queued_sends: { name: 'relay_outbox_sends', labels: { state: 'queued' } },
  sends_in_flight: { name: 'relay_outbox_sends', labels: { state: 'sending' } },
} as const;

/** Adds metrics whose values the database and this node look up on request. */
export function addServiceMetrics(registry: Registry, deps: ServiceMetricDeps): void {
  const { facts, isByBot, nodes } = deps;
  const labelOf = (botId: number): Record<string, string> =>
    isByBot ? { bot_id: deps.botLabel(botId) } : {};

  addReadings(
    registry,
    {
      relay_retry_queues: 'Chats that wait in retry queues.',
      relay_retry_queue_updates: 'Updates that wait in retry queues.',
      relay_dead_letters: 'Updates that failed after all retries, and nobody replayed.',
      relay_outbox_sends: 'Sends of the outbox that wait or are in flight, by state.',
    },
    async () => {
      const counts = await facts.waiting();
      // Report zero, too: an alert rule needs a series that does not come and go.
      const none = isByBot
        ? []
        : Object.values(seriesOf).map((series) => ({ ...series, value: 0 }));
      return sumUp<(typeof seriesOf)[WaitingCount['what']]['name']>([
        ...none,
        ...counts.map(({ what, botId, count }) => {
          const { name, ...rest } = seriesOf[what];
          const own = 'labels' in rest ? rest.labels : {};
          return { name, labels: { ...labelOf(botId), ...own }, value: count };
        }),
      ]);
    },
  );
  addReadings(
    registry,
    {
      relay_bot_reader_behind_updates:
        'Updates that the readers of a bot have not finished; with RELAY_METRICS_BOTS.',
    },
    async () => {
      if (!isByBot) return [];
      const name = 'relay_bot_reader_behind_updates' as const;
      const rows = await facts.behind();
      return sumUp(
        rows.map(({ botId, kind, behind }) => ({
          name,
          labels: { ...labelOf(botId), kind },
          value: behind,
        })),
      );
    },
  );
  addReadings(
    registry,
    { relay_desk_ratings: 'Ratings of customers at desks, by rating from 1 to 5.' },
    async () => {
      const counts = await facts.ratings();
      const name = 'relay_desk_ratings' as const;
      const none = isByBot
        ? []
        : ratings.map((rating) => ({ name, labels: { rating: String(rating) }, value: 0 }));
      return sumUp([
        ...none,
        ...counts.map(({ botId, rating, count }) => ({
          name,
          labels: { ...labelOf(botId), rating: String(rating) },
          value: count,
        })),
      ]);
    },
  );
  addReadings(registry, { relay_database_size_bytes: 'Size of the database.' }, async () => [
    { name: 'relay_database_size_bytes', value: await facts.databaseBytes() },
  ]);
  addReadings(
    registry,
    {
      relay_leases: 'Bots that this node runs.',
      relay_nodes: 'Nodes that send heartbeats, as this node sees them.',
      relay_build_info: 'Always 1; the label is the version.',
    },
    async () => [
      { name: 'relay_leases', value: nodes.held().length },
      { name: 'relay_nodes', value: nodes.living().length },
      { name: 'relay_build_info', labels: { version: deps.version }, value: 1 },
    ],
  );
  addReadings(registry, { relay_alerts: 'Open alerts, by kind.' }, async () => {
    const open = new Map((await facts.openAlerts()).map(({ kind, count }) => [kind, count]));
    return [...new Set([...alertKindNames, ...open.keys()])].map((kind) => ({
      name: 'relay_alerts',
      labels: { kind },
      value: open.get(kind) ?? 0,
    }));
  });
  addBackupMetrics(registry, deps.backup);
}

/** Reports nothing if no backups are scheduled, so that no alert rule takes that for an old backup. */
function addBackupMetrics(registry: Registry, backup: ServiceMetricDeps['backup']): void {
  addReadings(
    registry,
    {
      relay_backup_last_success_timestamp_seconds:
        'When the newest scheduled backup was started, as a Unix time; 0 if there is none.',
      relay_backup_size_bytes: 'Size of the newest scheduled backup.',
      relay_backup_failures: 'Scheduled backups of this process that failed.',
    },
    async () => {
      const state = backup();
      if (!state) return [];
      const { at = 0, bytes = 0 } = state.latest ?? {};
      return [
        { name: 'relay_backup_last_success_timestamp_seconds', value: at / 1_000 },
        { name: 'relay_backup_size_bytes', value: bytes },
        { name: 'relay_backup_failures', value: state.failures },
      ];
    },
  );
}

/** Sums up readings with equal labels, because bots may share a label. */
function sumUp<Name extends string>(readings: readonly Reading<Name>[]): Reading<Name>[] {
  const sums = new Map<string, Reading<Name>>();
  for (const reading of readings) {
    const key = JSON.stringify([reading.name, reading.labels ?? {}]);
    const sum = sums.get(key);
    if (sum) sum.value += reading.value;
    else sums.set(key, { ...reading });
  }
  return [...sums.values()];
}

const sampleEveryMs = 200;

/** Reports how late a timer fires; returns a function that stops the timer. */
export function watchEventLoop(observe: (lateMs: number) => void): () => Promise<void> {
  let dueAt = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    observe(now - dueAt);
    dueAt = now + sampleEveryMs;
  }, sampleEveryMs);
  timer.unref();
  return async () => clearInterval(timer);
}

import type { Engine } from '../engine.ts';
import { type ReaderBehind, readersBehind } from '../log/readers-behind.ts';
import { databaseBytes } from './service-facts.ts';

/** The number of things that wait in the database, by bot. */
export interface WaitingCount {
  what: 'retry_queues' | 'retry_updates' | 'dead_letters' | 'queued_sends' | 'sends_in_flight';
  botId: number;
  count: number;
}

export interface MetricFactRepository {
  waiting(): Promise<WaitingCount[]>;
  /** Lists readers that are on. */
  behind(): Promise<ReaderBehind[]>;
  databaseBytes(): Promise<number>;
  /** Counts the ratings of customers, by bot and rating. */
  ratings(): Promise<{ botId: number; rating: number; count: number }[]>;
  /** Counts open alerts, by kind. */
  openAlerts(): Promise<{ kind: string; count: number }[]>;
}

const waiting = `
  select 'retry_queues' as what, bot_id as "botId", count(*) as count
    from retry_queues group by bot_id
  union all select 'retry_updates', bot_id, count(*) from retry_positions group by bot_id
  union all select 'dead_letters', bot_id, count(*)
    from dead_letters where replayed_at = 0 group by bot_id
  union all select 'queued_sends', bot_id, count(*)
    from outbox where state = 'queued' group by bot_id
  union all select 'sends_in_flight', bot_id, count(*)
    from outbox where state = 'sending' group by bot_id`;

export function createMetricFactRepository(engine: Engine): MetricFactRepository {
  return {
    async waiting() {
      const rows = await engine.readHeavy<WaitingCount>(waiting, []);
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
    behind: () => readersBehind(engine),
    databaseBytes: () => databaseBytes(engine),
    async ratings() {
      const rows = await engine.readHeavy<{ botId: number; rating: number; count: number }>(
        `select bot_id as "botId", rating, count(*) as count from desk_ratings
         where rating > 0 group by bot_id, rating`,
        [],
      );
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
    async openAlerts() {
      const rows = await engine.readRaw<{ kind: string; count: number }>(
        'select kind, count(*) as count from alerts where resolved_at = 0 group by kind',
        [],
      );
      return rows.map(({ kind, count }) => ({ kind, count: Number(count) }));
    },
  };
}

import { readerKind } from '../../core/log/reader-kinds.ts';
import type { Engine } from '../engine.ts';
import { isKnownKind } from '../log/reader-sql.ts';
import { databaseBytes } from './service-facts.ts';

/** What waits in the database, by bot. */
export interface WaitingCount {
  what: 'retry_queues' | 'retry_updates' | 'dead_letters' | 'queued_sends' | 'sends_in_flight';
  botId: number;
  count: number;
}

export interface BotBehind {
  botId: number;
  kind: string;
  behind: number;
}

export interface MetricFactRepository {
  waiting(): Promise<WaitingCount[]>;
  /** By bot and kind of reader. */
  behind(): Promise<BotBehind[]>;
  databaseBytes(): Promise<number>;
  /** Open ones, by kind. */
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

const behind = `
  select r.bot_id as "botId", r.name, h.last_position
    - case when r.position > h.trimmed_to then r.position else h.trimmed_to end as behind
  from readers r join log_heads h on h.bot_id = r.bot_id
  where h.last_position > r.position and h.last_position > h.trimmed_to and ${isKnownKind('r.name')}`;

export function createMetricFactRepository(engine: Engine): MetricFactRepository {
  return {
    async waiting() {
      const rows = await engine.readHeavy<WaitingCount>(waiting, []);
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
    async behind() {
      const rows = await engine.readHeavy<{ botId: number; name: string; behind: number }>(
        behind,
        [],
      );
      return rows.map(({ botId, name, behind: count }) => ({
        botId,
        kind: readerKind(name),
        behind: Number(count),
      }));
    },
    databaseBytes: () => databaseBytes(engine),
    async openAlerts() {
      const rows = await engine.readRaw<{ kind: string; count: number }>(
        'select kind, count(*) as count from alerts where resolved_at = 0 group by kind',
        [],
      );
      return rows.map(({ kind, count }) => ({ kind, count: Number(count) }));
    },
  };
}

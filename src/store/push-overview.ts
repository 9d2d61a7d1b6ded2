import type { Engine } from './engine.ts';
import { pushReader } from './deliveries.ts';
import type { LogEntry } from './log-entry.ts';

/** How far the pushing of a bot has come, as any node can tell. */
export interface PushPlace {
  botId: number;
  forwards: boolean;
  /** -1 when there is no reader yet. */
  position: number;
  state: string;
  lastPosition: number;
  trimmedTo: number;
  /** Why the last check did not reach the backend; '' when it answers, null when that is not known. */
  backendError: string | null;
}

export interface LogFilter {
  /** Newest first below this position, when `after` is not given. */
  before?: number;
  /** Oldest first above this position. */
  after?: number;
  kind?: string;
  limit: number;
}

export interface PushOverview {
  places(botIds: readonly number[]): Promise<PushPlace[]>;
  /** The log for people to look at. */
  browse(botId: number, filter: LogFilter): Promise<LogEntry[]>;
}

export function createPushOverview(engine: Engine): PushOverview {
  return {
    async places(botIds) {
      if (botIds.length === 0) return [];
      const sqlite = engine.dialect === 'sqlite';
      const rows = await engine.readRaw<PushPlace & { forwards: unknown }>(
        `select b.id as "botId", b.proxy_enabled - b.disabled as forwards,
           coalesce(r.position, -1) as position, coalesce(r.state, '') as state,
           coalesce(h.last_position, 0) as "lastPosition",
           coalesce(h.trimmed_to, 0) as "trimmedTo", k.error as "backendError"
         from bots b
         left join readers r on r.bot_id = b.id and r.name = '${pushReader}'
         left join log_heads h on h.bot_id = b.id
         left join backend_health k on k.bot_id = b.id
         where b.id ${sqlite ? 'in (select value from json_each($1))' : '= any($1::bigint[])'}`,
        [sqlite ? JSON.stringify(botIds) : botIds],
      );
      return rows.map((row) => ({ ...row, forwards: (row.forwards as unknown as number) === 1 }));
    },
    async browse(botId, { before, after, kind, limit }) {
      let query = engine.sql
        .selectFrom('log')
        .select([
          'position',
          'update_id as updateId',
          'kind',
          'queue',
          'received_at as receivedAt',
          'raw',
        ])
        .where('bot_id', '=', botId)
        .orderBy('position', after === undefined ? 'desc' : 'asc')
        .limit(limit);
      if (after !== undefined) query = query.where('position', '>', after);
      if (before !== undefined) query = query.where('position', '<', before);
      if (kind !== undefined) query = query.where('kind', '=', kind);
      // A rare kind may stand far away: the event loop does not wait for it.
      const { sql, parameters } = query.compile();
      return engine.readHeavy<LogEntry>(sql, parameters);
    },
  };
}

import type { Selectable } from 'kysely';
import { type Engine, raw, run } from '../engine.ts';
import type { PeopleTables } from '../schema/people-tables.ts';

export type AuditRecord = Selectable<PeopleTables['audit']>;

export interface AuditFilter {
  /**
   * The only bots that the reader may see; null means everything, including entries about no bot.
   */
  botIds: readonly number[] | null;
  actorKind?: string;
  actorId?: number;
  /** A whole action such as `bots.update`, or the beginning of one such as `bots`. */
  action?: string;
  since?: number;
  until?: number;
  beforeId?: number;
  limit: number;
}

export interface AuditRepository {
  add(entry: Omit<AuditRecord, 'id'>): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditRecord[]>;
  /**
   * Removes at most `rows` entries; the database itself refuses to delete entries younger than a
   * year.
   */
  removeOlder(beforeMs: number, rows: number): Promise<number>;
}

export function createAuditRepository(engine: Engine): AuditRepository {
  const { sql } = engine;
  return {
    async add(entry) {
      await engine.write(() => run(sql.insertInto('audit').values(entry)));
    },
    async list(filter) {
      if (filter.botIds?.length === 0) return [];
      let query = sql.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(filter.limit);
      if (filter.botIds) query = query.where('bot_id', 'in', [...filter.botIds]);
      if (filter.actorKind !== undefined) query = query.where('actor_kind', '=', filter.actorKind);
      if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId);
      if (filter.action !== undefined) {
        const { action } = filter;
        query = query.where((is) =>
          is.or([
            is('action', '=', action),
            // The range holds everything between "bots." and "bots/", as "/" follows the dot.
            is.and([is('action', '>=', `${action}.`), is('action', '<', `${action}/`)]),
          ]),
        );
      }
      if (filter.since !== undefined) query = query.where('at', '>=', filter.since);
      if (filter.until !== undefined) query = query.where('at', '<', filter.until);
      if (filter.beforeId !== undefined) query = query.where('id', '<', filter.beforeId);
      const compiled = query.compile();
      return await engine.readHeavy<AuditRecord>(compiled.sql, compiled.parameters);
    },
    removeOlder: (beforeMs, rows) =>
      engine.write(function* () {
        const gone = yield* raw(
          `delete from audit where id in (select id from audit where at < $1 order by at limit $2)
           returning id`,
          [beforeMs, rows],
        );
        return gone.length;
      }),
  };
}

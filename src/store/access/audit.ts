import { type Engine, raw } from '../engine.ts';
import { filter, ofBots } from '../sql/filter.ts';
import { insertInto } from '../sql/write-row.ts';

export interface AuditRecord {
  id: number;
  at: number;
  actor_kind: string;
  actor_id: number;
  actor_name: string;
  action: string;
  /** 0 if the entry is about no bot, chat or person. */
  bot_id: number;
  chat_id: number;
  user_id: number;
  /** These three are JSON, '' if there is nothing to record. */
  input: string;
  before: string;
  after: string;
  address: string;
  request_id: string;
}

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
  return {
    async add(entry) {
      await engine.write(() => insertInto('audit', entry));
    },
    async list({ botIds, actorKind, actorId, action, since, until, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ofBots(engine.dialect, botIds),
        actorKind !== undefined && ['actor_kind = ?', actorKind],
        actorId !== undefined && ['actor_id = ?', actorId],
        // The range holds everything between "bots." and "bots/", as "/" follows the dot.
        action !== undefined && [
          '(action = ? or (action >= ? and action < ?))',
          action,
          `${action}.`,
          `${action}/`,
        ],
        since !== undefined && ['at >= ?', since],
        until !== undefined && ['at < ?', until],
        beforeId !== undefined && ['id < ?', beforeId],
      ]);
      return await engine.readHeavy<AuditRecord>(
        `select * from audit ${where} order by id desc limit $${parameters.push(limit)}`,
        parameters,
      );
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

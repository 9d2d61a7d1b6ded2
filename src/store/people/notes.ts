import type { Selectable } from 'kysely';
import { type Engine, first } from '../engine.ts';
import type { PeopleTables } from '../schema/people-tables.ts';

export type NoteRecord = Selectable<PeopleTables['notes']>;

export interface NoteRepository {
  /** Lists notes, newest first. */
  ofUser(botId: number, userId: number): Promise<NoteRecord[]>;
  add(note: Omit<NoteRecord, 'id'>): Promise<NoteRecord>;
  /** Returns the removed note. */
  remove(botId: number, id: number): Promise<NoteRecord | undefined>;
}

export function createNoteRepository(engine: Engine): NoteRepository {
  const { sql } = engine;
  return {
    ofUser: (botId, userId) =>
      engine.read(
        sql
          .selectFrom('notes')
          .selectAll()
          .where('bot_id', '=', botId)
          .where('user_id', '=', userId)
          .orderBy('id', 'desc')
          .limit(200),
      ),
    add: async (note) =>
      (await engine.write(() =>
        first(sql.insertInto('notes').values(note).returningAll()),
      )) as NoteRecord,
    remove: (botId, id) =>
      engine.write(() =>
        first(
          sql.deleteFrom('notes').where('id', '=', id).where('bot_id', '=', botId).returningAll(),
        ),
      ),
  };
}

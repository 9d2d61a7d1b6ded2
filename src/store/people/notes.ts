import { type Engine, raw } from '../engine.ts';
import { insertInto } from '../sql/write-row.ts';
import { touchCards } from './touch-cards.ts';

export interface NoteRecord {
  id: number;
  bot_id: number;
  user_id: number;
  text: string;
  author: string;
  created_at: number;
}

export interface NoteRepository {
  /** Lists notes, newest first. */
  ofUser(botId: number, userId: number): Promise<NoteRecord[]>;
  add(note: Omit<NoteRecord, 'id'>): Promise<NoteRecord>;
  /** Returns the removed note. */
  remove(botId: number, id: number): Promise<NoteRecord | undefined>;
}

export function createNoteRepository(engine: Engine): NoteRepository {
  return {
    ofUser: (botId, userId) =>
      engine.readRaw(
        'select * from notes where bot_id = $1 and user_id = $2 order by id desc limit 200',
        [botId, userId],
      ),
    async add(note) {
      return engine.write(function* () {
        const [added] = yield* insertInto<NoteRecord>('notes', note, 'returning *');
        yield* touchCards(note.user_id, note.bot_id);
        return added as NoteRecord;
      });
    },
    async remove(botId, id) {
      return engine.write(function* () {
        const [removed] = yield* raw<NoteRecord>(
          'delete from notes where id = $1 and bot_id = $2 returning *',
          [id, botId],
        );
        if (removed) yield* touchCards(removed.user_id, botId);
        return removed;
      });
    },
  };
}

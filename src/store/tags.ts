import type { Selectable } from 'kysely';
import { type Engine, first, run } from './engine.ts';
import type { TagsTable } from './tables.ts';

export type TagRecord = Selectable<TagsTable>;

export interface NewTag {
  chat_id: number;
  user_id: number;
  username: string;
  tag: string;
  /** '' keeps the colour of a tag that is there already. */
  color: string;
}

export interface TagStore {
  get(id: number): Promise<TagRecord | undefined>;
  /** By user, then by age. */
  ofChat(chatId: number): Promise<TagRecord[]>;
  ofUser(chatId: number, userId: number): Promise<TagRecord[]>;
  /** The same chat, user and label is the same tag: only its colour changes. */
  add(tag: NewTag, defaultColor: string, now: number): Promise<TagRecord>;
  remove(id: number): Promise<boolean>;
}

export function createTagStore(engine: Engine): TagStore {
  const { sql } = engine;
  const select = () => sql.selectFrom('tags').selectAll();

  return {
    get: (id) => engine.readOne(select().where('id', '=', id)),
    ofChat: (chatId) =>
      engine.read(select().where('chat_id', '=', chatId).orderBy('user_id').orderBy('id')),
    ofUser: (chatId, userId) =>
      engine.read(
        select().where('chat_id', '=', chatId).where('user_id', '=', userId).orderBy('id'),
      ),
    async add({ color, ...tag }, defaultColor, now) {
      const row = await engine.write(() =>
        first(
          sql
            .insertInto('tags')
            .values({ ...tag, color: color || defaultColor, created_at: now })
            .onConflict((conflict) =>
              conflict.columns(['chat_id', 'user_id', 'tag']).doUpdateSet((row) => ({
                color: color === '' ? row.ref('tags.color') : color,
              })),
            )
            .returningAll(),
        ),
      );
      return row as TagRecord;
    },
    remove: async (id) =>
      (await engine.write(() => run(sql.deleteFrom('tags').where('id', '=', id)))) > 0,
  };
}

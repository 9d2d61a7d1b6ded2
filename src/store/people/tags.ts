/*
 * A tag exists once per chat, user and label, and belongs to the bots it was added for; `everyBot`
 * means all bots in the chat. A caller limited to some bots sees the tags of those and of every
 * bot.
 */
import type { Selectable } from 'kysely';
import { all, type Engine, first, run, type Step } from '../engine.ts';
import type { TagsTable } from '../schema/tables.ts';

export type TagRecord = Selectable<TagsTable>;

export const everyBot = 0;

export interface NewTag {
  chat_id: number;
  user_id: number;
  username: string;
  tag: string;
  /** '' keeps the color of an existing tag. */
  color: string;
}

/** The bots that a caller is limited to; null for no limit. */
type Limit = readonly number[] | null;

export interface TagRepository {
  get(id: number): Promise<TagRecord | undefined>;
  /** Lists tags by user, then by age. */
  ofChat(chatId: number, limit: Limit): Promise<TagRecord[]>;
  ofUser(chatId: number, userId: number, limit: Limit): Promise<TagRecord[]>;
  /**
   * Adds a tag. The same chat, user and label is the same tag: its color changes, and it is added
   * for these bots, too.
   */
  add(tag: NewTag, bots: readonly number[], defaultColor: string, now: number): Promise<TagRecord>;
  /**
   * Removes the tag from the bots of the limit, and deletes it with its last bot. Returns false if
   * none had it.
   */
  remove(id: number, limit: Limit): Promise<boolean>;
}

export function createTagRepository(engine: Engine): TagRepository {
  const { sql } = engine;

  function select(limit: Limit) {
    const tags = sql.selectFrom('tags').selectAll();
    if (limit === null) return tags;
    const theirs = sql.selectFrom('tag_bots').select('tag_id').where('bot_id', 'in', among(limit));
    return tags.where('id', 'in', theirs);
  }

  function* removeStep(id: number, limit: Limit): Step<boolean> {
    if (limit !== null) {
      const taken = yield* run(
        sql.deleteFrom('tag_bots').where('tag_id', '=', id).where('bot_id', 'in', among(limit)),
      );
      if (taken === 0) return false;
      const left = yield* all(sql.selectFrom('tag_bots').select('bot_id').where('tag_id', '=', id));
      if (left.length > 0) return true;
    }
    return (yield* run(sql.deleteFrom('tags').where('id', '=', id))) > 0;
  }

  return {
    get: (id) => engine.readOne(select(null).where('id', '=', id)),
    ofChat: (chatId, limit) =>
      engine.read(select(limit).where('chat_id', '=', chatId).orderBy('user_id').orderBy('id')),
    ofUser: (chatId, userId, limit) =>
      engine.read(
        select(limit).where('chat_id', '=', chatId).where('user_id', '=', userId).orderBy('id'),
      ),
    add: ({ color, ...tag }, bots, defaultColor, now) =>
      engine.write(function* () {
        const row = (yield* first(
          sql
            .insertInto('tags')
            .values({ ...tag, color: color || defaultColor, created_at: now })
            .onConflict((conflict) =>
              conflict.columns(['chat_id', 'user_id', 'tag']).doUpdateSet((row) => ({
                color: color === '' ? row.ref('tags.color') : color,
              })),
            )
            .returningAll(),
        )) as TagRecord;
        yield* run(
          sql
            .insertInto('tag_bots')
            .values(bots.map((bot_id) => ({ tag_id: row.id, bot_id })))
            .onConflict((conflict) => conflict.columns(['tag_id', 'bot_id']).doNothing()),
        );
        return row;
      }),
    remove: (id, limit) => engine.write(() => removeStep(id, limit)),
  };
}

const among = (limit: readonly number[]) => [everyBot, ...limit];

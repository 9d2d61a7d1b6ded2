/*
 * A tag exists once per chat, user and label, and belongs to the bots it was added for; `everyBot`
 * means all bots in the chat. A caller limited to some bots sees the tags of those and of every
 * bot.
 */
import { changes, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { touchCards } from './touch-cards.ts';

export interface TagRecord extends NewTag {
  id: number;
  created_at: number;
}

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
  const { isIn, list } = wordsOf[engine.dialect];

  async function read(where: string, limit: Limit, parameters: unknown[]): Promise<TagRecord[]> {
    const isTheirs = () => isIn('bot_id', `$${parameters.push(list(among(limit ?? [])))}`);
    const visible =
      limit === null ? '' : `and id in (select tag_id from tag_bots where ${isTheirs()})`;
    return await engine.readRaw(
      `select * from tags where ${where} ${visible} order by user_id, id`,
      parameters,
    );
  }

  function* removeStep(id: number, limit: Limit): Step<boolean> {
    const [tagged] = yield* raw<{ user_id: number }>('select user_id from tags where id = $1', [
      id,
    ]);
    if (tagged) yield* touchCards(tagged.user_id);
    if (limit !== null) {
      const taken = yield* changes(
        `delete from tag_bots where tag_id = $1 and ${isIn('bot_id', '$2')}`,
        [id, list(among(limit))],
      );
      if (taken === 0) return false;
      const left = yield* raw('select bot_id from tag_bots where tag_id = $1', [id]);
      if (left.length > 0) return true;
    }
    return (yield* changes('delete from tags where id = $1', [id])) > 0;
  }

  return {
    get: async (id) => (await read('id = $1', null, [id]))[0],
    ofChat: (chatId, limit) => read('chat_id = $1', limit, [chatId]),
    ofUser: (chatId, userId, limit) =>
      read('chat_id = $1 and user_id = $2', limit, [chatId, userId]),
    add: ({ chat_id, user_id, username, tag, color }, bots, defaultColor, now) =>
      engine.write(function* () {
        const [row] = yield* raw<TagRecord>(
          `insert into tags (chat_id, user_id, username, tag, color, created_at)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (chat_id, user_id, tag) do update set
             color = case when $7 = 1 then tags.color else excluded.color end
           returning *`,
          [chat_id, user_id, username, tag, color || defaultColor, now, color === ''],
        );
        const added = row as TagRecord;
        for (const botId of bots) {
          yield* raw(
            'insert into tag_bots (tag_id, bot_id) values ($1, $2) on conflict do nothing',
            [added.id, botId],
          );
        }
        yield* touchCards(user_id);
        return added;
      }),
    remove: (id, limit) => engine.write(() => removeStep(id, limit)),
  };
}

const among = (limit: readonly number[]) => [everyBot, ...limit];

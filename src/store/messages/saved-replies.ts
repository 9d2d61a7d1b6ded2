/* Texts that a team answers with again and again. */
import { changes, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { insertInto, updateRow } from '../sql/write-row.ts';

export interface SavedReplyRecord {
  id: number;
  /** Null for all bots. */
  bot_id: number | null;
  name: string;
  text: string;
  uses: number;
  last_used_at: number;
  created_at: number;
  updated_at: number;
}

type NewReply = Pick<SavedReplyRecord, 'bot_id' | 'name' | 'text' | 'created_at' | 'updated_at'>;
type ChangedReply = Pick<SavedReplyRecord, 'updated_at'> &
  Partial<Pick<SavedReplyRecord, 'bot_id' | 'name' | 'text'>>;

export interface SavedReplyRepository {
  get(id: number): Promise<SavedReplyRecord | undefined>;
  /** Lists those of these bots and those for all bots by name; null for every bot. */
  list(botIds: readonly number[] | null): Promise<SavedReplyRecord[]>;
  /** `full` if there are already `most` replies, `taken` if the bot has one of this name. */
  add(reply: NewReply, most: number): Promise<SavedReplyRecord | 'full' | 'taken'>;
  update(id: number, change: ChangedReply): Promise<SavedReplyRecord | 'gone' | 'taken'>;
  used(id: number, now: number): Promise<SavedReplyRecord | undefined>;
  remove(id: number): Promise<boolean>;
  /** Adds a reply, or changes the one with this ID. */
  saveStep(id: number | undefined, reply: SavedWords, nowMs: number): Step<void>;
  removeStep(id: number): Step<number>;
}

type SavedWords = Pick<SavedReplyRecord, 'bot_id' | 'name' | 'text'>;

const removeStep = (id: number) => changes('delete from saved_replies where id = $1', [id]);

export function createSavedReplyRepository(engine: Engine): SavedReplyRepository {
  const { isIn, list } = wordsOf[engine.dialect];
  const named = (name: string, botId: number | null, except = 0) =>
    raw<{ id: number }>(
      'select id from saved_replies where name = $1 and coalesce(bot_id, 0) = $2 and id <> $3',
      [name, botId ?? 0, except],
    );
  return {
    async get(id) {
      const [found] = await engine.readRaw<SavedReplyRecord>(
        'select * from saved_replies where id = $1',
        [id],
      );
      return found;
    },
    list: (botIds) =>
      engine.readRaw(
        `select * from saved_replies
         ${botIds === null ? '' : `where bot_id is null or ${isIn('bot_id', '$1')}`}
         order by name, id`,
        botIds === null ? [] : [list(botIds)],
      ),
    add: (reply, most) =>
      engine.write(function* () {
        const [counted] = yield* raw<{ count: number }>('select count(*) count from saved_replies');
        if (Number(counted?.count) >= most) return 'full' as const;
        if ((yield* named(reply.name, reply.bot_id)).length > 0) return 'taken' as const;
        const [added] = yield* insertInto<SavedReplyRecord>('saved_replies', reply, 'returning *');
        return added as SavedReplyRecord;
      }),
    update: (id, change) =>
      engine.write(function* () {
        const [before] = yield* raw<SavedReplyRecord>('select * from saved_replies where id = $1', [
          id,
        ]);
        if (!before) return 'gone' as const;
        const { bot_id, name } = { ...before, ...change };
        if ((yield* named(name, bot_id, id)).length > 0) return 'taken' as const;
        return (
          (yield* updateRow<SavedReplyRecord>('saved_replies', id, change)) ?? ('gone' as const)
        );
      }),
    async used(id, now) {
      const [used] = await engine.write(() =>
        raw<SavedReplyRecord>(
          'update saved_replies set uses = uses + 1, last_used_at = $2 where id = $1 returning *',
          [id, now],
        ),
      );
      return used;
    },
    remove: async (id) => (await engine.write(() => removeStep(id))) > 0,
    *saveStep(id, reply, nowMs) {
      const row = { ...reply, updated_at: nowMs };
      if (id === undefined) yield* insertInto('saved_replies', { ...row, created_at: nowMs });
      else yield* updateRow('saved_replies', id, row);
    },
    removeStep,
  };
}

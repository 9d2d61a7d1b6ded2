import type { Engine } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { grains } from '../stats/stats-calendar.ts';

export interface PersonRecord {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  is_bot: number;
  language_code: string;
  seen_at: number;
}

export interface PeopleRepository {
  get(userId: number): Promise<PersonRecord | undefined>;
  /** True if one of these bots, or any with null, met the person: in a private chat or in a group. */
  isKnownTo(botIds: readonly number[] | null, userId: number): Promise<boolean>;
}

export function createPeopleRepository(engine: Engine): PeopleRepository {
  return {
    async get(userId) {
      const sql = 'select * from people where user_id = $1';
      return (await engine.readRaw<PersonRecord>(sql, [userId]))[0];
    },
    async isKnownTo(botIds, userId) {
      if (botIds === null) return true;
      const { isIn, list } = wordsOf[engine.dialect];
      const found = await engine.readRaw(
        `select 1 as one from bots b where ${isIn('b.id', '$1')} and (
           exists (select 1 from chats c where c.bot_id = b.id and c.chat_id = $2)
           or exists (select 1 from members m where m.bot_id = b.id and m.user_id = $2)
           or exists (select 1 from stats_people s where s.bot_id = b.id and s.user_id = $2
             and s.grain = ${grains.total})
         ) limit 1`,
        [list(botIds), userId],
      );
      return found.length > 0;
    },
  };
}

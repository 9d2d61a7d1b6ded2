import type { Engine } from '../engine.ts';

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
}

export function createPeopleRepository(engine: Engine): PeopleRepository {
  return {
    async get(userId) {
      const sql = 'select * from people where user_id = $1';
      return (await engine.readRaw<PersonRecord>(sql, [userId]))[0];
    },
  };
}

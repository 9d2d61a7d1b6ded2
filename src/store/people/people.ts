import type { Selectable } from 'kysely';
import type { Engine } from '../engine.ts';
import type { PeopleTable } from '../schema/tables.ts';

export interface PeopleStore {
  get(userId: number): Promise<Selectable<PeopleTable> | undefined>;
}

export function createPeopleStore(engine: Engine): PeopleStore {
  return {
    get: (userId) =>
      engine.readOne(engine.sql.selectFrom('people').selectAll().where('user_id', '=', userId)),
  };
}

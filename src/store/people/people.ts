import type { Selectable } from 'kysely';
import type { Engine } from '../engine.ts';
import type { PeopleTable } from '../schema/tables.ts';

export interface PeopleRepository {
  get(userId: number): Promise<Selectable<PeopleTable> | undefined>;
}

export function createPeopleRepository(engine: Engine): PeopleRepository {
  return {
    get: (userId) =>
      engine.readOne(engine.sql.selectFrom('people').selectAll().where('user_id', '=', userId)),
  };
}

import { afterAll, beforeAll } from 'vitest';
import { migrations, newestSchema } from '../../src/store/migrations/index.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';

const list = migrations as Migration[];

/** For the tests of a file, this version has one migration more: every committed database is an older one. */
export function addLaterMigration(): { id: number } {
  const later: Migration = {
    id: newestSchema() + 1,
    name: 'later',
    up: () => ['create table later (id integer primary key)'],
  };
  beforeAll(() => void list.push(later));
  afterAll(() => void list.splice(list.indexOf(later), 1));
  return later;
}

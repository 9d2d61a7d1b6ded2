import type { Migration } from './migration.ts';

/** Adds the format in which an app writes. */
export const appFormats: Migration = {
  id: 45,
  name: 'app formats',
  up: () => [`alter table apps add column format text not null default ''`],
};

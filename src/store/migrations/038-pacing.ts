import type { Migration } from './migration.ts';

/** Adds the settings of bots and apps about pacing. */
export const pacing: Migration = {
  id: 38,
  name: 'pacing',
  up: () =>
    ['bots', 'apps'].flatMap((table) => [
      `alter table ${table} add column pacing text not null default 'off'`,
      `alter table ${table} add column patience integer not null default 20`,
    ]),
};

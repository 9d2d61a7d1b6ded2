import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Stores who acknowledged or muted an alert, and who took its action last. */
export const alertHandling: Migration = {
  id: 57,
  name: 'alert-handling',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    const words = `text not null default ''`;
    const time = `${bigint} not null default 0`;
    return [
      `alter table alerts add column acknowledged_by ${words}`,
      `alter table alerts add column acknowledged_at ${time}`,
      `alter table alerts add column muted_by ${words}`,
      `alter table alerts add column acted ${words}`,
      `alter table alerts add column acted_by ${words}`,
      `alter table alerts add column acted_at ${time}`,
    ];
  },
};

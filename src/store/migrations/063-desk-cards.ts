import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Remembers the pinned card of each topic, so that its buttons are known and it can be edited. */
export const deskCards: Migration = {
  id: 63,
  name: 'desk cards',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `alter table desk_topics add column card_id ${bigint} not null default 0`,
      `alter table desk_topics add column card_nonce text not null default ''`,
      `alter table desk_topics add column card_shown text not null default ''`,
      'alter table desk_topics add column card_stale integer not null default 0',
      'create index desk_topics_stale on desk_topics (desk_id, id) where card_stale = 1',
      'create index desk_topics_person on desk_topics (chat_id)',
    ];
  },
};

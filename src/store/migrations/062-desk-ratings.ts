import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Stores what customers are asked when their conversation is done, and how they rate it. */
export const deskRatings: Migration = {
  id: 62,
  name: 'desk ratings',
  up(dialect) {
    const { bigint, id } = dialectWords(dialect);
    const number = `${bigint} not null default 0`;
    return [
      `alter table desk_topics add column rating_at ${number}`,
      `create table desk_ratings (
        id ${id},
        bot_id ${bigint} not null references bots (id) on delete cascade,
        desk_id ${bigint} references desks (id) on delete set null,
        chat_id ${bigint} not null,
        connection text not null,
        nonce text not null,
        text text not null,
        assignee text not null,
        assignee_name text not null,
        asked_at ${bigint} not null,
        message_id ${number},
        rating ${number},
        rated_at ${number}
      )`,
      'create index desk_ratings_chat on desk_ratings (bot_id, chat_id)',
      'create index desk_ratings_bot on desk_ratings (bot_id, rated_at)',
      'create index desk_ratings_desk on desk_ratings (desk_id, rated_at)',
    ];
  },
};

import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const push: Migration = {
  id: 4,
  name: 'push',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      // When someone outside the queue's owner last touched it (replay, retry now): the owner looks
      // for newer ones, and takes a queue away only when it has seen the newest.
      `alter table parked_queues add column poked_at ${bigint} not null default 0`,
      'create index parked_queues_due on parked_queues (bot_id, next_attempt_at)',
      'create index parked_queues_poked on parked_queues (poked_at)',

      // 1 for what is delivered again because someone asked for it.
      'alter table parked_positions add column replay integer not null default 0',
      'alter table delivery_attempts add column replay integer not null default 0',

      // When its replay was asked for; the letter goes once it was delivered. 0: it waits for a person.
      `alter table dead_letters add column replayed_at ${bigint} not null default 0`,
      'create index dead_letters_position on dead_letters (bot_id, position)',
    ];
  },
};

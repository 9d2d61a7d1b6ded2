import type { Migration } from './migration.ts';

/** Stores the idempotency key with the question, and finds calls that failed. */
export const questionKeys: Migration = {
  id: 54,
  name: 'question-keys',
  up() {
    const words = `text not null default ''`;
    return [
      `alter table questions add column request_key ${words}`,
      `alter table questions add column request_hash ${words}`,
      `create index questions_keys on questions (request_key) where request_key <> ''`,
      `create index questions_uncalled on questions (ended_at) where callback_state = 'failed'`,
    ];
  },
};

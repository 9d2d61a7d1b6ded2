import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds questions to people, and to each log the number of those that are open. */
export const questions: Migration = {
  id: 50,
  name: 'questions',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    const number = `${bigint} not null default 0`;
    const words = `text not null default ''`;
    return [
      `create table questions (
        id ${bigint} primary key,
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        thread_id ${number},
        text text not null,
        options text not null,
        user_ids text not null,
        asked_by text not null,
        nonce text not null,
        intent ${words},
        message_id ${number},
        state text not null default 'open',
        answer ${words},
        answered_by ${number},
        answerer_name ${words},
        position ${number},
        created_at ${bigint} not null,
        expires_at ${bigint} not null,
        ended_at ${number},
        callback_url ${words},
        callback_state ${words},
        callback_attempts ${number},
        callback_at ${number},
        callback_error ${words}
      )`,
      'create index questions_of_bot on questions (bot_id, id)',
      `create index questions_open on questions (bot_id, chat_id) where state = 'open'`,
      `create index questions_expiring on questions (expires_at) where state = 'open'`,
      `create index questions_ended on questions (ended_at) where state <> 'open'`,
      'create index questions_answers on questions (bot_id, position) where position > 0',
      `create index questions_unsent on questions (id) where intent = ''`,
      'create index questions_calls on questions (callback_at) where callback_at > 0',
      `alter table log_heads add column open_questions ${number}`,
    ];
  },
};

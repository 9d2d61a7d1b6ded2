import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds broadcasts, one row for each chat that gets one, and the chats that get none. */
export const broadcasts: Migration = {
  id: 52,
  name: 'broadcasts',
  up(dialect) {
    const { id, bigint, withoutRowid } = dialectWords(dialect);
    const text = `text not null default ''`;
    const number = `${bigint} not null default 0`;
    return [
      `create table broadcasts (
        id ${id},
        bot_id ${bigint} not null references bots (id) on delete cascade,
        name text not null,
        state text not null,
        reason ${text},
        message text not null,
        audience text not null,
        options text not null,
        author text not null,
        recipients ${number},
        counts ${text},
        is_filled integer not null default 0,
        task text not null default 'send',
        task_number integer not null default 0,
        task_params ${text},
        task_counts ${text},
        passed_chat ${number},
        in_outbox integer not null default 0,
        created_at ${bigint} not null,
        updated_at ${bigint} not null,
        started_at ${number},
        ended_at ${number}
      )`,
      'create index broadcasts_bot on broadcasts (bot_id, id)',
      `create unique index broadcasts_running on broadcasts (bot_id) where state = 'running'`,
      'create index broadcasts_in_outbox on broadcasts (id) where in_outbox > 0',
      `create table broadcast_recipients (
        broadcast_id ${bigint} not null references broadcasts (id) on delete cascade,
        chat_id ${bigint} not null,
        state text not null,
        send_id ${number},
        message_id ${number},
        error ${text},
        task_number integer not null default 0,
        task_state ${text},
        task_error ${text},
        updated_at ${number},
        primary key (broadcast_id, chat_id)
      ) ${withoutRowid}`,
      'create index broadcast_recipients_state on broadcast_recipients (broadcast_id, state, chat_id)',
      `create index broadcast_recipients_task on broadcast_recipients (broadcast_id, task_state)
         where task_state <> ''`,
      `create table broadcast_marks (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        mark text not null,
        at ${bigint} not null,
        primary key (bot_id, chat_id)
      ) ${withoutRowid}`,
    ];
  },
};

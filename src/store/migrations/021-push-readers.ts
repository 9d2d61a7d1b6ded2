import type { DialectName } from '../engine.ts';
import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

// The bot's own push reader: all that was stored for a bot is its.
const reader = `reader text not null default 'push'`;

/** Everything that a reader which delivers to a backend stores is kept by bot and reader. */
export const pushReaders: Migration = {
  id: 21,
  name: 'push readers',
  up(dialect) {
    const { bigint, withoutRowid } = dialectWords(dialect);
    const botId = `bot_id ${bigint} not null references bots (id) on delete cascade`;
    return [
      // A queue whose head failed, and the positions that wait behind that head. requested_at: when
      // someone outside the queue's owner last touched it (replay, retry now). The owner looks for
      // newer ones, and takes a queue away only when it has seen the newest.
      `create table retry_queues (
        ${botId},
        ${reader},
        queue text not null,
        attempts integer not null,
        first_failed_at ${bigint} not null,
        next_attempt_at ${bigint} not null,
        last_error text not null,
        requested_at ${bigint} not null default 0,
        primary key (bot_id, reader, queue)
      ) ${withoutRowid}`,
      `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at,
         last_error, requested_at)
       select bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error, poked_at
       from parked_queues`,
      'drop table parked_queues',
      'create index retry_queues_due on retry_queues (bot_id, reader, next_attempt_at)',
      'create index retry_queues_requested on retry_queues (requested_at)',

      // replay: 1 for what is delivered again because someone asked for it.
      `create table retry_positions (
        ${botId},
        ${reader},
        position ${bigint} not null,
        queue text not null,
        replay integer not null default 0,
        primary key (bot_id, reader, position)
      ) ${withoutRowid}`,
      `insert into retry_positions (bot_id, position, queue, replay)
       select bot_id, position, queue, replay from parked_positions`,
      'drop table parked_positions',
      'create index retry_positions_queue on retry_positions (bot_id, reader, queue, position)',

      `alter table dead_letters add column ${reader}`,
      'drop index dead_letters_position',
      'create index dead_letters_position on dead_letters (bot_id, reader, position)',

      `alter table delivery_attempts add column ${reader}`,
      'drop index delivery_attempts_bot',
      'create index delivery_attempts_bot on delivery_attempts (bot_id, reader, id)',

      ...keyedByReader(dialect, 'backend_health', [
        `checked_at ${bigint} not null`,
        'error text not null',
      ]),
      ...keyedByReader(dialect, 'webhooks', [
        'max_connections integer not null',
        `allowed_updates text not null default ''`,
        `set_at ${bigint} not null`,
        `since ${bigint} not null default 0`,
        `earlier text not null default ''`,
        `certificate text not null default ''`,
      ]),

      'alter table readers rename column era to generation',
    ];
  },
};

/** Of a table that has one row per bot; SQLite changes a primary key only in a new table. */
function keyedByReader(dialect: DialectName, table: string, columns: readonly string[]): string[] {
  if (dialect === 'postgres') {
    return [
      `alter table ${table} add column ${reader}`,
      `alter table ${table} drop constraint ${table}_pkey`,
      `alter table ${table} add primary key (bot_id, reader)`,
    ];
  }
  const names = ['bot_id', ...columns.map((column) => column.split(' ', 1)[0])].join(', ');
  return [
    `create table ${table}_by_reader (
      bot_id integer not null references bots (id) on delete cascade,
      ${reader},
      ${columns.join(', ')},
      primary key (bot_id, reader)
    ) without rowid`,
    `insert into ${table}_by_reader (${names}) select ${names} from ${table}`,
    `drop table ${table}`,
    `alter table ${table}_by_reader rename to ${table}`,
  ];
}

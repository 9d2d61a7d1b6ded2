import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const relay: Migration = {
  id: 2,
  name: 'relay',
  up(dialect) {
    const { id, bigint, withoutRowid } = dialectWords(dialect);
    const botId = `bot_id ${bigint} not null references bots (id) on delete cascade`;
    return [
      // The row whose lock orders the appends of a bot. Positions start at 1 and have no gaps;
      // those up to trimmed_to are gone.
      `create table log_heads (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        last_position ${bigint} not null default 0,
        trimmed_to ${bigint} not null default 0,
        bytes ${bigint} not null default 0
      )`,

      // raw is the update exactly as received; queue is what push keeps in order.
      `create table log (
        ${botId},
        position ${bigint} not null,
        update_id ${bigint} not null,
        kind text not null,
        queue text not null,
        received_at ${bigint} not null,
        raw text not null,
        primary key (bot_id, position)
      )`,

      // Deduplication; apart from the log, because an update_id may come again after a quiet week.
      // No index by age: rows go together with the log entries they stand for.
      `create table seen_updates (
        ${botId},
        update_id ${bigint} not null,
        seen_at ${bigint} not null,
        primary key (bot_id, update_id)
      ) ${withoutRowid}`,

      // Everything up to position is finished; state is the reader's own, as JSON.
      `create table readers (
        ${botId},
        name text not null,
        position ${bigint} not null,
        state text not null default '',
        created_at ${bigint} not null,
        updated_at ${bigint} not null,
        primary key (bot_id, name)
      ) ${withoutRowid}`,

      // Push: a queue whose head failed, and the positions that wait behind that head.
      `create table parked_queues (
        ${botId},
        queue text not null,
        attempts integer not null,
        first_failed_at ${bigint} not null,
        next_attempt_at ${bigint} not null,
        last_error text not null,
        primary key (bot_id, queue)
      ) ${withoutRowid}`,
      `create table parked_positions (
        ${botId},
        position ${bigint} not null,
        queue text not null,
        primary key (bot_id, position)
      ) ${withoutRowid}`,
      'create index parked_positions_queue on parked_positions (bot_id, queue, position)',

      `create table dead_letters (
        id ${id},
        ${botId},
        position ${bigint} not null,
        update_id ${bigint} not null,
        kind text not null,
        queue text not null,
        raw text not null,
        reason text not null,
        attempts integer not null,
        received_at ${bigint} not null,
        died_at ${bigint} not null
      )`,
      'create index dead_letters_bot on dead_letters (bot_id, id)',

      `create table delivery_attempts (
        id ${id},
        ${botId},
        position ${bigint} not null,
        update_id ${bigint} not null,
        queue text not null,
        started_at ${bigint} not null,
        duration_ms integer not null,
        status integer not null,
        error text not null,
        answer text not null
      )`,
      'create index delivery_attempts_bot on delivery_attempts (bot_id, id)',
      'create index delivery_attempts_age on delivery_attempts (started_at)',

      // Everything the relay itself sends. state: queued, sending, sent, failed, unknown.
      // intent_key makes an intent unique: the same route or answer never acts twice on one update.
      `create table outbox (
        id ${id},
        ${botId},
        chat_id ${bigint} not null,
        method text not null,
        params text not null,
        origin text not null,
        intent_key text unique,
        priority integer not null,
        state text not null,
        node text not null default '',
        not_before ${bigint} not null default 0,
        attempts integer not null default 0,
        error text not null default '',
        message_id ${bigint},
        created_at ${bigint} not null,
        updated_at ${bigint} not null
      )`,
      'create index outbox_open on outbox (state, bot_id, id)',
      'create index outbox_bot on outbox (bot_id, id)',
      'create index outbox_age on outbox (updated_at)',

      // What a bot is doing, as its owner last said; believed only while the owner's lease holds.
      `create table bot_runtime (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        state text not null default 'stopped',
        last_error text not null default '',
        last_error_at ${bigint} not null default 0,
        last_activity ${bigint} not null default 0,
        hook_secret_sealed text not null default '',
        previous_webhook text not null default '',
        updated_at ${bigint} not null default 0
      )`,

      `create table leases (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        owner text not null,
        epoch ${bigint} not null,
        expires_at ${bigint} not null
      )`,

      `create table members (
        ${botId},
        chat_id ${bigint} not null,
        user_id ${bigint} not null,
        status text not null,
        updated_at ${bigint} not null,
        primary key (bot_id, chat_id, user_id)
      ) ${withoutRowid}`,
    ];
  },
};

import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const routing: Migration = {
  id: 6,
  name: 'routing',
  up(dialect) {
    const { id, bigint } = dialectWords(dialect);
    const botId = `bot_id ${bigint} not null references bots (id) on delete cascade`;
    return [
      // How a reply finds its way back: off, reply (an exact reply), latest (any message).
      "alter table routes add column return_mode text not null default 'reply'",

      // What a send stands for, as JSON: whose message it carries.
      "alter table outbox add column context text not null default ''",

      // Which message stands for which, each pair from both ends.
      `create table message_pairs (
        ${botId},
        chat_id ${bigint} not null,
        message_id ${bigint} not null,
        peer_bot_id ${bigint} not null references bots (id) on delete cascade,
        peer_chat_id ${bigint} not null,
        peer_message_id ${bigint} not null,
        route_id ${bigint} not null,
        style text not null,
        hops integer not null,
        created_at ${bigint} not null,
        primary key (bot_id, chat_id, message_id, peer_bot_id, peer_chat_id)
      )`,
      'create index message_pairs_latest on message_pairs (bot_id, chat_id, created_at)',
      'create index message_pairs_age on message_pairs (created_at)',
      'create index message_pairs_peer on message_pairs (peer_bot_id)',

      // One decision per update. matched and model are JSON.
      `create table route_decisions (
        id ${id},
        ${botId},
        position ${bigint} not null,
        update_id ${bigint} not null,
        chat_id ${bigint} not null,
        user_id ${bigint} not null,
        message_id ${bigint} not null,
        outcome text not null,
        reason text not null,
        asked text not null,
        matched text not null,
        model text not null default '',
        created_at ${bigint} not null,
        unique (bot_id, position)
      )`,
      'create index route_decisions_message on route_decisions (bot_id, chat_id, message_id)',
      'create index route_decisions_age on route_decisions (created_at)',

      // Updates that wait for the model's choice.
      `create table model_questions (
        ${botId},
        position ${bigint} not null,
        attempts integer not null default 0,
        next_attempt_at ${bigint} not null,
        asked_at ${bigint} not null,
        primary key (bot_id, position)
      )`,
      'create index model_questions_due on model_questions (next_attempt_at)',

      // Messages that each route took, by the hour they came in.
      `create table route_traffic (
        route_id ${bigint} not null references routes (id) on delete cascade,
        hour ${bigint} not null,
        messages ${bigint} not null,
        primary key (route_id, hour)
      )`,

      `create table model_usage (
        month text primary key,
        calls ${bigint} not null default 0,
        input_tokens ${bigint} not null default 0,
        output_tokens ${bigint} not null default 0
      )`,
    ];
  },
};

import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

const columns = `bot_id, chat_id, message_id, peer_bot_id, peer_chat_id, peer_message_id, route_id,
  style, hops, created_at`;

export const business: Migration = {
  id: 9,
  name: 'business',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      // A chat of a business account has the id of the bot's own chat with the same person, and its
      // messages are numbered apart: the connection tells them from each other. '' is the own chat.
      "alter table route_decisions add column connection text not null default ''",

      // The key takes in everything, so that two routes into one chat keep a pair each.
      `create table message_pairs_9 (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        connection text not null default '',
        chat_id ${bigint} not null,
        message_id ${bigint} not null,
        peer_bot_id ${bigint} not null references bots (id) on delete cascade,
        peer_connection text not null default '',
        peer_chat_id ${bigint} not null,
        peer_message_id ${bigint} not null,
        route_id ${bigint} not null,
        style text not null,
        hops integer not null,
        created_at ${bigint} not null,
        primary key (bot_id, chat_id, message_id, connection,
          peer_bot_id, peer_chat_id, peer_message_id, peer_connection)
      )`,
      `insert into message_pairs_9 (${columns}) select ${columns} from message_pairs`,
      'drop table message_pairs',
      'alter table message_pairs_9 rename to message_pairs',
      'create index message_pairs_latest on message_pairs (bot_id, chat_id, created_at)',
      'create index message_pairs_age on message_pairs (created_at)',
      'create index message_pairs_peer on message_pairs (peer_bot_id)',
    ];
  },
};

import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const webhooks: Migration = {
  id: 5,
  name: 'webhooks',
  up(dialect) {
    const { bigint, withoutRowid } = dialectWords(dialect);
    return [
      // What a program asked for by setWebhook beyond what a bot has fields for. allowed_updates is
      // a JSON list of kinds, '' for the default.
      `create table webhooks (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        max_connections integer not null,
        allowed_updates text not null default '',
        set_at ${bigint} not null
      ) ${withoutRowid}`,
    ];
  },
};

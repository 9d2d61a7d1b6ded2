import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const oneQueue: Migration = {
  id: 20,
  name: 'one queue',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      // Where the reader began: what came before was never its own to finish.
      `alter table readers add column opened ${bigint} not null default 0`,
      // Of those there are, the time tells: the log's end when they were made. Where that is in doubt
      // it is taken too late rather than too early, as updates then come twice instead of never.
      `update readers set opened = coalesce((select l.position from log l
         where l.bot_id = readers.bot_id and l.position <= readers.position
           and l.received_at <= readers.created_at order by l.position desc limit 1), 0)
       where name in ('push', 'pull:') and created_at >= (select f.received_at from log f
         where f.bot_id = readers.bot_id order by f.position limit 1)`,

      // The certificate uploaded with setWebhook, as PEM; '' for none.
      `alter table webhooks add column certificate text not null default ''`,
    ];
  },
};

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

      // The certificate uploaded with setWebhook, as PEM; '' for none.
      `alter table webhooks add column certificate text not null default ''`,
    ];
  },
};

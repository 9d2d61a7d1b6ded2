import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const webhookWishes: Migration = {
  id: 10,
  name: 'webhook wishes',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      // allowed_updates holds for what came after this position; `earlier` is a JSON list of former
      // wishes, which hold for what was queued under them.
      `alter table webhooks add column since ${bigint} not null default 0`,
      `alter table webhooks add column earlier text not null default ''`,

      // Grows when someone else than its owner moves a reader: what the owner knew is void then.
      `alter table readers add column era ${bigint} not null default 0`,
    ];
  },
};

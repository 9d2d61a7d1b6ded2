import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const nodes: Migration = {
  id: 3,
  name: 'nodes',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      // A node is alive while others see its beat change; its leases hold as long as it lives.
      // So one row is written per node and beat, not one per bot, and clocks need not agree.
      `create table nodes (
        id text primary key,
        incarnation text not null,
        beat ${bigint} not null,
        seen_at ${bigint} not null
      )`,
      'create index leases_owner on leases (owner)',

      // Updates that retention took from a reader before it had read them.
      `alter table readers add column dropped ${bigint} not null default 0`,
      'create index outbox_finished on outbox (state, updated_at)',
      'create index idempotency_age on idempotency (created_at)',
      'create index sessions_expiry on sessions (expires_at)',
    ];
  },
};

import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Alerts that were sent somewhere, and where they go. */
export const alerts: Migration = {
  id: 23,
  name: 'alerts',
  up(dialect) {
    const { id, bigint, withoutRowid } = dialectWords(dialect);
    const zero = `${bigint} not null default 0`;
    return [
      // No reference to the bot: what was sent about a deleted bot is still resolved.
      `create table alerts (
        id ${id},
        kind text not null,
        bot_id ${bigint} not null,
        subject text not null,
        severity text not null,
        params text not null,
        opened_at ${bigint} not null,
        changed_at ${bigint} not null,
        resolved_at ${zero},
        occurrences integer not null default 1,
        muted_until ${zero},
        version integer not null default 1
      )`,
      'create unique index alerts_open on alerts (kind, bot_id, subject) where resolved_at = 0',
      'create index alerts_resolved on alerts (resolved_at)',
      `create table alert_channels (
        id ${id},
        type text not null,
        bot_id ${bigint} references bots (id) on delete cascade,
        settings text not null,
        url_sealed text not null default '',
        secret_sealed text not null default '',
        disabled integer not null default 0,
        error text not null default '',
        failed_at ${zero},
        created_at ${bigint} not null,
        updated_at ${bigint} not null
      )`,
      // thread: the alert whose message it is in; the first one of a digest, otherwise itself.
      // version: of the alert, as it was last sent. instead: the channel that was used in its place.
      `create table alert_messages (
        alert_id ${bigint} not null references alerts (id) on delete cascade,
        channel_id ${bigint} not null references alert_channels (id) on delete cascade,
        thread ${bigint} not null,
        state text not null,
        version integer not null default 0,
        intent text not null default '',
        message_id ${zero},
        body text not null default '',
        attempts integer not null default 0,
        next_at ${zero},
        error text not null default '',
        instead ${zero},
        updated_at ${bigint} not null,
        primary key (alert_id, channel_id)
      ) ${withoutRowid}`,
      'create index alert_messages_channel on alert_messages (channel_id, thread)',
    ];
  },
};

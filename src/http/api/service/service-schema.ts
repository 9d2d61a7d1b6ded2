import { Type } from 'typebox';
import { Choice, Detail, Moment } from '../../schemas.ts';

const bytes = (description: string) => Type.Integer({ description, examples: [52_428_800] });

export const BackupAnswer = Type.Object(
  {
    directory: Type.String({ description: 'RELAY_BACKUP_DIR.', examples: ['/var/backups/relay'] }),
    every_seconds: Type.Integer({ description: 'Time between backups.', examples: [86_400] }),
    keep: Type.Integer({ description: 'Backups to keep.', examples: [7] }),
    count: Type.Integer({ description: 'Backups in the directory.', examples: [7] }),
    running: Type.Boolean({ description: 'Whether one is being written.' }),
    last_at: Moment('When the newest backup was started; empty if there is none.'),
    last_file: Type.String({
      description: 'Its file name.',
      examples: ['bot-relay-20260131T120000Z.db'],
    }),
    last_bytes: bytes('Its size.'),
    next_at: Moment('When the next one is due.'),
    error: Type.String({ description: 'Why the last attempt failed; empty if it succeeded.' }),
    error_detail: Detail('error'),
    error_at: Moment('When the last attempt failed; empty if it succeeded.'),
  },
  { description: 'Scheduled backups; absent if RELAY_BACKUP_DIR is not set.' },
);

export const ServiceAnswer = Type.Object(
  {
    version: Type.String({ description: 'Of the service.', examples: ['1.0.0'] }),
    started_at: Moment('When this node started.'),
    memory_bytes: bytes('Memory of this node.'),
    database: Type.Object({
      engine: Choice(['sqlite', 'postgres'], { description: 'Database engine.' }),
      bytes: bytes('Size of the database.'),
      answer_ms: Type.Integer({ description: 'Response time.', examples: [1] }),
    }),
    disk: Type.Optional(
      Type.Object(
        {
          free_bytes: bytes('Free for this service.'),
          total_bytes: bytes('In all.'),
        },
        { description: 'Disk of the data directory; absent if unknown.' },
      ),
    ),
    nodes: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Its name.', examples: ['n-3f9a'] }),
        here: Type.Boolean({ description: 'Whether it is the responding node.' }),
        bots: Type.Integer({ description: 'Bots it runs.', examples: [6] }),
        seen_at: Moment('Last heartbeat.'),
      }),
    ),
    retention: Type.Object({
      max_age_seconds: Type.Integer({
        description: 'Older updates are removed.',
        examples: [604_800],
      }),
      max_bytes_per_bot: bytes('Above this size, the oldest updates of a bot are removed.'),
      ran_at: Moment('Last run.'),
      unread_dropped: Type.Integer({
        description: 'Updates removed before some reader read them.',
        examples: [0],
      }),
    }),
    sandbox: Type.Boolean({ description: 'Whether the sandbox is on.' }),
    public_url: Type.String({
      description: 'Public URL of the service; empty: webhooks cannot be used.',
      examples: ['https://relay.example.com'],
    }),
    backup: Type.Optional(BackupAnswer),
  },
  { additionalProperties: false },
);

import { Type } from 'typebox';
import { Choice, Detail, Moment, Integer, Text, Flag, Closed } from '../../schemas.ts';

const bytes = (description: string) => Integer(description, 52_428_800);

export const BackupAnswer = Type.Object(
  {
    directory: Text('RELAY_BACKUP_DIR.', '/var/backups/relay'),
    every_seconds: Integer('Time between backups.', 86_400),
    keep: Integer('Backups to keep.', 7),
    count: Integer('Backups in the directory.', 7),
    running: Flag('Whether one is being written.'),
    last_at: Moment('When the newest backup was started; empty if there is none.'),
    last_file: Text('Its file name.', 'bot-relay-20260131T120000Z.db'),
    last_bytes: bytes('Its size.'),
    next_at: Moment('When the next one is due.'),
    error: Text('Why the last attempt failed; empty if it succeeded.'),
    error_detail: Detail('error'),
    error_at: Moment('When the last attempt failed; empty if it succeeded.'),
  },
  { description: 'Scheduled backups; absent if RELAY_BACKUP_DIR is not set.' },
);

export const ServiceAnswer = Closed({
  version: Text('Of the service.', '1.0.0'),
  started_at: Moment('When this node started.'),
  memory_bytes: bytes('Memory of this node.'),
  database: Type.Object({
    engine: Choice(['sqlite', 'postgres'], { description: 'Database engine.' }),
    bytes: bytes('Size of the database.'),
    answer_ms: Integer('Response time.', 1),
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
      id: Text('Its name.', 'n-3f9a'),
      here: Flag('Whether it is the responding node.'),
      bots: Integer('Bots it runs.', 6),
      seen_at: Moment('Last heartbeat.'),
    }),
  ),
  retention: Type.Object({
    max_age_seconds: Integer('Older updates are removed.', 604_800),
    max_bytes_per_bot: bytes('Above this size, the oldest updates of a bot are removed.'),
    ran_at: Moment('Last run.'),
    unread_dropped: Integer('Updates removed before some reader read them.', 0),
  }),
  sandbox: Flag('Whether the sandbox is on.'),
  public_url: Type.String({
    description: 'Public URL of the service; empty: webhooks cannot be used.',
    examples: ['https://relay.example.com'],
  }),
  backup: Type.Optional(BackupAnswer),
});

import { Type } from 'typebox';
import { Choice, Moment } from '../../schemas.ts';

const bytes = (description: string) => Type.Integer({ description, examples: [52_428_800] });

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
  },
  { additionalProperties: false },
);

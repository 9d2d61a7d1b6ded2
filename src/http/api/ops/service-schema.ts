import { Type } from 'typebox';
import { Choice, Moment } from '../../schemas.ts';

const bytes = (description: string) => Type.Integer({ description, examples: [52_428_800] });

export const ServiceAnswer = Type.Object(
  {
    version: Type.String({ description: 'Of the service.', examples: ['1.0.0'] }),
    started_at: Moment('When this node started.'),
    memory_bytes: bytes('What this node takes.'),
    database: Type.Object({
      engine: Choice(['sqlite', 'postgres'], { description: 'Embedded, or shared by nodes.' }),
      bytes: bytes('How much it holds.'),
      answer_ms: Type.Integer({ description: 'How long it took to answer.', examples: [1] }),
    }),
    disk: Type.Optional(
      Type.Object(
        {
          free_bytes: bytes('Free for this service.'),
          total_bytes: bytes('In all.'),
        },
        { description: 'Where the data directory lies; absent where the system does not tell.' },
      ),
    ),
    nodes: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Its name.', examples: ['n-3f9a'] }),
        here: Type.Boolean({ description: 'Whether it is the one that answers.' }),
        bots: Type.Integer({ description: 'How many bots it runs.', examples: [6] }),
        seen_at: Moment('When it last showed that it lives.'),
      }),
    ),
    retention: Type.Object({
      max_age_seconds: Type.Integer({ description: 'Older updates go.', examples: [604_800] }),
      max_bytes_per_bot: bytes('Beyond this the oldest updates of a bot go.'),
      ran_at: Moment('When it last looked.'),
      unread_dropped: Type.Integer({
        description: 'Updates that went before some reader had read them.',
        examples: [0],
      }),
    }),
    sandbox: Type.Boolean({ description: 'Whether practice bots can be made.' }),
    public_url: Type.String({
      description: 'Where the platform reaches the service; empty: webhooks cannot be used.',
      examples: ['https://relay.example.com'],
    }),
  },
  { additionalProperties: false },
);

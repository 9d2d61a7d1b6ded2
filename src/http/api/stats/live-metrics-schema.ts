import { Type } from 'typebox';

export const TimeBucketAnswer = Type.Object(
  {
    at: Type.Integer({ description: 'Its beginning, Unix seconds.', examples: [1769860800] }),
    received: Type.Integer({ description: 'Updates that came in.', examples: [4] }),
    sent: Type.Integer({ description: 'Messages that went out.', examples: [3] }),
    send_failures: Type.Integer({
      description: 'Sends that the platform refused or did not answer.',
      examples: [0],
    }),
    delivered: Type.Integer({ description: 'Updates that backends took.', examples: [4] }),
    delivery_failures: Type.Integer({
      description: 'Attempts that backends did not take.',
      examples: [0],
    }),
    backlog: Type.Integer({
      description: 'Updates waiting for a backend, as seen every ten seconds.',
      examples: [0],
    }),
    p50_ms: Type.Optional(
      Type.Integer({
        description:
          'Half of the delivered updates were answered within this time of being received; absent when there were none.',
        examples: [18],
      }),
    ),
    p95_ms: Type.Optional(Type.Integer({ description: 'The same for 95 of 100.', examples: [60] })),
  },
  { additionalProperties: false },
);

export const LiveMetricsAnswer = Type.Object(
  {
    slice_seconds: Type.Integer({ description: 'How long one slice is.', examples: [2] }),
    slices: Type.Array(TimeBucketAnswer, { description: 'Oldest first; at most ten minutes.' }),
  },
  { additionalProperties: false },
);

import { Type } from 'typebox';

export const TimeBucketAnswer = Type.Object(
  {
    at: Type.Integer({ description: 'Start, Unix seconds.', examples: [1769860800] }),
    received: Type.Integer({ description: 'Received updates.', examples: [4] }),
    sent: Type.Integer({ description: 'Sent messages.', examples: [3] }),
    send_failures: Type.Integer({
      description: 'Sends that Telegram refused or did not answer.',
      examples: [0],
    }),
    delivered: Type.Integer({ description: 'Updates that backends accepted.', examples: [4] }),
    delivery_failures: Type.Integer({
      description: 'Failed delivery attempts.',
      examples: [0],
    }),
    backlog: Type.Integer({
      description:
        'Updates waiting for a backend, measured every two seconds, or every ten with more than 200 bots.',
      examples: [0],
    }),
    p50_ms: Type.Optional(
      Type.Integer({
        description:
          'Median time from receiving an update to the response of the backend; absent if there were none.',
        examples: [18],
      }),
    ),
    p95_ms: Type.Optional(
      Type.Integer({ description: 'The 95th percentile of the same.', examples: [60] }),
    ),
  },
  { additionalProperties: false },
);

export const LiveMetricsAnswer = Type.Object(
  {
    slice_seconds: Type.Integer({ description: 'Length of a time bucket.', examples: [2] }),
    slices: Type.Array(TimeBucketAnswer, {
      description: 'Time buckets, oldest first; at most ten minutes.',
    }),
  },
  { additionalProperties: false },
);

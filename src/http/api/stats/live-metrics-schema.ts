import { Closed, Integer, List, Optional } from '../../schemas.ts';

export const TimeBucketAnswer = Closed({
  at: Integer('Start, Unix seconds.', 1769860800),
  received: Integer('Received updates.', 4),
  sent: Integer('Sent messages.', 3),
  send_failures: Integer('Sends that Telegram refused or did not answer.', 0),
  delivered: Integer('Updates that backends accepted.', 4),
  delivery_failures: Integer('Failed delivery attempts.', 0),
  backlog: Integer(
    'Updates waiting for a backend, measured every two seconds, or every ten with more than 200 bots.',
    0,
  ),
  p50_ms: Optional.Integer(
    'Median time from receiving an update to the response of the backend; absent if there were none.',
    18,
  ),
  p95_ms: Optional.Integer('The 95th percentile of the same.', 60),
});

export const LiveMetricsAnswer = Closed({
  slice_seconds: Integer('Length of a time bucket.', 2),
  slices: List(TimeBucketAnswer, 'Time buckets, oldest first; at most ten minutes.'),
});

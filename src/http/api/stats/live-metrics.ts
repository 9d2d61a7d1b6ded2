import type { Static } from 'typebox';
import { Type } from 'typebox';
import { requireBot } from '../../../core/access/access.ts';
import {
  bucketMs,
  type LiveMetricsReader,
  type TimeBucket,
} from '../../../core/stats/live-metrics.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { type TimeBucketAnswer, LiveMetricsAnswer } from './live-metrics-schema.ts';
import { Id, largestId, Query } from '../../schemas.ts';

export function liveMetricsEndpoints({
  liveMetrics,
}: {
  liveMetrics: LiveMetricsReader;
}): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/vitals',
      scope: 'read',
      tag: 'Operation',
      summary: 'The pulse of the last ten minutes',
      description:
        'Rates, latency, backlog and errors of the bots the key may see, in slices of two seconds, kept in memory since the start. Slices in which this node did not run and no other node reported anything are left out. `GET /api/events?vitals=true` sends each further slice as it ends. Nodes that share a database tell each other what they counted: the answer is the same on each, a slice late, and lacks what a node counted while it was cut off.',
      query: Query({
        bot_id: Type.Optional(Id('Only of this bot.')),
        since: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: largestId,
            description: 'Only slices after the one that began then, Unix seconds.',
            examples: [1769860800],
          }),
        ),
      }),
      response: LiveMetricsAnswer,
      errors: ['bot_not_allowed'],
      async handler({ caller, query }) {
        const { bot_id: botId, since } = query;
        if (botId !== undefined) requireBot(caller, botId);
        const buckets = liveMetrics.buckets(botId === undefined ? caller.botIds : [botId], since);
        return { slice_seconds: bucketMs / 1_000, slices: buckets.map(bucketView) };
      },
    }),
  ];
}

export function bucketView(bucket: TimeBucket): Static<typeof TimeBucketAnswer> {
  const { p50Ms, p95Ms } = bucket;
  return {
    at: bucket.at,
    received: bucket.received,
    sent: bucket.sent,
    send_failures: bucket.sendFailed,
    delivered: bucket.delivered,
    delivery_failures: bucket.deliveryFailed,
    backlog: bucket.backlog,
    ...(p50Ms === undefined ? {} : { p50_ms: p50Ms }),
    ...(p95Ms === undefined ? {} : { p95_ms: p95Ms }),
  };
}

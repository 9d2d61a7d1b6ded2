import type { Static } from 'typebox';
import { requireBot } from '../../../core/access/access.ts';
import {
  bucketMs,
  type LiveMetricsReader,
  type TimeBucket,
} from '../../../core/stats/live-metrics.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { type TimeBucketAnswer, LiveMetricsAnswer } from './live-metrics-schema.ts';
import { largestId, Optional, Query } from '../../schemas.ts';

export function liveMetricsEndpoints({
  liveMetrics,
}: {
  liveMetrics: LiveMetricsReader;
}): Endpoint[] {
  return [
    get('Operation', '/api/live-metrics', {
      scope: 'read',
      area: 'bots',
      chats: 'refused',
      summary: 'Get live metrics',
      description:
        'Rates, latency, backlog and errors of the last ten minutes, in time buckets of two seconds, for the bots the key may see. They are kept in memory. `GET /api/events?live_metrics=true` streams each new bucket. Nodes that share a database exchange their counts, so every node returns the same, one bucket late. Buckets without a report are omitted.',
      query: Query({
        bot_id: Optional.Id('Only of this bot.'),
        since: Optional.Integer(
          'Only buckets after the one that started then, Unix seconds.',
          1769860800,
          {
            minimum: 0,
            maximum: largestId,
          },
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

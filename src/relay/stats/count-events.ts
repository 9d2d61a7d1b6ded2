import type { Clock } from '../../clock.ts';
import type { LiveMetricsRecorder } from '../../core/stats/live-metrics.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { RelayEvents } from '../events/relay-events.ts';

/** Counts what is received and sent, in the metrics and in the live metrics. */
export function countEvents(
  events: Pick<RelayEvents, 'on'>,
  {
    clock,
    liveMetrics,
    metrics,
  }: { clock: Clock; liveMetrics: LiveMetricsRecorder; metrics: RelayMetrics },
): void {
  events.on('stored', (botId, entries) => {
    const now = clock.now();
    liveMetrics.received(botId, entries.length);
    metrics.received(botId, entries.length, now - (entries.at(-1)?.receivedAt ?? now));
  });
  events.on('sent', (botId, { messages }) => liveMetrics.sent(botId, messages.length));
  events.on('sendFailed', liveMetrics.sendFailed);
  events.on('sendEnded', metrics.sendEnded);
  events.on('sendWaited', (_botId, ms) => metrics.sendWaited(ms));
  events.on('rateLimited', () => metrics.rateLimited());
  events.on('passedThrough', (botId, { status }) => {
    if (status >= 400) liveMetrics.sendFailed(botId);
    metrics.sendEnded(botId, status >= 400 ? 'failed' : 'sent');
    if (status === 429) metrics.rateLimited();
  });
}

import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { BackupState } from '../core/service/backup-state.ts';
import { alertEndpoints } from '../http/api/alerts/alerts.ts';
import { serviceEndpoints } from '../http/api/service/service.ts';
import { liveMetricsEndpoints } from '../http/api/stats/live-metrics.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createServiceHealth } from '../manage/service/service-health.ts';
import { createDeliveryStatuses } from '../relay/delivery/delivery-status.ts';
import { createAlerts } from '../relay/alerts/alerts.ts';
import type { Store } from '../store/store.ts';
import { version } from '../version.ts';
import type { Relay } from './relay.ts';

/** Creates the list of what needs attention. */
export function attentionOf(deps: {
  clock: Clock;
  store: Store;
  relay: Pick<Relay, 'runner' | 'liveMetrics'>;
}): ReturnType<typeof createAlerts> {
  const { clock, relay, store } = deps;
  const unread = store.unread.of;
  return createAlerts({
    clock,
    bots: store.bots,
    runtime: store.runtime,
    statusOf: relay.runner.statusOf,
    apps: store.apps,
    deliveries: createDeliveryStatuses({
      overview: store.pushOverview,
      retryQueues: store.retryQueues,
      unread,
    }),
    repository: store.alerts,
    log: store.alertLog,
    unread,
    liveMetrics: relay.liveMetrics,
  });
}

/** The endpoints for the people who run the service. */
export function operationEndpoints(deps: {
  config: Config;
  clock: Clock;
  store: Store;
  relay: Pick<Relay, 'nodeId' | 'runner' | 'liveMetrics'>;
  backup(): BackupState | undefined;
}): Endpoint[] {
  const { backup, clock, config, relay, store } = deps;
  const { nodeId, liveMetrics } = relay;
  return [
    ...liveMetricsEndpoints({ liveMetrics }),
    ...alertEndpoints({ alerts: attentionOf({ clock, store, relay }) }),
    ...serviceEndpoints({
      version,
      health: createServiceHealth({ backup, clock, config, store, nodeId }),
    }),
  ];
}

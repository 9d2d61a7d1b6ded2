import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { BackupState } from '../core/service/backup-state.ts';
import { serviceEndpoints } from '../http/api/service/service.ts';
import { liveMetricsEndpoints } from '../http/api/stats/live-metrics.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Backups } from '../manage/service/backups.ts';
import { createServiceHealth } from '../manage/service/service-health.ts';
import type { Store } from '../store/store.ts';
import { version } from '../version.ts';
import type { Relay } from './relay.ts';

/** The endpoints for the people who run the service. */
export function operationEndpoints(deps: {
  config: Config;
  clock: Clock;
  store: Store;
  relay: Pick<Relay, 'nodeId' | 'liveMetrics'>;
  backup(): BackupState | undefined;
  backups: Backups | undefined;
}): Endpoint[] {
  const { backup, backups, clock, config, relay, store } = deps;
  const { nodeId, liveMetrics } = relay;
  return [
    ...liveMetricsEndpoints({ liveMetrics }),
    ...serviceEndpoints({
      version,
      backups,
      health: createServiceHealth({ backup, clock, config, store, nodeId }),
    }),
  ];
}

import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Reason } from '../core/reasons/reason.ts';
import { type BackupState, overdueBackup } from '../core/service/backup-state.ts';
import { diskOf } from '../manage/service/service-health.ts';
import { type AlertFinder, createAlertFinder } from '../relay/alerts/alert-finder.ts';
import { createBackendCertificates } from '../relay/alerts/backend-certificates.ts';
import { createDeliveryStatuses } from '../relay/delivery/delivery-status.ts';
import type { Store } from '../store/store.ts';
import { certificateEnd } from '../telegram/certificate-end.ts';
import type { Relay } from './relay.ts';

const dayMs = 24 * 3_600_000;

/** Connects the search for problems with what the service knows. */
export function composeFinder(deps: {
  config: Config;
  clock: Clock;
  store: Store;
  relay: Relay;
  /** The state of scheduled backups; undefined if none are scheduled. */
  backup(): BackupState | undefined;
}): AlertFinder {
  const { clock, config, relay, store } = deps;

  return createAlertFinder({
    clock,
    store,
    thresholds: config.alerts,
    statusOf: relay.runner.statusOf,
    deliveries: createDeliveryStatuses({
      overview: store.pushOverview,
      retryQueues: store.retryQueues,
      unread: store.unread.of,
    }),
    liveMetrics: relay.liveMetrics,
    deadNodes: () => relay.supervisor.nodes.dead(),
    disk: () => diskOf(config.dataDir),
    isBudgetUsed,
    certificates: createBackendCertificates({
      clock,
      store,
      endOf: (address) => certificateEnd(address, config.backends),
    }),
    oldBackup,
  });

  function oldBackup(): { days?: number; why?: Reason } | undefined {
    const state = deps.backup();
    const overdue = overdueBackup(state, clock.now(), config.alerts.backupAgeMs || undefined);
    if (!overdue) return undefined;
    const days = Math.floor((clock.now() - overdue.since) / dayMs);
    return {
      ...(state?.latest ? { days } : {}),
      ...(overdue.why ? { why: overdue.why } : {}),
    };
  }

  async function isBudgetUsed(): Promise<boolean> {
    const { enabled, monthly_call_limit, monthly_token_limit, usage } =
      await relay.llmConfig.show();
    const tokens = usage.input_tokens + usage.output_tokens;
    const isReached = (used: number, limit: number) => limit > 0 && used >= limit;
    return (
      enabled &&
      (isReached(usage.calls, monthly_call_limit) || isReached(tokens, monthly_token_limit))
    );
  }
}

import { createPasswords, type Passwords } from '../core/access/passwords.ts';
import type { BackupState } from '../core/service/backup-state.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { addAppMetrics, addReaderMetrics } from '../http/reader-metrics.ts';
import { addServiceMetrics, watchEventLoop } from '../http/service-metrics.ts';
import { type ApiKeys, createApiKeys } from '../manage/access/api-keys.ts';
import { type AuditLog, createAuditLog } from '../manage/access/audit.ts';
import { createSessions, type Sessions } from '../manage/access/sessions.ts';
import { createSignInGuard } from '../manage/access/sign-in-guard.ts';
import { createUsers, type Users } from '../manage/access/users.ts';
import { type AppService, createAppService } from '../manage/apps/apps.ts';
import { type BotService, createBotService } from '../manage/bots/bots.ts';
import { createRouteService, type RouteService } from '../manage/routing/routes.ts';
import { createStatsCounter, type StatsCounter } from '../manage/stats/stats.ts';
import { version } from '../version.ts';
import { methodNames } from '../../sandbox/src/index.ts';
import type { Closers, Foundation } from './foundation.ts';
import { withLocalKey } from './local-access.ts';
import { openBackups } from './open-backups.ts';
import type { Relay } from './relay.ts';

/** What several endpoints, the gateway or the start use of the services. */
export interface Services {
  passwords: Passwords;
  sessions: Sessions;
  apiKeys: ApiKeys;
  localKey: string;
  users: Users;
  bots: BotService;
  apps: AppService;
  routes: RouteService;
  counter: StatsCounter;
  audit: AuditLog;
  backups: Awaited<ReturnType<typeof openBackups>>;
  /** The state of scheduled backups; undefined if none are scheduled. */
  backup(): BackupState | undefined;
  metrics: Metrics;
}

export async function composeServices(
  foundation: Foundation,
  relay: Relay,
  { passwords = createPasswords() }: { passwords?: Passwords | undefined },
  closers: Closers,
): Promise<Services> {
  const { activity, clock, config, events, logger, store, telegram } = foundation;
  const { pushers, runner, whileDrained } = relay;
  const guard = createSignInGuard({ store, clock });
  const lifetimeMs = config.sessionLifetimeMs;
  const sessions = createSessions({ store, clock, passwords, guard, lifetimeMs });
  const { apiKeys, localKey } = withLocalKey(createApiKeys({ store, clock }));
  const shared = { store, runner, clock, config, events, logger, whileDrained };
  const bots = createBotService({ ...shared, telegram });
  const apps = createAppService({
    ...shared,
    settlePush: pushers.settle,
    storeActivity: activity.flush,
    methodNames,
  });
  const routes = createRouteService({ store, clock, events });
  const counter = createStatsCounter({ store, clock, logger });
  const audit = createAuditLog({ store, clock, logger });
  closers.push(() => audit.flush());
  const backups = await openBackups(config, clock, logger);
  const backup = () => backups?.state();
  const metrics = composeMetrics(foundation, relay, backup);
  if (!foundation.offline) closers.push(watchEventLoop(foundation.metrics.eventLoopDelayed));
  const users = createUsers({ store, clock, passwords, guard });
  return {
    passwords,
    sessions,
    apiKeys,
    localKey,
    users,
    bots,
    apps,
    routes,
    counter,
    audit,
    backups,
    backup,
    metrics,
  };
}

function composeMetrics(
  { config, meter, metrics: relayMetrics, store }: Foundation,
  { supervisor }: Relay,
  backup: Services['backup'],
): Metrics {
  const metrics = createMetrics(meter);
  addReaderMetrics(metrics.registry, store.readers.totals);
  addAppMetrics(metrics.registry, () => store.apps.totals());
  addServiceMetrics(metrics.registry, {
    version,
    facts: store.metricFacts,
    isByBot: config.metricsBots,
    botLabel: relayMetrics.botLabel,
    nodes: supervisor.nodes,
    backup,
  });
  return metrics;
}

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import { type Caller, localCaller } from '../../../src/core/access/access.ts';
import { createVault } from '../../../src/core/access/vault.ts';
import type { Condition } from '../../../src/core/alerts/alerts.ts';
import type { BotStatus } from '../../../src/core/ports.ts';
import { createLiveMetrics } from '../../../src/core/stats/live-metrics.ts';
import {
  type AlertLogService,
  createAlertLogService,
  type OpenAlert,
} from '../../../src/manage/alerts/alert-log.ts';
import type { FinderDeps } from '../../../src/relay/alerts/finders/view.ts';
import { createDeliveryStatuses } from '../../../src/relay/delivery/delivery-status.ts';
import { createAlertFinder } from '../../../src/relay/alerts/alert-finder.ts';
import { createBackendCertificates } from '../../../src/relay/alerts/backend-certificates.ts';
import { type DialectName, type Engine, raw } from '../../../src/store/engine.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { createDatabase, type Database } from '../database/engines.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';

/** Settings of a bot with an unreachable backend. */
export const forwarding = { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/updates' };

/** What the service knows outside the database, for alerts. */
interface Outside {
  dead: string[];
  disk: { freeBytes: number; totalBytes: number };
  isBudgetUsed: boolean;
  certificateEndsAt: number;
  backup: ReturnType<FinderDeps['oldBackup']>;
}

/** What GET /api/attention tells of an open alert. */
function shown({ botId, evidence, kind, params, since = 0 }: OpenAlert) {
  const { app, count = 0, reader, route_id: routeId, target_bot_id: targetBotId } = params;
  return { kind, botId, count, since, text: '', ...evidence, app, reader, routeId, targetBotId };
}

/** Alerts over a new database for each test, and functions to fill it. */
export function alertRig(dialect: DialectName) {
  let database: Database;
  let engine: Engine;
  let store: Store;
  let clock: ManualClock;
  let statuses: Map<number, Partial<BotStatus>>;
  let alerts: AlertLogService;
  let outside: Outside;
  let find: () => Promise<Condition[]>;
  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
    store = createStore(engine, createVault([randomBytes(32).toString('hex')]));
    clock = createManualClock();
    statuses = new Map();
    outside = {
      dead: [],
      disk: { freeBytes: 5e10, totalBytes: 1e11 },
      isBudgetUsed: false,
      certificateEndsAt: Number.MAX_SAFE_INTEGER,
      backup: undefined,
    };
    const finder = createAlertFinder({
      clock,
      store,
      thresholds: { appNotSeenMs: 30 * 60_000, readerLag: 100 },
      statusOf: async (ids) => new Map(ids.map((id) => [id, { ...well, ...statuses.get(id) }])),
      deliveries: createDeliveryStatuses({
        overview: store.pushOverview,
        retryQueues: store.retryQueues,
        unread: store.unread.of,
      }),
      liveMetrics: createLiveMetrics({ now: () => clock.now(), singleNode: true }),
      deadNodes: () => outside.dead,
      disk: async () => outside.disk,
      isBudgetUsed: async () => outside.isBudgetUsed,
      certificates: createBackendCertificates({
        clock,
        store,
        endOf: async () => outside.certificateEndsAt,
      }),
      oldBackup: () => outside.backup,
    });
    find = finder.all;
    alerts = createAlertLogService({
      store,
      findLive: finder.live,
      publicUrl: '',
      clock,
      onHandled() {},
    });
  });
  afterEach(async () => {
    await engine.close();
    await database.drop();
  });

  let platformId = 100;
  const addBot = async (settings: Record<string, unknown> = {}) => {
    platformId += 1;
    const token = `${platformId}:a-token-of-a-test`;
    const bot = { token, name: 'a bot', source: 'web', platform_id: platformId, ...settings };
    return (await store.bots.insert(bot as never, clock.now())).id;
  };
  const run = (sql: string, parameters: unknown[] = []) => engine.write(() => raw(sql, parameters));

  async function log(botId: number, positions: number): Promise<void> {
    await run(
      `insert into log_heads (bot_id, last_position, trimmed_to, bytes) values ($1, $2, 0, 0)
       on conflict (bot_id) do update set last_position = excluded.last_position`,
      [botId, positions],
    );
    for (let position = 1; position <= positions; position++) {
      await run(
        `insert into log (bot_id, position, update_id, kind, queue, received_at, raw)
         values ($1, $2, $2, 'message', 'c1', $3, '{}')`,
        [botId, position, clock.now()],
      );
    }
  }

  const reader = (botId: number, name: string, position: number, dropped = 0) =>
    run(
      `insert into readers (bot_id, name, position, created_at, updated_at, dropped, dropped_at)
       values ($1, $2, $3, $4, $4, $5, $4)
       on conflict (bot_id, name) do update set position = excluded.position,
         created_at = excluded.created_at, updated_at = excluded.updated_at,
         dropped = excluded.dropped, dropped_at = excluded.dropped_at`,
      [botId, name, position, clock.now(), dropped],
    );

  const moved = (botId: number, name: string) =>
    run('update readers set updated_at = $1 where bot_id = $2 and name = $3', [
      clock.now(),
      botId,
      name,
    ]);

  const addRoute = (source_bot_id: number, target_bot_id: number, more: object = {}) =>
    store.routes.insert(
      {
        source_bot_id,
        target_bot_id,
        condition_type: 'all',
        condition_value: '',
        action: 'forward',
        target_chat_id: 0,
        enabled: true,
        description: '',
        priority: 0,
        source_chat_id: 0,
        ...more,
      } as never,
      clock.now(),
    );

  return {
    engine: () => engine,
    store: () => store,
    clock: () => clock,
    statuses: () => statuses,
    outside: () => outside,
    find: () => find(),
    look: async (caller: Caller = localCaller) => (await alerts.open(caller)).map(shown),
    addBot,
    addRoute,
    log,
    moved,
    reader,
    run,
  };
}

const well: BotStatus = {
  running: true,
  lastError: '',
  lastErrorDetail: null,
  lastActivity: 0,
  backendStatus: 'ok',
  backendError: '',
  backendErrorDetail: null,
  backendSeenAt: 0,
  pendingUpdates: 0,
};

import { createTestEvents } from './rigs/test-events.ts';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { localCaller, type Scope } from '../../src/core/access/access.ts';
import { createPasswords } from '../../src/core/access/passwords.ts';
import type { RelayEvents } from '../../src/relay/events/relay-events.ts';
import { createVault } from '../../src/core/access/vault.ts';
import type { LiveMetricsReader } from '../../src/core/stats/live-metrics.ts';
import { createApp } from '../../src/http/app.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { registerEndpoint } from '../../src/http/register-endpoint.ts';
import { createLogger } from '../../src/logger.ts';
import { createApiKeys, type NewKeyRequest } from '../../src/manage/access/api-keys.ts';
import { createSetupLink } from '../../src/manage/access/first-access.ts';
import { createSessions } from '../../src/manage/access/sessions.ts';
import { createSignInGuard } from '../../src/manage/access/sign-in-guard.ts';
import { createUsers } from '../../src/manage/access/users.ts';
import type { DialectName, Engine } from '../../src/store/engine.ts';
import { insertInto } from '../../src/store/sql/write-row.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { createDatabase, type Database } from './database/engines.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

/** The HTTP layer on a real store, with time in the test's hand. */
export interface TestApp {
  app: FastifyInstance;
  store: Store;
  engine: Engine;
  clock: ManualClock;
  events: RelayEvents;
  logLines: string[];
  /** A key and the header that carries it. */
  key(
    scope: Scope,
    botIds?: number[],
    limits?: Pick<NewKeyRequest, 'readChats' | 'writeChats' | 'dailyWrites'>,
  ): Promise<{ id: number; key: string; headers: { authorization: string } }>;
  /** A row in `bots`, for what needs one to be there. */
  addBot(name?: string): Promise<number>;
  access: Access;
  close(): Promise<void>;
}

interface TestAppOptions {
  dialect?: DialectName;
  endpoints?: readonly Endpoint[] | ((store: Store) => readonly Endpoint[]);
  publicUrl?: string;
  trustProxy?: string[];
  webFolder?: string;
  docsFolder?: string;
  rateLimits?: { perKeyPerSecond: number; perAddressPerSecond: number };
  liveMetrics?: LiveMetricsReader;
}

export type Access = ReturnType<typeof createAccess>;

/** Hashing passwords is cheap here on purpose; another test covers its real cost. */
export const cheapPasswords = () => createPasswords({ cost: 2, blockSize: 1, parallelization: 1 });

function createAccess(store: Store, clock: ManualClock) {
  const passwords = cheapPasswords();
  const guard = createSignInGuard({ store, clock });
  const sessions = createSessions({ store, clock, passwords, guard });
  return {
    apiKeys: createApiKeys({ store, clock }),
    users: createUsers({ store, clock, passwords, guard }),
    sessions,
    setupLink: createSetupLink({ store, sessions, passwords, clock }),
  };
}

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database: Database = await createDatabase(options.dialect ?? 'sqlite');
  const engine = await database.open();
  const store = createStore(engine, createVault([randomBytes(32).toString('hex')]));
  const clock = createManualClock();
  const access = createAccess(store, clock);
  const events = createTestEvents(clock);
  const logLines: string[] = [];
  const app = await createApp({
    ...access,
    clock,
    events,
    logger: createLogger({ level: 'debug', write: (line) => logLines.push(line) }),
    config: {
      publicUrl: options.publicUrl ?? '',
      trustProxy: options.trustProxy ?? [],
      rateLimits: options.rateLimits ?? { perKeyPerSecond: 0, perAddressPerSecond: 0 },
    },
    version: '1.2.3',
    commandName: 'npx bot-relay',
    metrics: createMetrics(),
    readiness: [{ name: 'database', check: () => engine.ping() }],
    webFolder: options.webFolder ?? '/nonexistent',
    docsFolder: options.docsFolder ?? path.resolve(import.meta.dirname, '../../docs'),
    ...(options.liveMetrics ? { liveMetrics: options.liveMetrics } : {}),
  });
  const endpoints =
    typeof options.endpoints === 'function' ? options.endpoints(store) : options.endpoints;
  for (const endpoint of endpoints ?? []) registerEndpoint(app, endpoint);

  return {
    app,
    store,
    engine,
    clock,
    events,
    logLines,
    access,
    async key(scope, botIds, limits) {
      const { record, key } = await access.apiKeys.create(localCaller, {
        name: `${scope} key`,
        scope,
        botIds: botIds ?? null,
        ...limits,
      });
      return { id: record.id, key, headers: { authorization: `Bearer ${key}` } };
    },
    async addBot(name = 'a bot') {
      const token = randomBytes(16).toString('hex');
      const [row] = await engine.write(() =>
        insertInto<{ id: number }>(
          'bots',
          {
            platform_id: 1,
            token_hash: token,
            token_sealed: token,
            name,
            source: 'web',
            created_at: clock.now(),
            updated_at: clock.now(),
          },
          'returning id',
        ),
      );
      return (row as { id: number }).id;
    },
    async close() {
      await app.close();
      await engine.close();
      await database.drop();
    },
  };
}

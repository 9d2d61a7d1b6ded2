import { type Clock, systemClock } from '../../../src/clock.ts';
import { createVault } from '../../../src/core/access/vault.ts';
import { createLogger } from '../../../src/logger.ts';
import { createSupervisor, type Supervisor } from '../../../src/relay/cluster/supervisor.ts';
import { createUpdateLog, type UpdateLog } from '../../../src/relay/log/update-log.ts';
import {
  type BotRuntimeRepository,
  createBotRuntimeRepository,
} from '../../../src/store/cluster/bot-runtime.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { createLeaseRepository, type LeaseRepository } from '../../../src/store/cluster/leases.ts';
import {
  createSilentNotifications,
  type Notifications,
} from '../../../src/store/cluster/notifications.ts';
import { listenForNotifications } from '../../../src/store/postgres/notifications.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { createTelegramClient } from '../../../src/telegram/client.ts';
import type { Database } from '../database/engines.ts';
import { watchEngine } from '../database/watched-engine.ts';
import { serve } from '../local-server.ts';

const masterKey = 'a master key shared by the nodes of a test';

/** One node's intake: everything between the platform and the log. */
export interface RelayNode {
  engine: Engine;
  store: Store;
  runtime: BotRuntimeRepository;
  leases: LeaseRepository;
  log: UpdateLog;
  supervisor: Supervisor;
  /** Whether it waits for the database. */
  isBusy(): boolean;
  /** Where the platform reaches this node's webhooks. */
  hookUrl: string;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Ends it like a crash: nothing is released, nothing is finished. */
  kill(): Promise<void>;
}

export interface RelayNodeOptions {
  database: Database;
  platformUrl: string;
  clock?: Clock;
  /** For how long calls to the platform may take; the system's when left out. */
  telegramClock?: Clock;
  nodeId?: string;
  pollTimeoutSeconds?: number;
  minIntervalMs?: number;
  /**
   * Nobody else is there to take its bots. For tests that move the clock by more than the few
   * seconds after which a node without an answer from the database lets its bots go.
   */
  singleNode?: boolean;
  /** Calls of the database that take longer are cut off by the test: nobody waits for their end. */
  heldMs?: number;
  /** Without it the node knows of no address that the platform could reach. */
  webhooks?: boolean;
  /** Part of that address, behind the port, which a restart may or may not change. */
  publicPath?: string;
}

export async function startRelayNode(options: RelayNodeOptions): Promise<RelayNode> {
  const { database, platformUrl, clock = systemClock, nodeId = 'node-one' } = options;
  const { engine, isBusy } = watchEngine(await database.open(), options.heldMs);
  const vault = createVault([masterKey]);
  const store = createStore(engine, vault);
  const runtime = createBotRuntimeRepository(engine, vault);
  const leases = createLeaseRepository(engine);
  const log = createUpdateLog(store.log);
  const telegram = createTelegramClient({
    baseUrlFor: () => platformUrl,
    clock: options.telegramClock ?? systemClock,
  });
  const notifications: Notifications =
    database.dialect === 'postgres'
      ? await listenForNotifications({ url: database.databaseUrl, clock, random: () => 0.5 })
      : createSilentNotifications();
  const shutdown = new AbortController();
  const hooks = await serveHooks(() => supervisor);
  const hookUrl = hooks.url + (options.publicPath ?? '');
  const supervisor = createSupervisor({
    bots: store.bots,
    runtime,
    leases,
    log,
    telegram,
    notifications,
    baseUrlFor: () => platformUrl,
    clock,
    random: () => 0.5,
    logger: createLogger({ level: 'silent' }),
    nodeId,
    singleNode: options.singleNode ?? database.dialect === 'sqlite',
    publicUrl: options.webhooks ? hookUrl : '',
    pollTimeoutSeconds: options.pollTimeoutSeconds ?? 50,
    minIntervalMs: options.minIntervalMs ?? 0,
  });
  await supervisor.start(shutdown.signal);

  async function tearDown(): Promise<void> {
    await hooks.close();
    await notifications.close();
    await telegram.close();
    await engine.close();
  }
  return {
    engine,
    store,
    runtime,
    leases,
    log,
    supervisor,
    isBusy,
    hookUrl,
    async stop() {
      await supervisor.stop(5_000);
      await tearDown();
    },
    async kill() {
      shutdown.abort(new Error('killed'));
      // The database goes first: the node cannot write anything else.
      await engine.close().catch(() => {});
      await supervisor.stop(0);
      await hooks.close();
      await notifications.close();
      await telegram.close();
    },
  };
}

/** The hook's path on a bare server, so that these tests need no HTTP application. */
async function serveHooks(supervisor: () => Supervisor) {
  return await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const botId = Number(request.url?.split('/').at(-1));
      const secret = String(request.headers['x-telegram-bot-api-secret-token'] ?? '');
      supervisor()
        .intake.receive(botId, secret, Buffer.concat(chunks).toString('utf8'))
        .then(
          (outcome) => response.writeHead(outcome === 'stored' ? 200 : 401).end(outcome),
          () => response.writeHead(500).end(),
        );
    });
  });
}

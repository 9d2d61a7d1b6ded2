/*
 * The composition root: the only place that knows every part. Nothing here decides anything; it
 * hands parts to each other and takes them down in the reverse order.
 */
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { ApiRequest, ApiResponse } from './cli/api-client.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { createPasswords } from './core/passwords.ts';
import { RelayError } from './errors.ts';
import { createApp } from './http/app.ts';
import { createMetrics, type Metrics, serveMetrics } from './http/metrics.ts';
import { createLogger, type Logger } from './logger.ts';
import { createEventBus } from './main/event-bus.ts';
import { withLocalKey } from './main/local-access.ts';
import { openEngine } from './main/open-engine.ts';
import { createApiKeys } from './manage/api-keys.ts';
import { createSetupLink, ensureFirstAccess } from './manage/first-access.ts';
import { rotateGeneratedKey, unlockVault } from './manage/secrets.ts';
import { removeServiceFile, writeServiceFile } from './manage/service-file.ts';
import { createSessions } from './manage/sessions.ts';
import { createSignInGuard } from './manage/sign-in-guard.ts';
import { createUsers } from './manage/users.ts';
import { createStore, type Store } from './store/store.ts';
import { version } from './version.ts';

export interface ServiceOptions {
  clock?: Clock;
  logger?: Logger;
  /** Takes the lines meant for the person who started the service. */
  announce?: (line: string) => void;
}

export interface Service {
  /** Where it listens, such as http://127.0.0.1:8080. */
  address: string;
  /** Opens everything, from this machine, for as long as the service runs. */
  localKey: string;
  close(): Promise<void>;
}

/** Starts everything; resolves once requests are answered. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const announce = options.announce ?? (() => {});
  const parts = await compose(config, options);
  try {
    const firstAccess = await ensureFirstAccess({
      store: parts.store,
      clock: parts.clock,
      adminKey: config.adminKey,
    });
    await parts.app.listen({ host: config.host, port: config.port });
    const address = addressOf(parts.app.server, config.host);
    const metricsServer = await startMetrics(config, parts.metrics);
    publish(config, parts, address);
    announce(`Bot Relay ${version} is ready at ${address}`);
    if (firstAccess) {
      announce('');
      announce('This is the first start. Shown only this once:');
      announce(`  Admin key    ${firstAccess.key}`);
      announce(
        `  Set-up link  ${config.publicUrl || address}/setup#token=${firstAccess.setupToken}`,
      );
      announce('');
    }
    return {
      address,
      localKey: parts.localKey,
      async close() {
        removeServiceFile(config.dataDir, process.pid);
        metricsServer?.close();
        await parts.close();
      },
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

export interface OfflineAccess {
  key: string;
  exchange(request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}

/** The same API on the data itself, without a port and with no bot running. */
export async function openOffline(config: Config): Promise<OfflineAccess> {
  const parts = await compose(config, { logger: createLogger({ level: 'silent' }) });
  return {
    key: parts.localKey,
    async exchange({ method, path, headers, body }) {
      const response = await parts.app.inject({
        method,
        url: path,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      });
      return { status: response.statusCode, text: response.body };
    },
    close: parts.close,
  };
}

/** Seals everything with a new master key; tells how many secrets that were. */
export async function rotateSecrets(config: Config): Promise<number> {
  if (config.secretKey !== '' && config.previousSecretKeys.length === 0) {
    throw new RelayError(
      'bad_setting',
      'RELAY_SECRET_KEY_PREVIOUS: must name the old key, and RELAY_SECRET_KEY the new one, for example RELAY_SECRET_KEY_PREVIOUS="$OLD" RELAY_SECRET_KEY="$NEW" bot-relay secrets rotate',
    );
  }
  const engine = await openEngine(config);
  try {
    const { resealed } = await unlockVault(engine, config);
    if (config.secretKey !== '') return resealed;
    return await rotateGeneratedKey(engine, config.dataDir);
  } finally {
    await engine.close();
  }
}

interface Parts {
  clock: Clock;
  store: Store;
  app: FastifyInstance;
  metrics: Metrics;
  logger: Logger;
  localKey: string;
  close(): Promise<void>;
}

async function compose(config: Config, options: ServiceOptions): Promise<Parts> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger({ level: config.logLevel });
  const engine = await openEngine(config);
  try {
    const { vault } = await unlockVault(engine, config);
    const store = createStore(engine, vault);
    const passwords = createPasswords();
    const guard = createSignInGuard({ clock });
    const sessions = createSessions({ store, clock, passwords, guard });
    const { apiKeys, localKey } = withLocalKey(createApiKeys({ store, clock }));
    const metrics = createMetrics();
    const app = await createApp({
      clock,
      logger,
      config,
      version,
      apiKeys,
      users: createUsers({ store, clock, passwords, guard }),
      sessions,
      setupLink: createSetupLink({ store, sessions, passwords, clock }),
      events: createEventBus((error) => logger.error({ err: error }, 'an event listener failed')),
      metrics,
      readiness: [{ name: 'the database', check: () => engine.ping() }],
      webFolder: fileURLToPath(new URL('../web/dist', import.meta.url)),
    });
    return {
      clock,
      store,
      app,
      metrics,
      logger,
      localKey,
      async close() {
        await app.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function startMetrics(config: Config, metrics: Metrics): Promise<Server | undefined> {
  if (config.metricsPort === 0) return undefined;
  return await serveMetrics(metrics, { host: config.host, port: config.metricsPort });
}

/** So that the command finds the service; a place that cannot be written costs only that. */
function publish(config: Config, parts: Parts, address: string): void {
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writeServiceFile(config.dataDir, { pid: process.pid, url: address, key: parts.localKey });
  } catch (error) {
    parts.logger.warn({ code: (error as NodeJS.ErrnoException).code }, 'service.json not written');
  }
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

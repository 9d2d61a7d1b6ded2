/* The entry point: composes the parts, starts and stops them, and decides nothing else. */
import { reason } from './core/reasons/reason.ts';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiRequest, ApiResponse } from './api-client.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { localCaller } from './core/access/access.ts';
import { RelayError } from './errors.ts';
import { serveMetrics } from './http/metrics.ts';
import { createLogger } from './logger.ts';
import { type ComposeOptions, compose, type Parts } from './main/compose.ts';
import { openEngine } from './main/open-engine.ts';
import { registerConfiguredBot } from './main/register-bot.ts';
import { createAuditLog } from './manage/access/audit.ts';
import { makePrivate, openDirectory } from './manage/service/data-directory.ts';
import {
  ensureFirstAccess,
  type FirstAccess,
  setupLinkHours,
} from './manage/access/first-access.ts';
import { rotateGeneratedKey, unlockVault } from './manage/service/secrets.ts';
import { removeServiceFile, writeServiceFile } from './manage/service/service-file.ts';
import { beginRebuild } from './store/messages/rebuild.ts';
import { createStore } from './store/store.ts';
import { version } from './version.ts';

export interface ServiceOptions extends Omit<ComposeOptions, 'offline'> {
  /** False for a caller that creates the first user itself. */
  setupLink?: boolean;
}

export interface Service {
  /** The address of the service, such as http://127.0.0.1:8080. */
  address: string;
  /** A key for everything, valid while the service runs. */
  localKey: string;
  /** The admin key that this start created, as it is not shown later; '' if it created none. */
  firstKey: string;
  close(): Promise<void>;
}

/**
 * The maximum number of connections that wait to be accepted. Node accepts one per turn of its
 * event loop, and a turn under load is long. Beyond this number the system drops attempts, which
 * clients repeat later and later, up to a minute.
 */
const backlog = 4_096;

/** Starts everything; resolves once requests are answered. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const announce = options.announce ?? (() => {});
  // An existing directory may be read-only if the data is in another database.
  if (!existsSync(config.dataDir)) openDirectory(config.dataDir);
  makePrivate(config.dataDir);
  const parts = await compose(config, options);
  let metricsServer: Server | undefined;
  let endTelemetry = async () => {};
  const close = async () => {
    removeServiceFile(config.dataDir, process.pid);
    metricsServer?.close();
    await Promise.all([endTelemetry(), parts.close()]);
  };
  try {
    if (config.otlpEndpoint !== '') endTelemetry = await sendTelemetry(config.otlpEndpoint, parts);
    const { store, clock, audit } = parts;
    const { adminKey } = config;
    const setupLink = options.setupLink !== false;
    const openAccess = () => ensureFirstAccess({ store, clock, audit, adminKey, setupLink });
    // A key from the settings works from the first request on.
    if (adminKey !== '') await openAccess();
    await parts.app.listen({ host: config.host, port: config.port, backlog });
    const address = addressOf(parts.app.server, config.host);
    parts.sandbox?.listensAt(address);
    if (config.metricsPort !== 0) {
      const metricsAddress = { host: config.host, port: config.metricsPort };
      metricsServer = await serveMetrics(parts.metrics, metricsAddress);
    }
    publish(config, parts, address);
    await parts.relay.start();
    const registered = await registerConfiguredBot(config.telegramBotToken, parts);
    if (registered !== '') announce(registered);
    // Create secrets that are shown once only after everything that can fail, so that they are
    // surely shown.
    const firstAccess = adminKey === '' ? await openAccess() : undefined;
    if (firstAccess) announceFirstAccess(announce, firstAccess, config.publicUrl || address);
    announce(`Bot Relay ${version} is ready at ${address}`);
    const firstKey = firstAccess?.key ?? '';
    return { address, localKey: parts.localKey, firstKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The SDK is loaded only here. */
async function sendTelemetry(endpoint: string, parts: Parts): Promise<() => Promise<void>> {
  const { startTelemetry } = await import('./main/telemetry.ts');
  const { logger, metrics, relay } = parts;
  try {
    return startTelemetry({
      endpoint,
      registry: metrics.registry,
      version,
      nodeId: relay.nodeId,
      logger,
    });
  } catch (error) {
    // A wrong OTEL_ variable must not stop the service.
    logger.warn({ err: error }, 'metrics and traces are not sent');
    return async () => {};
  }
}

function announceFirstAccess(
  announce: (line: string) => void,
  { key, setupToken }: FirstAccess,
  address: string,
): void {
  announce('First start. Save these, they are shown once:');
  announce(`  Admin key    ${key}`);
  // The token comes after "#", so that no server or proxy on the way logs it.
  if (setupToken === '') return;
  announce(`  Setup link   ${address}/setup#token=${setupToken}`);
  announce(`The link works once, within ${setupLinkHours} hours, while there is no admin.`);
}

/** Lets the command find the service; if the file cannot be written, nothing else fails. */
function publish(config: Config, parts: Parts, address: string): void {
  try {
    const { dataDir, telegramApiUrl } = config;
    const { localKey: key } = parts;
    writeServiceFile(dataDir, { pid: process.pid, url: address, key, telegramApiUrl });
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

export interface OfflineAccess {
  key: string;
  exchange(request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}

/** Opens the same API on the data itself, without a port and without running bots. */
export async function openOffline(
  config: Config,
  announce: (line: string) => void,
  offline: NonNullable<ComposeOptions['offline']>,
): Promise<OfflineAccess> {
  const logger = createLogger({ level: 'silent' });
  const { app, localKey, close } = await compose(config, { logger, announce, offline });
  return {
    key: localKey,
    async exchange({ method, path, headers, body }) {
      const response = await app.inject({
        method,
        url: path,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      });
      return { status: response.statusCode, text: response.body };
    },
    close,
  };
}

/** Encrypts everything with a new master key; returns the number of secrets and the path of the old key. */
export async function rotateSecrets(
  config: Config,
  announce: (line: string) => void,
): Promise<{ secrets: number; formerKeyFile: string }> {
  if (config.secretKey !== '' && config.previousSecretKeys.length === 0) {
    throw new RelayError('bad_setting', reason('rotation_keys_needed'));
  }
  const engine = await openEngine(config, { clock: systemClock, announce, schemaUse: 'keep' });
  try {
    const { vault, resealed } = await unlockVault(engine, config);
    const done =
      config.secretKey === ''
        ? await rotateGeneratedKey(engine, config.dataDir)
        : { secrets: resealed, formerKeyFile: '' };
    const { secrets } = done;
    const logger = createLogger({ level: config.logLevel });
    const audit = createAuditLog({ store: createStore(engine, vault), clock: systemClock, logger });
    await audit.note(localCaller.name, { action: 'secrets.rotate', after: { secrets } });
    return done;
  } finally {
    await engine.close();
  }
}

const countedAtOnce = 2_000;

/** Rebuilds the search index and the statistics from the stored messages. */
export async function rebuildFromMessages(
  config: Config,
  announce: (line: string) => void,
): Promise<{ bots: number; messages: number }> {
  const engine = await openEngine(config, { clock: systemClock, announce, schemaUse: 'keep' });
  try {
    const { vault } = await unlockVault(engine, config);
    const store = createStore(engine, vault);
    const bots = await beginRebuild(engine);
    while ((await store.messageSearch.index()) === 'more');
    const { stats } = store;
    let messages = 0;
    for (let isMore = true; isMore; ) {
      const taken = await stats.backfill(countedAtOnce);
      const counted = await stats.countMessages(countedAtOnce);
      messages += counted;
      isMore = taken + counted > 0;
    }
    const logger = createLogger({ level: config.logLevel });
    const audit = createAuditLog({ store, clock: systemClock, logger });
    await audit.note(localCaller.name, { action: 'messages.rebuild', after: { bots, messages } });
    return { bots, messages };
  } finally {
    await engine.close();
  }
}

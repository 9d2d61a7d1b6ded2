/*
 * Where everything begins: composes the parts, brings them up and takes them down. Nothing here
 * decides anything else.
 */
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
import { makePrivate, openDirectory } from './manage/ops/data-directory.ts';
import {
  ensureFirstAccess,
  type FirstAccess,
  setupLinkHours,
} from './manage/access/first-access.ts';
import { rotateGeneratedKey, unlockVault } from './manage/ops/secrets.ts';
import { removeServiceFile, writeServiceFile } from './manage/ops/service-file.ts';
import { createStore } from './store/store.ts';
import { version } from './version.ts';

export interface ServiceOptions extends Omit<ComposeOptions, 'offline'> {
  /** False for a caller that makes the first user itself. */
  setupLink?: boolean;
}

export interface Service {
  /** Where it listens, such as http://127.0.0.1:8080. */
  address: string;
  /** Opens everything, for as long as the service runs. */
  localKey: string;
  /** The admin key that this start made, as nothing shows it again; '' when it made none. */
  firstKey: string;
  close(): Promise<void>;
}

/**
 * Connections that may wait to be accepted. The runtime accepts one per turn of its loop, and a turn under load is long. Beyond this
 * number the system drops attempts, which clients repeat later and later, up to a minute.
 */
const backlog = 4_096;

/** Starts everything; resolves once requests are answered. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const announce = options.announce ?? (() => {});
  // One that is there may be for reading alone where the data is in another database.
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
    // The key of the settings opens from the first request on.
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
    // Secrets that are shown once are made when nothing can keep them from being shown any more.
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
    // A wrong OTEL_ variable must not keep the service from its work.
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
  // Behind "#", so that no server or proxy on the way writes the token down.
  if (setupToken === '') return;
  announce(`  Setup link   ${address}/setup#token=${setupToken}`);
  announce(`The link works once, within ${setupLinkHours} hours, while there is no admin.`);
}

/** So that the command finds the service; a place that cannot be written costs only that. */
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

/** The same API on the data itself, without a port and with no bot running. */
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

/** Seals everything with a new master key; tells how many secrets, and where the old key is. */
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

import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createMeter, type Meter } from '../core/stats/meter.ts';
import { createRelayMetrics } from '../core/stats/relay-metrics.ts';
import { createLogger, type Logger } from '../logger.ts';
import { unlockVault } from '../manage/service/secrets.ts';
import { createAppActivity } from '../relay/apps/app-activity.ts';
import { createAppSends } from '../relay/apps/app-sends.ts';
import { createEventBus } from '../relay/events/event-bus.ts';
import { createStore } from '../store/store.ts';
import { createTelegramClient } from '../telegram/client.ts';
import { createLocalFiles } from '../telegram/local-files.ts';
import { createPlatformConnector } from '../telegram/platform-connector.ts';
import type { RelayDeps } from './ground.ts';
import { openEngine, openNotifications, type SchemaUse } from './open-engine.ts';
import { type EmbeddedSandbox, embedSandbox } from './sandbox.ts';

export interface FoundationOptions {
  clock?: Clock;
  logger?: Logger;
  /** Receives the lines meant for the person who started the service. */
  announce?: (line: string) => void;
  /** Set for a CLI command: without a port, without running bots, and with this use of the schema. */
  offline?: Exclude<SchemaUse, 'start'>;
  /** Makes a new world of the sandbox have the same IDs at every start. */
  sandboxSeed?: number;
}

/** Called in reverse order when the service stops. */
export type Closers = (() => Promise<void>)[];

/** What the relay and the services share: the store, Telegram and the events. */
export interface Foundation extends RelayDeps {
  meter: Meter;
  sandbox: EmbeddedSandbox | undefined;
  localFiles: ReturnType<typeof createLocalFiles>;
}

export async function openFoundation(
  config: Config,
  options: FoundationOptions,
  closers: Closers,
): Promise<Foundation> {
  const clock = options.clock ?? systemClock;
  const offline = options.offline !== undefined;
  const logger = options.logger ?? createLogger({ level: config.logLevel });

  const meter = createMeter();
  const metrics = createRelayMetrics(meter, { bots: config.metricsBots });
  const engine = await openEngine(config, {
    clock,
    announce: options.announce ?? (() => {}),
    schemaUse: options.offline ?? 'start',
    onCommit: metrics.committed,
  });
  closers.push(() => engine.close());
  const { vault } = await unlockVault(engine, config);
  const store = createStore(engine, vault);

  const sandbox = config.sandbox
    ? await embedSandbox(config, { ownPort: offline, seed: options.sandboxSeed })
    : undefined;
  if (sandbox) closers.push(() => sandbox.close());
  const baseUrlFor = (token: string) => sandbox?.baseUrlFor(token) ?? config.telegramApiUrl;
  const connect = createPlatformConnector(config.platformProxies);
  if (config.platformProxies.isUnusable) {
    logger.warn(
      'HTTPS_PROXY is not used: it must be an address that starts with http:// or socks5://',
    );
  }
  const localFiles = createLocalFiles(config.telegramFiles);
  const telegram = createTelegramClient({ clock, baseUrlFor, connect, localFiles });
  closers.push(() => telegram.close());

  const notifications = await openNotifications(config, clock, logger);
  closers.push(() => notifications.close());
  const events = createEventBus(notifications, clock, (error) =>
    logger.error({ err: error }, 'event listener failed'),
  );
  const activity = createAppActivity({
    apps: store.apps,
    clock,
    onError: (error) => logger.warn({ err: error }, 'app activity not stored'),
  });
  closers.push(() => activity.close());
  const appSends = createAppSends({
    clock,
    store: store.appSends,
    notifications,
    onError: (error, botId) =>
      logger.warn({ err: error, bot_id: botId }, 'send of an app not stored'),
  });
  return {
    config,
    clock,
    logger,
    store,
    sandbox,
    telegram,
    baseUrlFor,
    connect,
    localFiles,
    notifications,
    events,
    activity,
    appSends,
    meter,
    metrics,
    offline,
  };
}

import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { publicCommandName } from '../command-name.ts';
import type { Config } from '../config.ts';
import type { Passwords } from '../core/access/passwords.ts';
import { pushReader } from '../core/log/reader-kinds.ts';
import { createApp } from '../http/app.ts';
import { installGateway } from '../http/gateway/gateway.ts';
import { installBackendHook } from '../http/hooks/backend.ts';
import { installTelegramHook } from '../http/hooks/telegram.ts';
import { installMcp } from '../http/mcp/mcp.ts';
import type { Metrics } from '../http/metrics.ts';
import { registerEndpoint } from '../http/register-endpoint.ts';
import type { Logger } from '../logger.ts';
import type { AuditLog } from '../manage/access/audit.ts';
import { createSetupLink } from '../manage/access/first-access.ts';
import type { BotService } from '../manage/bots/bots.ts';
import { packageRoot } from '../package-root.ts';
import type { Store } from '../store/store.ts';
import { version } from '../version.ts';
import { createScheduledMessages } from '../manage/messages/scheduled.ts';
import { composeAlerts } from './alerts.ts';
import { installChatManagement } from './chat-management.ts';
import { closerOf } from './close-app.ts';
import { composeEndpoints } from './endpoints.ts';
import {
  type Closers,
  type Foundation,
  type FoundationOptions,
  openFoundation,
} from './foundation.ts';
import { composeQuestions } from './questions.ts';
import { composeRelay, type Relay } from './relay.ts';
import type { EmbeddedSandbox } from './sandbox.ts';
import { composeServices, type Services } from './services.ts';
import { webhookChanges } from './webhook-changes.ts';

export interface ComposeOptions extends FoundationOptions {
  /** Hashing passwords is slow on purpose; tests may pass a cheap way. */
  passwords?: Passwords;
}

const sendTimeoutMs = 2_000;

/** All parts, composed but not started. */
export interface Parts {
  clock: Clock;
  logger: Logger;
  store: Store;
  bots: BotService;
  audit: AuditLog;
  relay: Relay;
  sandbox: EmbeddedSandbox | undefined;
  app: FastifyInstance;
  metrics: Metrics;
  localKey: string;
  close(): Promise<void>;
}

export async function compose(config: Config, options: ComposeOptions = {}): Promise<Parts> {
  const closers: Closers = [];
  // Close in reverse order; a failure of one does not stop the others.
  const close = async () => {
    const failures: unknown[] = [];
    for (const closer of closers.splice(0).reverse()) {
      await closer().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await build(config, options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Builds the parts in stages, each made of those before it. */
async function build(
  config: Config,
  options: ComposeOptions,
  closers: Closers,
): Promise<Omit<Parts, 'close'>> {
  const foundation = await openFoundation(config, options, closers);
  const relay = composeRelay(foundation);
  const services = await composeServices(foundation, relay, options, closers);
  const app = await openApp(foundation, relay, services, closers);
  const { clock, events, logger, sandbox, store, telegram } = foundation;
  const { audit, backup, backups, bots, counter, localKey, metrics } = services;

  const alerts = composeAlerts({
    config,
    clock,
    logger,
    store,
    telegram,
    relay,
    events,
    audit,
    backup,
  });
  closers.push(() => alerts.stop());
  const questions = composeQuestions({ ...foundation, relay });
  closers.push(() => questions.stop());
  const { gate } = app.relay;
  const onScheduled = relay.wakeScheduled;
  const scheduled = createScheduledMessages({ store, clock, events, onScheduled });
  const parts = { foundation, relay, services, alerts, scheduled, gate };
  const endpoints = { ...parts, questions: questions.service };
  for (const endpoint of composeEndpoints(endpoints)) {
    registerEndpoint(app, endpoint);
  }
  const { sender } = relay;
  const chatManagement = installChatManagement(app, {
    config,
    clock,
    logger,
    store,
    telegram,
    sender,
    events,
    scheduled,
    isFirstNode: relay.supervisor.nodes.isFirst,
    wakeSends: relay.wakeSends,
  });
  closers.push(() => chatManagement.stop());
  installMcp(app, { version, publicUrl: config.publicUrl, clock, vault: store.vault, audit });
  installHooks(app, foundation, relay, services);
  sandbox?.mount(app);
  if (!foundation.offline) {
    closers.push(runUntilClosed(counter.run));
    if (backups) closers.push(runUntilClosed(backups.run));
    closers.push(runUntilClosed(alerts.run));
    closers.push(runUntilClosed(questions.run));
  }
  return { clock, logger, store, bots, audit, relay, sandbox, app, metrics, localKey };
}

/** Creates the HTTP server without its endpoints. */
async function openApp(
  { clock, config, events, logger, store, telegram }: Foundation,
  relay: Relay,
  { apiKeys, audit, metrics, passwords, sessions, users }: Services,
  closers: Closers,
): Promise<FastifyInstance> {
  const app = await createApp({
    clock,
    logger,
    config,
    version,
    commandName: publicCommandName,
    apiKeys,
    users,
    sessions,
    setupLink: createSetupLink({ store, sessions, passwords, clock }),
    events,
    liveMetrics: relay.liveMetrics,
    metrics,
    audit,
    readiness: [
      { name: 'database', check: () => store.engine.ping() },
      { name: 'bots', check: async () => requireHealth(relay.supervisor.health()) },
    ],
    webFolder: path.join(packageRoot, 'web', 'dist'),
    docsFolder: path.join(packageRoot, 'docs'),
  });
  const closeApp = closerOf(app);
  // The relay ends first, so that waiting polls are answered and the app need not wait for them.
  closers.push(async () => {
    // A send that Telegram never answers ends as unknown; it must not delay the stop.
    const cancel = clock.after(sendTimeoutMs, () => void telegram.close());
    await Promise.all([relay.stop(), closeApp()]).finally(cancel);
  });
  return app;
}

/** Serves Telegram, backends and clients of the Bot API. */
function installHooks(
  app: FastifyInstance,
  foundation: Foundation,
  relay: Relay,
  { apps, audit, bots }: Services,
): void {
  const { config, logger, store } = foundation;
  const { pacer, pullers, pushers, sender, supervisor, whileDrained } = relay;
  installTelegramHook(app, supervisor.intake);
  installBackendHook(app, { store, sender, logger });
  installGateway(app, {
    ...foundation,
    ...webhookChanges({ audit, bots, apps }),
    pacer,
    pullers,
    sender,
    pushConnections: config.push.maxConnections,
    dropPush: (botId) =>
      whileDrained([{ botId, reader: pushReader }], () => pushers.dropPending(botId)),
  });
}

/** Starts a task that runs until its signal aborts; returns a function that ends it. */
function runUntilClosed(run: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const shutdown = new AbortController();
  const ended = run(shutdown.signal);
  return () => {
    shutdown.abort(new Error('the service stops'));
    return ended;
  };
}

function requireHealth({ ok, reason }: { ok: boolean; reason: string }): void {
  if (!ok) throw new Error(reason);
}

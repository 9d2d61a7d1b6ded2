import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createIdleRunner } from '../core/idle-runner.ts';
import { createPasswords, type Passwords } from '../core/passwords.ts';
import { botEndpoints } from '../http/api/bots.ts';
import { messageEndpoints } from '../http/api/messages.ts';
import { routeEndpoints } from '../http/api/routes.ts';
import { tagEndpoints } from '../http/api/tags.ts';
import { createApp } from '../http/app.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { registerEndpoint } from '../http/register-endpoint.ts';
import { createLogger, type Logger } from '../logger.ts';
import { createApiKeys } from '../manage/api-keys.ts';
import { type BotService, createBotService } from '../manage/bots.ts';
import { createSetupLink } from '../manage/first-access.ts';
import { createMessageService } from '../manage/messages.ts';
import { createRouteService } from '../manage/routes.ts';
import { unlockVault } from '../manage/secrets.ts';
import { createSessions } from '../manage/sessions.ts';
import { createSignInGuard } from '../manage/sign-in-guard.ts';
import { createTagService } from '../manage/tags.ts';
import { createUsers } from '../manage/users.ts';
import { createStore, type Store } from '../store/store.ts';
import { createTelegramClient } from '../telegram/client.ts';
import { createDirectSender } from '../telegram/direct-sender.ts';
import { version } from '../version.ts';
import { createEventBus } from './event-bus.ts';
import { withLocalKey } from './local-access.ts';
import { openEngine } from './open-engine.ts';
import { type EmbeddedSandbox, embedSandbox } from './sandbox.ts';

export interface ComposeOptions {
  clock?: Clock;
  logger?: Logger;
  /** Hashing passwords costs a lot on purpose; tests may bring a cheap way. */
  passwords?: Passwords;
  /** Without a port of its own and without running bots, for one command. */
  offline?: boolean;
}

/** Everything put together; nothing listens and nothing runs yet. */
export interface Parts {
  clock: Clock;
  logger: Logger;
  store: Store;
  bots: BotService;
  sandbox: EmbeddedSandbox | undefined;
  app: FastifyInstance;
  metrics: Metrics;
  localKey: string;
  close(): Promise<void>;
}

export async function compose(config: Config, options: ComposeOptions = {}): Promise<Parts> {
  const closers: (() => Promise<void>)[] = [];
  // In the reverse order, and each of them whatever happens to the others.
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

async function build(
  config: Config,
  options: ComposeOptions,
  closers: (() => Promise<void>)[],
): Promise<Omit<Parts, 'close'>> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger({ level: config.logLevel });

  const engine = await openEngine(config);
  closers.push(() => engine.close());
  const { vault } = await unlockVault(engine, config);
  const store = createStore(engine, vault);

  const sandbox = config.sandbox
    ? await embedSandbox(config, { ownPort: options.offline === true })
    : undefined;
  if (sandbox) closers.push(() => sandbox.close());
  const telegram = createTelegramClient({
    clock,
    baseUrlFor: (token) => sandbox?.baseUrlFor(token) ?? config.telegramApiUrl,
  });
  closers.push(() => telegram.close());

  const events = createEventBus((error) => logger.error({ err: error }, 'a listener failed'));
  const runner = createIdleRunner();
  const sender = createDirectSender({
    telegram,
    botOf: (id) => store.bots.get(id),
    // The message service stores what it sent.
    remember: async () => {},
  });

  const passwords = options.passwords ?? createPasswords();
  const guard = createSignInGuard({ clock });
  const lifetimeMs = config.sessionLifetimeMs;
  const sessions = createSessions({ store, clock, passwords, guard, lifetimeMs });
  const { apiKeys, localKey } = withLocalKey(createApiKeys({ store, clock }));
  const bots = createBotService({ store, telegram, runner, clock, config, events });
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
    events,
    metrics,
    readiness: [{ name: 'the database', check: () => engine.ping() }],
    webFolder: fileURLToPath(new URL('../../web/dist', import.meta.url)),
  });
  closers.push(async () => {
    await app.close();
  });
  const endpoints = [
    ...botEndpoints({ bots }),
    ...routeEndpoints({ routes: createRouteService({ store, clock, events }) }),
    ...messageEndpoints({ messages: createMessageService({ store, sender, clock }) }),
    ...tagEndpoints({ tags: createTagService({ store, clock }) }),
  ];
  for (const endpoint of endpoints) registerEndpoint(app, endpoint);
  sandbox?.mount(app);
  return { clock, logger, store, bots, sandbox, app, metrics, localKey };
}

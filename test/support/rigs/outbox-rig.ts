import { createTestEvents } from './test-events.ts';
import { alertAuthor } from '../../../src/core/messages/author.ts';
import { systemClock } from '../../../src/clock.ts';
import type { SendRequest } from '../../../src/core/ports.ts';
import { createVault } from '../../../src/core/access/vault.ts';
import { createInFlight } from '../../../src/relay/outbox/in-flight.ts';
import { createSendRateLimiter } from '../../../src/relay/outbox/rate-limiter.ts';
import { createChatQueues } from '../../../src/relay/outbox/chat-queues.ts';
import { createOutboxWorkers, type WorkerDeps } from '../../../src/relay/outbox/worker.ts';
import { createSandbox } from '../../../sandbox/src/index.ts';
import { createBotRepository } from '../../../src/store/bots/bots.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { createOutboxRepository, type OutboxIntent } from '../../../src/store/outbox/outbox.ts';
import { createTelegramClient } from '../../../src/telegram/client.ts';
import { createDatabase } from '../database/engines.ts';
import { watchEngine } from '../database/watched-engine.ts';
import { advanceUntil, createManualClock } from '../manual-clock.ts';
import { watchTelegram } from './watched-telegram.ts';

export type OutboxRig = Awaited<ReturnType<typeof createOutboxRig>>;

/** The outbox of the node `this`, with a bot in the sandbox to which one person has written. */
export async function createOutboxRig(dialect: DialectName) {
  const database = await createDatabase(dialect);
  const { engine, isBusy } = watchEngine(await database.open());
  const sandbox = createSandbox({ seed: 1 });
  const platform = { url: (await sandbox.listen()).url };
  const client = createTelegramClient({ baseUrlFor: () => platform.url, clock: systemClock });
  const { telegram, isBusy: isCalling } = watchTelegram(client);
  const clock = createManualClock();
  const outbox = createOutboxRepository(engine);
  const bots = createBotRepository(
    engine,
    createVault(['a master key of at least thirty-two characters']),
  );
  const practice = sandbox.createBot({ first_name: 'Desk' });
  const record = await bots.insert({ token: practice.token, source: 'web' }, clock.now());
  const bot = { id: record.id, platformId: practice.id };
  const texts: (string | undefined)[] = [];
  sandbox.onChange((change) => {
    if (change.type !== 'message_added' || change.message.from?.id !== practice.id) return;
    texts.push(change.message.text);
  });
  const rateLimiter = createSendRateLimiter(() => clock.monotonic());
  const events = createTestEvents(clock);
  const deps: WorkerDeps = {
    clock,
    node: () => 'this',
    outbox,
    bots,
    telegram,
    chatQueues: createChatQueues(clock, rateLimiter),
    inFlight: createInFlight({ clock, events }),
    events,
  };
  const dead: string[] = [];
  const nodes = { known: () => ['this', 'that'], dead: () => dead };
  const fail = (error: unknown) => {
    throw error;
  };
  const workers = createOutboxWorkers(deps, {
    random: () => 0.5,
    giveUpAfterMs: 3_600_000,
    onError: fail,
    nodes,
  });

  /** Somebody new who has written to the bot. */
  function newChat(name: string): number {
    const user = sandbox.createUser({ first_name: name });
    sandbox.say(user.id, bot.platformId, '/start');
    return user.id;
  }
  const chatId = newChat('Ann');

  const request = (text: string): SendRequest => ({
    botId: bot.id,
    method: 'sendMessage',
    params: { chat_id: chatId, text },
    chatId,
    priority: 'interactive',
    origin: 'sent',
    author: alertAuthor,
  });
  const intent = (text: string, intentKey: string | null = null): OutboxIntent => ({
    botId: bot.id,
    chatId,
    method: 'sendMessage',
    params: { chat_id: chatId, text },
    origin: 'routed',
    intentKey,
    priority: 'bulk',
    author: alertAuthor,
  });

  return {
    database,
    engine,
    sandbox,
    platform,
    telegram,
    clock,
    outbox,
    bots,
    bot,
    chatId,
    deps,
    rateLimiter,
    workers,
    /** Nodes that show no life. */
    dead,
    nodes,
    fail,
    newChat,
    request,
    intent,
    intentFor: (chat: number, text: string): OutboxIntent => ({
      ...intent(text),
      chatId: chat,
      params: { chat_id: chat, text },
    }),
    /** The messages of the bot, in order. */
    arrived: () => texts,
    states: async () =>
      (await outbox.list({ botIds: null, limit: 50 })).map((row) => row.state).reverse(),
    stored: () =>
      engine.readRaw<{ text: string; origin: string }>(
        'select text, origin from messages order by id',
      ),
    /** Time does not move while the platform or the database is asked, so that neither seems slow. */
    until: (condition: () => Promise<boolean> | boolean, stepMs = 50) =>
      advanceUntil(clock, condition, () => (isCalling() || isBusy() ? 0 : stepMs)),
    async close() {
      await workers.stopAll();
      await telegram.close();
      await sandbox.close();
      await engine.close();
      await database.drop();
    },
  };
}

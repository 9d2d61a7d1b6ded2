import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createVault } from '../../../src/core/access/vault.ts';
import { createSendRateLimiter } from '../../../src/relay/outbox/rate-limiter.ts';
import { createSharedLimits } from '../../../src/relay/outbox/shared-limits.ts';
import { createChatQueues, type ChatQueues } from '../../../src/relay/outbox/chat-queues.ts';
import { createBotRepository } from '../../../src/store/bots/bots.ts';
import { type Engine, raw } from '../../../src/store/engine.ts';
import { createSendLimitRepository } from '../../../src/store/outbox/send-limits.ts';
import { createDatabase, type Database } from '../../support/database/engines.ts';

const method = 'sendMessage';
const limits = {
  bot: { intervalMs: 50, burst: 10 },
  privateChat: { intervalMs: 1_000, burst: 2 },
  group: { intervalMs: 60_000, burst: 5 },
};

describe('sending limits of several nodes', () => {
  let database: Database;
  let engines: Engine[] = [];
  let nodes: ChatQueues[] = [];
  let botId = 0;

  beforeEach(async () => {
    database = await createDatabase('postgres');
    engines = await Promise.all([1, 2, 3].map(() => database.open()));
    nodes = engines.map((engine) => {
      const rateLimiter = createSendRateLimiter(() => systemClock.monotonic(), limits);
      const shared = createSharedLimits(createSendLimitRepository(engine), rateLimiter, limits);
      return createChatQueues(systemClock, rateLimiter, shared);
    });
    const vault = createVault(['a master key of at least thirty-two characters']);
    const [engine] = engines;
    if (!engine) throw new Error('no engine');
    const bots = createBotRepository(engine, vault);
    ({ id: botId } = await bots.insert({ token: '1:a', source: 'web' }, Date.now()));
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await database.drop();
  });

  const isRefused = { status: 'rejected', reason: { code: 'rate_limited' } };

  it('hold for a bot, however many nodes send through it', async () => {
    const startedAt = systemClock.monotonic();
    const grantedAt: number[] = [];
    await Promise.all(
      nodes.flatMap((queues, node) =>
        Array.from({ length: 10 }, async (_, index) => {
          const chatId = 1 + node * 100 + index;
          await queues.next({ botId, chatId, method, priority: 'bulk' });
          grantedAt.push(systemClock.monotonic() - startedAt);
        }),
      ),
    );
    // Ten at once, then one every 50 ms: the last of thirty after a second.
    expect(grantedAt).toHaveLength(30);
    for (const [index, atMs] of grantedAt.entries()) {
      expect(atMs).toBeGreaterThanOrEqual((index - 9) * 50 - 10);
    }
  });

  it('hold for a group, and let a burst go from any single node', async () => {
    const send = async (node: ChatQueues | undefined, maxWaitMs: number) =>
      node?.next({ botId, chatId: -7, method, priority: 'interactive', maxWaitMs });
    const [one, two, three] = nodes;
    await Promise.all(Array.from({ length: 5 }, () => send(one, 30_000)));
    const others = await Promise.allSettled([send(two, 500), send(three, 500), send(one, 500)]);
    expect(others).toMatchObject([isRefused, isRefused, isRefused]);
  });

  it('hold back all nodes after the platform refused one', async () => {
    const [one, two, three] = nodes;
    await one?.refused({ botId, chatId: 7, method }, { retryAfterSeconds: 600, isOwn: true });
    const request = { botId, chatId: 7, method, priority: 'interactive', maxWaitMs: 500 } as const;
    const others = await Promise.allSettled([two?.next(request), three?.next(request)]);
    expect(others).toMatchObject([isRefused, isRefused]);
    await two?.next({ botId, chatId: 9, method, priority: 'bulk' });
  });

  it('count what went out through the gateway of another node', async () => {
    const [one, two] = nodes;
    for (let sent = 0; sent < 60; sent++) one?.passed({ botId, chatId: -7, method });
    await one?.next({ botId, chatId: 8, method, priority: 'bulk' });
    const late = two?.next({ botId, chatId: -7, method, priority: 'interactive', maxWaitMs: 500 });
    await expect(late).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('count an answer streamed by edits and drafts on another node apart from messages', async () => {
    const [one, two] = nodes;
    for (let sent = 0; sent < 60; sent++) {
      one?.passed({ botId, chatId: 7, method: 'editMessageText' });
      one?.passed({ botId, chatId: 7, method: 'sendMessageDraft' });
    }
    const request = { botId, chatId: 7, priority: 'interactive', maxWaitMs: 500 } as const;
    // Behind what the first node writes.
    await one?.next({ botId, chatId: 8, method: 'editMessageText', priority: 'bulk' });
    await two?.next({ ...request, method });
    const edit = two?.next({ ...request, method: 'editMessageText' });
    await expect(edit).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('do not stop all sending when the clock of the database is set back', async () => {
    const [engine] = engines;
    const [one] = nodes;
    await one?.next({ botId, chatId: 7, method, priority: 'bulk' });
    // As if the stored times were an hour ahead.
    await engine?.write(function* () {
      yield {
        sql: `update send_limits set empty_at = empty_at + 3600000, updated_at = updated_at + 3600000,
          slowed_at = slowed_at + 3600000`,
        parameters: [],
      };
    });
    const next = one?.next({
      botId,
      chatId: 7,
      method,
      priority: 'interactive',
      maxWaitMs: 30_000,
    });
    await expect(next).resolves.toBeTypeOf('number');
  });

  it('give way to those of the node when they are locked, and hold up nothing else', async () => {
    const [engine] = engines as [Engine];
    const [one] = nodes as [ChatQueues];
    const frozen = new pg.Client({ connectionString: database.databaseUrl });
    await frozen.connect();
    try {
      await frozen.query('begin; lock table send_limits');
      const sends = Array.from({ length: 10 }, (_, index) =>
        one.next({ botId: botId + index, chatId: 7, method, priority: 'bulk' }),
      );
      const beat = engine.reserved.write(() => raw('select 1 as one'), { deadlineMs: 10_000 });
      const first = await Promise.race([beat, ...sends.map((send) => send.then(() => 'sent'))]);
      expect(first).toEqual([{ one: 1 }]);
      await Promise.all(sends);
    } finally {
      await frozen.end();
    }
  });

  it('fail those who wait when the database is away', async () => {
    const [engine] = engines;
    const [one] = nodes;
    await engine?.close();
    engines.shift();
    await expect(one?.next({ botId, chatId: 7, method, priority: 'bulk' })).rejects.toThrow();
  });
});

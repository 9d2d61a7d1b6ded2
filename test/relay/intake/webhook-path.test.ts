import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installErrorHandler } from '../../../src/http/error-handler.ts';
import { installTelegramHook } from '../../../src/http/hooks/telegram.ts';
import { createLogger } from '../../../src/logger.ts';
import { createSandbox, type Sandbox } from '../../../sandbox/src/index.ts';
import { createDatabase, type Database, dialects } from '../../support/database/engines.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { type RelayNode, startRelayNode } from '../../support/rigs/relay-node.ts';

describe.each(dialects)('the path that the platform calls, on %s', (dialect) => {
  let database: Database;
  let sandbox: Sandbox;
  let node: RelayNode;
  let app: FastifyInstance;
  let limited = 0;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    sandbox = createSandbox({ seed: 11 });
    const platformUrl = (await sandbox.listen()).url;
    // No time passes: the node does not look for bots, and makes no secret of its own for them.
    const clock = createManualClock(Date.now());
    node = await startRelayNode({ database, platformUrl, webhooks: true, clock });
    app = Fastify();
    limited = 0;
    app.decorate('relay', {
      gate: { limitAddress: () => limited++ },
    } as unknown as FastifyInstance['relay']);
    installErrorHandler(app, createLogger({ level: 'silent' }));
    installTelegramHook(app, node.supervisor.intake);
    await app.ready();
  });
  afterEach(async () => {
    await app.close();
    await node.stop();
    await sandbox.close();
    await database.drop();
  });

  async function addBot(): Promise<{ id: number }> {
    const { token } = sandbox.createBot();
    return node.store.bots.insert({ token, source: 'web', webhook_mode: true }, Date.now());
  }
  const post = (botId: number | string, secret: string, payload: string) =>
    app.inject({
      method: 'POST',
      url: `/hooks/telegram/${botId}`,
      headers: {
        'content-type': 'application/json',
        'x-telegram-bot-api-secret-token': secret,
      },
      payload,
    });

  it('answers 200 only for what is on disk, to the byte', async () => {
    const bot = await addBot();
    await node.runtime.makeHookSecret(bot.id, 'the-secret');
    const raw = '{ "update_id":77, "big": 12345678901234567890 }';
    expect((await post(bot.id, 'the-secret', raw)).statusCode).toBe(200);
    expect((await post(bot.id, 'the-secret', raw)).statusCode).toBe(200);
    const entries = await node.store.log.read(bot.id, 0, 10);
    expect(entries.map((entry) => entry.raw)).toEqual([raw]);
    expect(limited).toBe(0);
  });

  it('refuses a wrong secret, an unknown bot and what is no update', async () => {
    const bot = await addBot();
    const bare = await addBot();
    await node.runtime.makeHookSecret(bot.id, 'the-secret');
    expect((await post(bot.id, 'the-secreT', '{"update_id":1}')).statusCode).toBe(401);
    expect((await post(bot.id, '', '{"update_id":1}')).statusCode).toBe(401);
    expect((await post(bare.id, '', '{"update_id":1}')).statusCode).toBe(401);
    expect((await post(999, 'the-secret', '{"update_id":1}')).statusCode).toBe(401);
    expect((await post('x', 'the-secret', '{"update_id":1}')).statusCode).toBe(401);
    expect(limited).toBe(5);
    expect((await post(bot.id, 'the-secret', '[1]')).statusCode).toBe(400);
    expect((await post(bot.id, 'the-secret', '{"upd')).statusCode).toBe(400);
    expect((await post(bot.id, 'the-secret', '{"update_id":-5}')).statusCode).toBe(400);
    expect(await node.store.log.read(bot.id, 0, 10)).toEqual([]);
  });

  it('reads nothing of what comes without the secret', async () => {
    const bot = await addBot();
    await node.runtime.makeHookSecret(bot.id, 'the-secret');
    const huge = 'x'.repeat(5 * 1024 * 1024);
    expect((await post(bot.id, 'the-secret', huge)).statusCode).toBe(413);
    expect((await post(bot.id, 'a guess', huge)).statusCode).toBe(401);
    expect(limited).toBe(1);
  });

  it('does not take what it cannot store, so that the platform comes again', async () => {
    const bot = await addBot();
    await node.runtime.makeHookSecret(bot.id, 'the-secret');
    await node.engine.write(function* () {
      yield { sql: 'alter table log rename to log_away', parameters: [] };
    });
    expect((await post(bot.id, 'the-secret', '{"update_id":1}')).statusCode).toBe(500);
    await node.engine.write(function* () {
      yield { sql: 'alter table log_away rename to log', parameters: [] };
    });
    expect((await post(bot.id, 'the-secret', '{"update_id":1}')).statusCode).toBe(200);
  });

  it('takes nothing for a disabled bot', async () => {
    const bot = await addBot();
    await node.runtime.makeHookSecret(bot.id, 'the-secret');
    await node.store.bots.toggle(bot.id, Date.now());
    expect((await post(bot.id, 'the-secret', '{"update_id":1}')).statusCode).toBe(409);
  });
});

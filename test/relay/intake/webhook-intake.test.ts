import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../../sandbox/src/index.ts';
import { createDatabase, type Database, dialects } from '../../support/database/engines.ts';
import { advanceUntil, createManualClock } from '../../support/manual-clock.ts';
import {
  type RelayNode,
  type RelayNodeOptions,
  startRelayNode,
} from '../../support/rigs/relay-node.ts';

const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 5 });

describe.each(dialects)('webhook mode on %s', (dialect) => {
  let database: Database;
  let sandbox: Sandbox;
  let platformUrl: string;
  let node: RelayNode;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    sandbox = createSandbox({ seed: 11 });
    platformUrl = (await sandbox.listen()).url;
  });
  afterEach(async () => {
    await node.stop();
    await sandbox.close();
    await database.drop();
  });

  async function start(more: Partial<RelayNodeOptions> = {}): Promise<void> {
    // Calls to the platform have all the time they need.
    const telegramClock = createManualClock();
    node = await startRelayNode({ database, platformUrl, webhooks: true, telegramClock, ...more });
  }
  async function addBot(webhook_mode: boolean) {
    const platform = sandbox.createBot();
    const bot = await node.store.bots.insert(
      { token: platform.token, source: 'web', webhook_mode },
      Date.now(),
    );
    return { id: bot.id, platform };
  }
  const status = async (botId: number) => (await node.supervisor.statusOf([botId])).get(botId);
  const texts = async (botId: number) =>
    (await node.store.log.read(botId, 0, 1_000)).map(
      (entry) => (JSON.parse(entry.raw) as { message?: { text?: string } }).message?.text,
    );
  /** A start that takes longer than half a second continues in the background. */
  const run = async (botId: number) => {
    await node.supervisor.apply(botId);
    await until(async () => expect(await status(botId)).toMatchObject({ running: true }));
  };
  const change = async (botId: number, webhook_mode: boolean) => {
    await node.store.bots.update(botId, { webhook_mode }, Date.now());
    await run(botId);
  };

  it('registers with a secret of its own and stores what is posted', async () => {
    await start();
    const bot = await addBot(true);
    await run(bot.id);
    expect(await status(bot.id)).toMatchObject({ lastError: '' });
    const webhook = bot.platform.webhook;
    expect(webhook?.url).toBe(`${node.hookUrl}/hooks/telegram/${bot.id}`);
    expect(webhook?.secretToken).toMatch(/^[\w-]{43}$/);
    expect(bot.platform.allowedUpdates).toContain('chat_member');
    const stored = await node.engine.readRaw<{ sealed: string }>(
      'select hook_secret_sealed as sealed from bot_runtime where bot_id = $1',
      [bot.id],
    );
    expect(stored[0]?.sealed).not.toContain(webhook?.secretToken ?? 'missing');

    const ann = sandbox.createUser();
    sandbox.say(ann.id, bot.platform.id, 'one');
    sandbox.say(ann.id, bot.platform.id, 'two');
    await until(async () => expect(await texts(bot.id)).toEqual(['one', 'two']));
    await until(() => expect(bot.platform.updates.size).toBe(0));
  });

  it('loses and doubles nothing when the mode is switched back and forth under load', async () => {
    await start();
    const bot = await addBot(false);
    await node.supervisor.apply(bot.id);
    const people = Array.from({ length: 5 }, () => sandbox.createUser());
    const sentTexts: string[] = [];
    let isTalking = true;
    const talk = (async () => {
      for (let index = 0; isTalking; index++) {
        const text = `m${index}`;
        sentTexts.push(text);
        sandbox.say(people[index % people.length]?.id ?? 0, bot.platform.id, text);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    for (const webhookMode of [true, false, true, false]) {
      await change(bot.id, webhookMode);
      const before = sentTexts.length;
      await until(() => expect(sentTexts.length).toBeGreaterThan(before + 20));
    }
    isTalking = false;
    await talk;
    await until(async () => expect((await texts(bot.id)).length).toBe(sentTexts.length));
    expect((await texts(bot.id)).sort()).toEqual([...sentTexts].sort());
    expect(bot.platform.webhook).toBeUndefined();
  });

  it('takes the webhook back when the bot is disabled, keeping what is pending', async () => {
    await start();
    const bot = await addBot(true);
    await run(bot.id);
    const before = bot.platform.webhook?.secretToken;
    await node.store.bots.toggle(bot.id, Date.now());
    await node.supervisor.apply(bot.id);
    expect(bot.platform.webhook).toBeUndefined();
    expect(await status(bot.id)).toMatchObject({ running: false });
    sandbox.say(sandbox.createUser().id, bot.platform.id, 'pending');
    expect(bot.platform.updates.size).toBe(1);
    expect(await node.supervisor.intake.receive(bot.id, before ?? '', '{"update_id":1}')).toBe(
      'refused',
    );
    await node.store.bots.toggle(bot.id, Date.now());
    await node.supervisor.apply(bot.id);
    await until(async () => expect(await texts(bot.id)).toEqual(['pending']));
    expect(bot.platform.webhook?.secretToken).not.toBe(before);
  });

  it('stops a disabled bot within a second, though the platform does not answer', async () => {
    const clock = createManualClock(Date.now());
    await start({ clock, telegramClock: clock, singleNode: true });
    const bot = await addBot(true);
    await run(bot.id);
    const { hookUrl } = node;
    const secret = bot.platform.webhook?.secretToken ?? '';
    sandbox.fault({ kind: 'slow', delayMs: 60_000, botId: bot.platform.id });
    await node.store.bots.toggle(bot.id, Date.now());
    const applied = node.supervisor.apply(bot.id);
    // No time passes, so it waits for no answer.
    await until(async () => expect(await status(bot.id)).toMatchObject({ running: false }));
    const answer = await fetch(`${hookUrl}/${bot.id}`, {
      method: 'POST',
      headers: { 'x-telegram-bot-api-secret-token': secret },
      body: '{"update_id":1}',
    });
    expect(await answer.text()).toBe('paused');
    let isApplied = false;
    void applied.then(() => {
      isApplied = true;
    });
    await advanceUntil(clock, () => isApplied, 500);
    expect(await status(bot.id)).toMatchObject({
      running: false,
      lastError: expect.stringContaining('webhook could not be removed') as string,
    });
  });

  it.each(['disabled', 'retired'])(
    "leaves someone else's webhook when the bot is %s",
    async (how) => {
      await start();
      const bot = await addBot(true);
      await run(bot.id);
      const url = 'https://elsewhere.example/hook';
      await sandbox.call(bot.platform.token, 'setWebhook', { url });
      const before = await node.runtime.hookGuard(bot.id);
      if (how === 'retired') await node.supervisor.retire(bot.id);
      else {
        await node.store.bots.toggle(bot.id, Date.now());
        await node.supervisor.apply(bot.id);
      }
      expect(bot.platform.webhook?.url).toBe(url);
      expect(await status(bot.id)).toMatchObject({ running: false, lastError: '' });
      const late = node.supervisor.intake.receive(bot.id, before?.secret ?? '', '{"update_id":1}');
      expect(await late).toBe('refused');
    },
  );

  it('takes the webhook back when the bot is retired', async () => {
    await start();
    const bot = await addBot(true);
    await run(bot.id);
    await node.supervisor.retire(bot.id);
    expect(bot.platform.webhook).toBeUndefined();
  });

  it.each(['a new', 'no'])('takes the webhook back under %s public address', async (which) => {
    await start();
    const bot = await addBot(true);
    const moved = await addBot(true);
    await run(bot.id);
    await run(moved.id);
    const before = bot.platform.webhook?.url;
    for (const { id } of [bot, moved]) await node.store.bots.toggle(id, Date.now());
    await node.stop();
    expect(bot.platform.webhook?.url).toBe(before);
    // Another relay, where the bot has the same number.
    const url = `https://elsewhere.example/hooks/telegram/${moved.id}`;
    await sandbox.call(moved.platform.token, 'setWebhook', { url });

    await start({ webhooks: which === 'a new', publicPath: '/moved' });
    await node.supervisor.apply(bot.id);
    await node.supervisor.apply(moved.id);
    expect(bot.platform.webhook).toBeUndefined();
    expect(moved.platform.webhook?.url).toBe(url);
    for (const { id } of [bot, moved]) {
      expect(await node.runtime.registeredHook(id)).toBeUndefined();
    }
  });

  it('does not take its own webhook at an earlier address for that of someone else', async () => {
    await start();
    const bot = await addBot(true);
    await run(bot.id);
    await node.store.bots.update(bot.id, { webhook_mode: false }, Date.now());
    await node.stop();
    expect(bot.platform.webhook).toBeDefined();
    await start({ publicPath: '/moved' });
    await node.supervisor.apply(bot.id);
    await until(() => expect(bot.platform.webhook).toBeUndefined());
    await until(async () =>
      expect(await status(bot.id)).toMatchObject({ running: true, lastError: '' }),
    );
    expect(await node.runtime.previousWebhook(bot.id)).toBeUndefined();
  });

  it("removes someone else's webhook of a polled bot and remembers it", async () => {
    await start();
    const bot = await addBot(false);
    const url = `https://elsewhere.example/hook/${bot.platform.token}`;
    await sandbox.call(bot.platform.token, 'setWebhook', { url, max_connections: 7 });
    sandbox.say(sandbox.createUser().id, bot.platform.id, 'held back');
    expect(bot.platform.webhook).toBeDefined();
    await node.supervisor.apply(bot.id);
    await until(async () => expect(await texts(bot.id)).toEqual(['held back']));
    expect(bot.platform.webhook).toBeUndefined();
    await until(async () => expect((await status(bot.id))?.running).toBe(true));
    const lastError = (await status(bot.id))?.lastError;
    expect(lastError).toContain('https://elsewhere.example');
    expect(lastError).not.toContain(bot.platform.token);
    const kept = await node.runtime.previousWebhook(bot.id);
    expect(kept).toMatchObject({ url, max_connections: 7 });
    expect(kept?.removed_at).toBeGreaterThan(Date.now() - 60_000);
  });

  it("remembers someone else's webhook when it sets its own, at first and after a restart", async () => {
    await start();
    const bot = await addBot(true);
    const { token } = bot.platform;
    const elsewhere = (path: string) => `https://elsewhere.example/${path}`;
    const kept = () => node.runtime.previousWebhook(bot.id);
    await sandbox.call(token, 'setWebhook', { url: elsewhere('first'), max_connections: 7 });
    await run(bot.id);
    expect(bot.platform.webhook?.url).toBe(`${node.hookUrl}/hooks/telegram/${bot.id}`);
    expect(await kept()).toMatchObject({ url: elsewhere('first'), max_connections: 7 });
    expect((await status(bot.id))?.lastError).toContain('https://elsewhere.example');
    await node.stop();
    await sandbox.call(token, 'setWebhook', { url: elsewhere('second') });
    await start();
    await run(bot.id);
    await until(() => expect(bot.platform.webhook?.url).toContain(node.hookUrl));
    expect(await kept()).toMatchObject({ url: elsewhere('second') });
  });

  it("remembers someone else's webhook that is set meanwhile, unless it knows one", async () => {
    const clock = createManualClock(Date.now());
    await start({ clock, telegramClock: clock, singleNode: true });
    const bot = await addBot(true);
    await run(bot.id);
    expect(await node.runtime.previousWebhook(bot.id)).toBeUndefined();
    for (const path of ['first', 'second']) {
      const url = `https://elsewhere.example/${path}`;
      await sandbox.call(bot.platform.token, 'setWebhook', { url });
      const isBack = () => bot.platform.webhook?.url.startsWith(node.hookUrl) === true;
      await advanceUntil(clock, isBack, 60_000);
      expect((await node.runtime.previousWebhook(bot.id))?.url).toMatch(/first$/);
    }
  });

  it('does not take its own webhook, left behind by a crash, for that of someone else', async () => {
    await start();
    const bot = await addBot(false);
    const url = `${node.hookUrl}/hooks/telegram/${bot.id}`;
    await sandbox.call(bot.platform.token, 'setWebhook', { url });
    await node.supervisor.apply(bot.id);
    await until(() => expect(bot.platform.webhook).toBeUndefined());
    await until(async () =>
      expect(await status(bot.id)).toMatchObject({ running: true, lastError: '' }),
    );
    expect(await node.runtime.previousWebhook(bot.id)).toBeUndefined();
  });

  it('gives one secret to runs that register at the same time', async () => {
    await start();
    const bot = await addBot(true);
    const made = await Promise.all(
      ['one', 'two', 'three'].map((fresh) => node.runtime.makeHookSecret(bot.id, fresh)),
    );
    const { secret } = (await node.runtime.hookGuard(bot.id)) ?? {};
    expect(made).toEqual([secret, secret, secret]);
    await node.runtime.removeHookSecret(bot.id);
    expect(await node.runtime.makeHookSecret(bot.id, 'four')).toBe('four');
  });

  it('registers again when the platform calls with another secret than is stored', async () => {
    const clock = createManualClock(Date.now());
    await start({ clock, singleNode: true });
    const bot = await addBot(true);
    await run(bot.id);
    const { webhook } = bot.platform;
    const secret = webhook?.secretToken;
    if (webhook) webhook.secretToken = 'another';
    sandbox.say(sandbox.createUser().id, bot.platform.id, 'refused at first');
    await until(() => expect(bot.platform.webhook?.lastErrorMessage).toMatch(/401/));
    if (webhook) webhook.lastErrorDate = Math.floor(clock.now() / 1000) + 300;
    await clock.advance(400_000);
    await until(() => expect(bot.platform.webhook?.secretToken).toBe(secret));
    await until(async () => expect(await texts(bot.id)).toEqual(['refused at first']));
  });

  it('asks for every kind again when someone else asked for fewer', async () => {
    const clock = createManualClock(Date.now());
    await start({ clock, singleNode: true });
    const bot = await addBot(true);
    await run(bot.id);
    bot.platform.allowedUpdates = ['message'];
    await clock.advance(400_000);
    await until(() => expect(bot.platform.allowedUpdates).toContain('chat_member'));
  });

  it('asks an older server once for the kinds that it does not know', async () => {
    const clock = createManualClock(Date.now());
    await start({ clock, singleNode: true });
    const bot = await addBot(true);
    await run(bot.id);
    const known = ['message', 'callback_query'];
    let allowed = known;
    let asked = 0;
    let looks = 0;
    let looksSinceAsked = 0;
    Object.defineProperty(bot.platform, 'allowedUpdates', {
      get() {
        looks++;
        looksSinceAsked++;
        return allowed;
      },
      set() {
        asked++;
        looksSinceAsked = 0;
        allowed = known;
      },
    });
    const look = async () => {
      const before = looks;
      await clock.advance(400_000);
      await until(() => expect(looks).toBeGreaterThan(before));
    };
    /** Where the relay asks for kinds, it looks once more at what it got; setWebhook itself looks once. */
    const lookAndAsk = async (times: number) => {
      await look();
      await until(() => expect(asked).toBe(times));
      await until(() => expect(looksSinceAsked).toBeGreaterThan(1));
    };
    await lookAndAsk(1);
    await look();
    await look();
    expect(asked).toBe(1);
    // Someone else who asks for fewer is noticed each time.
    for (const times of [2, 3]) {
      allowed = ['message'];
      await lookAndAsk(times);
      expect(allowed).toBe(known);
    }
  });

  it('puts its webhook back when someone else changed it, and passes complaints on', async () => {
    const clock = createManualClock(Date.now());
    await start({ clock, singleNode: true });
    const bot = await addBot(true);
    await run(bot.id);
    await sandbox.call(bot.platform.token, 'deleteWebhook');
    await clock.advance(400_000);
    await until(() => expect(bot.platform.webhook?.url).toContain(`/hooks/telegram/${bot.id}`));
    await until(async () =>
      expect((await status(bot.id))?.lastError).toMatch(/removed this bot's webhook/),
    );
    const { webhook } = bot.platform;
    if (webhook) {
      webhook.lastErrorDate = Math.floor(clock.now() / 1000) + 300;
      webhook.lastErrorMessage = 'Connection timed out';
    }
    await clock.advance(400_000);
    await until(async () =>
      expect((await status(bot.id))?.lastError).toMatch(/Connection timed out/),
    );
    expect(await status(bot.id)).toMatchObject({ running: true });
  });

  it('says what is missing when it has no public address', async () => {
    await start({ webhooks: false });
    const bot = await addBot(true);
    await node.supervisor.apply(bot.id);
    await until(async () => expect((await status(bot.id))?.lastError).toMatch(/RELAY_PUBLIC_URL/));
    expect((await status(bot.id))?.running).toBe(false);
  });
});

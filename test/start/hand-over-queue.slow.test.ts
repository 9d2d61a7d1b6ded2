import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { busyGatherMs, gatherMs } from '../../src/relay/delivery/commit-writer.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { askService } from '../support/ask-service.ts';
import { behindProxy, type CuttableProxy } from '../support/database/cuttable-proxy.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { callBot } from './support/call-bot.ts';
import { startBackend, type Update } from './support/recording-backend.ts';

interface Reader {
  reader: string;
  behind: number;
}

const until = (check: () => Promise<unknown>) => vi.waitFor(check, { interval: 10 });

type Step = 'say' | 'webhook' | 'delete' | 'poll' | 'poll one' | 'drop';

/*
 * At Telegram a webhook and getUpdates take from one queue. Through the gateway it looks the same,
 * whichever node answers.
 */
describe.each(dialects)('one queue for webhook and polling, on %s', (dialect) => {
  let sandbox: Sandbox;
  let services: Service[];
  /** Between the second node and the database. */
  let proxy: CuttableProxy;
  let calls = 0;
  /** Whether acknowledgements are gathered for much longer than usual. */
  let gathersLong = false;
  const clock: Clock = {
    ...systemClock,
    after(ms, fn) {
      const isGather = ms === gatherMs || ms === busyGatherMs;
      return systemClock.after(gathersLong && isGather ? 60_000 : ms, fn);
    },
  };

  beforeEach(async () => {
    gathersLong = false;
    const database = await createDatabase(dialect);
    onTestFinished(() => database.drop());
    sandbox = createSandbox({ seed: 1 });
    onTestFinished(() => sandbox.close());
    const platform = (await sandbox.listen()).url;
    const start = async (dataDir: string, settings = database.settings) => {
      const env = {
        ...settings,
        RELAY_DATA_DIR: dataDir,
        PORT: '0',
        RELAY_SANDBOX: 'off',
        TELEGRAM_API_URL: platform,
        RELAY_SECRET_KEY: 'k'.repeat(40),
      };
      const config = toConfig(readSettings({ env, workingDir: dataDir }));
      const logger = createLogger({ level: 'silent' });
      const started = await startService(config, { logger, clock });
      onTestFinished(() => started.close());
      return started;
    };
    services = [await start(database.dataDir)];
    if (dialect === 'postgres') {
      const folder = temporaryFolder();
      onTestFinished(folder.remove);
      const { behind, proxy: between } = await behindProxy(database);
      proxy = between;
      services.push(await start(folder.path, behind.settings));
    }
  });

  /** Each call goes to the next node. */
  const node = () => services[calls++ % services.length] as Service;

  const api = <T>(path: string, body?: object) => askService<T>(node(), path, body);

  function clientOf(root: () => string, token: string) {
    const call = <T>(method: string, params: object = {}) =>
      callBot<T>({ root: root(), token }, method, params);
    return {
      call,
      pending: async () =>
        (await call<{ pending_update_count: number }>('getWebhookInfo')).pending_update_count,
      /** Everything there is, each answer confirmed; or only the first. */
      async poll(most = 100, params: object = {}): Promise<string[]> {
        const texts: string[] = [];
        for (let offset = 0; ; ) {
          const updates = await call<Update[]>('getUpdates', { offset, limit: most, ...params });
          texts.push(...updates.map(({ message }) => message.text));
          if (updates.length === 0) return texts;
          offset = (updates.at(-1)?.update_id ?? 0) + 1;
          if (most < 100) {
            // As libraries do when they stop.
            await call('getUpdates', { offset, limit: 1 });
            return texts;
          }
        }
      },
    };
  }

  async function addBot(settings: object = {}) {
    const made = sandbox.createBot({ first_name: 'Bot' });
    const { id } = await api<{ id: number }>('/api/bots/add', { token: made.token, ...settings });
    const [ann, bob] = ['Ann', 'Bob'].map((first_name) => sandbox.createUser({ first_name }));
    const logEnd = async () =>
      (await api<{ log_end: number }>(`/api/bots/readers?bot_id=${id}`)).log_end;
    async function say(text: string, from = ann): Promise<void> {
      const before = await logEnd();
      sandbox.say(from?.id ?? 0, made.id, text);
      await until(async () => expect(await logEnd()).toBe(before + 1));
    }
    const readers = async () =>
      (await api<{ readers: Reader[] }>(`/api/bots/readers?bot_id=${id}`)).readers;
    return { id, say, ann, bob, readers, ...clientOf(() => node().address, made.token) };
  }

  /** What a script of steps shows, at the relay or at the sandbox itself. */
  async function play(
    steps: readonly Step[],
    client: Pick<Awaited<ReturnType<typeof addBot>>, 'call' | 'poll' | 'pending' | 'say'>,
  ): Promise<string[]> {
    const backend = await startBackend(dialect === 'postgres');
    const seen: string[] = [];
    let messageCount = 0;
    let isSet = false;
    for (const step of steps) {
      if (step === 'say') await client.say(String(++messageCount));
      if (step === 'webhook') await client.call('setWebhook', { url: backend.url });
      if (step === 'delete') await client.call('deleteWebhook');
      if (step === 'drop') await client.call('deleteWebhook', { drop_pending_updates: true });
      isSet = step === 'webhook' || (isSet && step !== 'delete' && step !== 'drop');
      if (isSet) await until(async () => expect(await client.pending()).toBe(0));
      if (!isSet && step.startsWith('poll')) {
        seen.push(`polled ${(await client.poll(step === 'poll' ? 100 : 1)).join(' ')}`);
      }
      const took = backend.taken.splice(0);
      if (took.length > 0) seen.push(`pushed ${took.join(' ')}`);
      seen.push(`${step}, pending ${await client.pending()}`);
    }
    return seen;
  }

  const scripts: [string, Step[]][] = [
    [
      'poll, webhook, poll',
      ['say', 'poll', 'say', 'webhook', 'say', 'say', 'delete', 'say', 'poll', 'poll'],
    ],
    ['a message before the first webhook', ['say', 'say', 'webhook', 'say', 'delete', 'poll']],
    [
      'many changes, with updates left over',
      [
        ...(['say', 'say', 'say', 'poll one', 'webhook', 'delete', 'poll'] as const),
        ...(['say', 'say', 'delete', 'poll one', 'delete', 'webhook', 'webhook', 'say'] as const),
        ...(['delete', 'say', 'webhook', 'delete', 'say', 'say', 'poll one', 'poll'] as const),
      ],
    ],
    [
      'pending updates dropped',
      ['say', 'drop', 'say', 'webhook', 'drop', 'say', 'say', 'drop', 'webhook', 'say', 'delete'],
    ],
  ];
  it.each(scripts)('gives what the platform itself gives: %s', async (_name, steps) => {
    const made = sandbox.createBot({ first_name: 'Alone' });
    const cara = sandbox.createUser({ first_name: 'Cara' });
    const { url } = await sandbox.listen();
    const alone = await play(steps, {
      ...clientOf(() => url, made.token),
      say: async (text) => void sandbox.say(cara.id, made.id, text),
    });
    const relayed = await play(steps, await addBot({ long_poll_enabled: true }));
    expect(relayed).toEqual(alone);
  });

  it('leaves to polling what the backend refused, and to the next backend what no client polled', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    const backend = await startBackend(dialect === 'postgres');
    backend.answer = ({ message }) => (message.chat.id === bot.ann?.id ? 500 : 200);
    await bot.call('setWebhook', { url: backend.url });
    await bot.say('a1');
    await bot.say('b1', bot.bob);
    await bot.say('a2');
    await bot.say('b2', bot.bob);
    await until(async () => expect(backend.taken).toEqual(['b1', 'b2']));
    await until(async () => expect(await bot.pending()).toBe(2));
    await bot.call('deleteWebhook');
    expect(await bot.pending()).toBe(2);
    await bot.say('b3', bot.bob);
    expect((await bot.readers())[0]).toMatchObject({ reader: 'pull', behind: 3 });
    expect(await bot.poll(1)).toEqual(['a1']);
    expect(await bot.pending()).toBe(2);
    backend.answer = () => 200;
    await bot.call('setWebhook', { url: backend.url });
    await until(async () => expect(backend.taken).toEqual(['b1', 'b2', 'a2', 'b3']));
    await until(async () => expect(await bot.pending()).toBe(0));
    await bot.call('deleteWebhook');
    expect(await bot.poll()).toEqual([]);
  });

  it('serves a bot without long polling the same: what waits goes to the next webhook', async () => {
    const bot = await addBot();
    const backend = await startBackend(dialect === 'postgres');
    await bot.say('early');
    expect(await bot.pending()).toBe(1);
    await bot.call('setWebhook', { url: backend.url });
    await bot.say('late');
    await until(async () => expect(backend.taken).toEqual(['early', 'late']));
    await until(async () => expect(await bot.pending()).toBe(0));
    await bot.call('deleteWebhook');
    await bot.say('between');
    expect(await bot.pending()).toBe(1);
    await bot.call('setWebhook', { url: backend.url });
    await until(async () => expect(backend.taken).toEqual(['early', 'late', 'between']));
    await until(async () => expect(await bot.pending()).toBe(0));
    await bot.call('deleteWebhook');
    await bot.say('last');
    await api('/api/bots/update', { id: bot.id, long_poll_enabled: true });
    expect(await bot.poll()).toEqual(['last']);
  });

  it('gives one who polls beside a webhook what is not delivered yet, and then everything', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    const backend = await startBackend(dialect === 'postgres');
    await bot.call('setWebhook', { url: backend.url });
    await bot.say('1');
    await until(async () => expect(backend.taken).toEqual(['1']));
    backend.answer = () => 500;
    await bot.say('2');
    await until(async () => expect(backend.asked).toContain('2'));
    // The node that answers the poll may be another than the one that delivers: it knows what is stored.
    await until(async () => expect(await bot.pending()).toBe(1));
    // Nobody polls: nobody is behind.
    expect((await bot.readers()).map(({ reader }) => reader)).toEqual(['push']);
    expect(await bot.poll()).toEqual(['2']);
    await bot.say('3');
    expect(await bot.poll()).toEqual(['3']);
    await bot.call('deleteWebhook');
    expect(await bot.poll()).toEqual([]);
  });

  it('takes over a backend that was set through the API, and does not touch named consumers', async () => {
    const backend = await startBackend(dialect === 'postgres');
    const bot = await addBot({ long_poll_enabled: true });
    const named = { consumer: 'other' };
    await bot.poll(100, named);
    await bot.say('waits');
    await api('/api/bots/update', {
      id: bot.id,
      backend_url: backend.url,
      proxy_enabled: true,
    });
    await bot.say('pushed');
    await until(async () => expect(backend.taken).toEqual(['pushed']));
    await until(async () => expect(await bot.pending()).toBe(0));
    await bot.call('deleteWebhook');
    expect(await bot.poll()).toEqual(['waits']);
    await bot.call('setWebhook', { url: backend.url });
    expect(await bot.poll(100, named)).toEqual(['waits', 'pushed']);
  });

  it('leaves to polling what waits when the backend of a webhook is cleared through the API', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    const backend = await startBackend(dialect === 'postgres');
    await bot.call('setWebhook', { url: backend.url });
    await bot.say('1');
    await until(async () => expect(backend.taken).toEqual(['1']));
    await until(async () => expect(await bot.pending()).toBe(0));
    backend.answer = () => 500;
    await bot.say('2');
    await until(async () => expect(backend.asked).toContain('2'));
    await api('/api/bots/update', { id: bot.id, backend_url: '', proxy_enabled: false });
    await bot.say('3');
    expect(await bot.poll()).toEqual(['2', '3']);
  });

  it('leaves to polling what failed after push was rewound to before its begin', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    const backend = await startBackend(dialect === 'postgres');
    await bot.say('a1');
    await bot.say('b1', bot.bob);
    expect(await bot.poll()).toEqual(['a1', 'b1']);
    await bot.call('setWebhook', { url: backend.url });
    backend.answer = ({ message }) => (message.chat.id === bot.ann?.id ? 500 : 200);
    await api('/api/bots/readers/rewind', { bot_id: bot.id, reader: 'push', to: 'start' });
    // Until the node that delivers has heard of it, which would otherwise send b2 first, and then again.
    await until(async () => expect(backend.taken).toEqual(['b1']));
    await bot.say('b2', bot.bob);
    await until(async () => expect(backend.taken).toEqual(['b1', 'b2']));
    await until(async () => expect(await bot.pending()).toBe(1));
    await bot.call('deleteWebhook');
    expect(await bot.poll()).toEqual(['a1']);
  });

  it('does not poll what the backend answers while deleteWebhook waits for it', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    const backend = await startBackend(false);
    let release = () => {};
    backend.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(200);
      });
    await bot.call('setWebhook', { url: backend.url });
    await bot.say('in flight');
    await until(async () => expect(backend.asked).toEqual(['in flight']));
    const deleted = bot.call('deleteWebhook');
    setTimeout(() => release(), 50);
    await deleted;
    expect(await bot.poll()).toEqual([]);
    expect(backend.taken).toEqual(['in flight']);
  });

  if (dialect === 'postgres') {
    /** A bot with a webhook that the second node delivers, and of whose changes that node is not told. */
    async function deliversUntold() {
      const made = sandbox.createBot({ first_name: 'Bot' });
      const ann = sandbox.createUser({ first_name: 'Ann' });
      const backend = await startBackend(false);
      const [asked, delivers] = services.map(({ address }) => clientOf(() => address, made.token));
      calls = 1;
      const { id } = await api<{ id: number }>('/api/bots/add', {
        token: made.token,
        long_poll_enabled: true,
      });
      const say = (text: string) => sandbox.say(ann.id, made.id, text);
      await delivers?.call('setWebhook', { url: backend.url });
      say('1');
      await until(async () => expect(backend.taken).toEqual(['1']));
      await until(async () => expect(await asked?.pending()).toBe(0));
      proxy.mute('bot-relay hints');
      // Cut, it has a connection of its own again and can say goodbye.
      const mend = () => {
        proxy.cut();
        proxy.mend();
      };
      return { id, say, backend, asked, mend };
    }

    it('delivers nothing that arrives after another node answered deleteWebhook', async () => {
      const { say, backend, asked, mend } = await deliversUntold();
      await asked?.call('deleteWebhook');
      for (const text of ['2', '3', '4']) {
        say(text);
        await until(async () => expect(await asked?.poll()).toEqual([text]));
      }
      expect(backend.asked).toEqual(['1']);
      mend();
    });

    it('delivers in order what follows a rewind, once the node that delivers finds it', async () => {
      const { id, say, backend, asked, mend } = await deliversUntold();
      await askService(services[0] as Service, '/api/bots/readers/rewind', {
        bot_id: id,
        reader: 'push',
        to: 'start',
      });
      say('2');
      // It sends 2 at once. Its result is refused, and tells the node that the reader is at another position.
      await until(async () => expect(backend.taken.slice(1).slice(-2)).toEqual(['1', '2']));
      await until(async () => expect(await asked?.pending()).toBe(0));
      mend();
    });
  }

  // Another node than the one that delivers cannot wait for it.
  if (dialect === 'sqlite') {
    it('does not poll what the backend has taken a moment ago', async () => {
      const bot = await addBot({ long_poll_enabled: true });
      const backend = await startBackend(false);
      const first = Promise.withResolvers<void>();
      const polled = Promise.withResolvers<string[]>();
      backend.answer = async ({ message }) => {
        if (message.text === '1') await first.promise;
        // The next of a chat comes when the answer to the one before has been read.
        else await bot.poll().then(polled.resolve, polled.reject);
        return 200;
      };
      await bot.call('setWebhook', { url: backend.url });
      await bot.say('1');
      await bot.say('2');
      gathersLong = true;
      first.resolve();
      expect(await polled.promise).toEqual(['2']);
    });
  }
});

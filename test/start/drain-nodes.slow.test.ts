import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { askService } from '../support/ask-service.ts';
import { command } from '../support/command.ts';
import { createDatabase } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { callBot } from './support/call-bot.ts';

interface Update {
  update_id: number;
  message: { text: string };
}

const nodes = [0, 1, 2] as const;
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

let sandbox: Sandbox;
let services: Service[];
let settings: Record<string, string>;

beforeEach(async () => {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  sandbox = createSandbox({ seed: 1 });
  onTestFinished(() => sandbox.close());
  const platform = (await sandbox.listen()).url;
  services = [];
  settings = {
    ...database.settings,
    PORT: '0',
    RELAY_SANDBOX: 'off',
    TELEGRAM_API_URL: platform,
    RELAY_SECRET_KEY: 'k'.repeat(40),
  };
  for (const _ of nodes) {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const env = { ...settings, RELAY_DATA_DIR: folder.path };
    const config = toConfig(readSettings({ env, workingDir: folder.path }));
    const service = await startService(config, { logger: createLogger({ level: 'silent' }) });
    onTestFinished(() => service.close());
    services.push(service);
  }
});

const nodeOf = (index: number) => services[index % services.length] as Service;

/** Takes its time for each update, and answers the first of Ann with a method call. */
async function startSlowBackend(ms: number) {
  const asked: string[] = [];
  const { url, close } = await serve(async (request, response) => {
    const { message } = (await json(request)) as Update & { message: { chat: { id: number } } };
    asked.push(message.text);
    await new Promise((resolve) => setTimeout(resolve, ms));
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(
        message.text === 'a1'
          ? { method: 'sendMessage', chat_id: message.chat.id, text: 'got a1' }
          : {},
      ),
    );
  });
  onTestFinished(close);
  return { url: `${url}/`, asked };
}

/** A bot that the first node runs, and its own client or that of an app. */
async function addBot(client: 'the bot itself' | 'an app') {
  const made = sandbox.createBot({ first_name: 'Bot' });
  const { id } = await askService<{ id: number }>(nodeOf(0), '/api/bots/add', {
    token: made.token,
    long_poll_enabled: true,
  });
  const [ann, bob] = ['Ann', 'Bob'].map((first_name) => sandbox.createUser({ first_name }));
  const app =
    client === 'an app'
      ? await askService<{ id: number; token: string }>(nodeOf(0), '/api/bots/apps/add', {
          bot_id: id,
          name: 'shop',
        })
      : undefined;
  const logEnd = async () =>
    (await askService<{ log_end: number }>(nodeOf(0), `/api/bots/readers?bot_id=${id}`)).log_end;
  const token = app?.token ?? made.token;
  const call = <T>(node: number, method: string, params: object = {}) =>
    callBot<T>({ root: nodeOf(node).address, token }, method, params);
  return {
    id,
    app,
    call,
    /** In the order of the texts; those of Bob begin with b. */
    async say(...texts: string[]): Promise<void> {
      const end = (await logEnd()) + texts.length;
      for (const text of texts) {
        sandbox.say((text.startsWith('b') ? bob : ann)?.id ?? 0, made.id, text);
      }
      await until(async () => expect(await logEnd()).toBe(end));
    },
    /** Everything there is, each answer confirmed, each poll through the next node. */
    async poll(): Promise<string[]> {
      const texts: string[] = [];
      let offset = 0;
      for (let node = 0, empty = 0; empty < nodes.length; node++) {
        const updates = await call<Update[]>(node, 'getUpdates', { offset });
        empty = updates.length === 0 ? empty + 1 : 0;
        texts.push(...updates.map(({ message }) => message.text));
        offset = (updates.at(-1)?.update_id ?? offset - 1) + 1;
      }
      return texts;
    },
    sentToAnn: () =>
      sandbox
        .history(ann?.id ?? 0, made.id)
        .flatMap(({ message }) => (message.from?.is_bot ? [message.text] : [])),
  };
}

const byChat = (texts: readonly string[]) => ({
  ann: texts.filter((text) => text.startsWith('a')),
  bob: texts.filter((text) => text.startsWith('b')),
});

const clients = ['the bot itself', 'an app'] as const;
// One bot in each, so that no node hands it to another for a fair share.
const throughEach = clients.flatMap((client) => nodes.map((node) => [client, node] as const));

describe('a cluster', () => {
  it.each(throughEach)(
    'hands each update over once when %s removes its webhook through node %i',
    async (client, node) => {
      const bot = await addBot(client);
      const backend = await startSlowBackend(400);
      await bot.call(node, 'setWebhook', { url: backend.url });
      await bot.say('a1', 'b1', 'a2', 'b2', 'a3');
      await until(() => expect(backend.asked).toEqual(expect.arrayContaining(['a1', 'b1'])));
      await bot.call(node, 'deleteWebhook');
      await bot.say('b3');
      const asked = [...backend.asked];
      expect(byChat([...asked, ...(await bot.poll())])).toEqual({
        ann: ['a1', 'a2', 'a3'],
        bob: ['b1', 'b2', 'b3'],
      });
      await until(() => expect(bot.sentToAnn()).toEqual(['got a1']));

      await bot.call(node, 'setWebhook', { url: backend.url });
      await bot.say('a4');
      await until(() => expect(backend.asked).toEqual([...asked, 'a4']));
    },
  );

  it.each(throughEach.filter(([, node]) => node < 2))(
    'delivers nothing that waited when %s drops pending updates through node %i',
    async (client, node) => {
      const bot = await addBot(client);
      const backend = await startSlowBackend(900);
      await bot.call(node, 'setWebhook', { url: backend.url });
      await bot.say('a1', 'a2', 'a3');
      await until(() => expect(backend.asked).toContain('a1'));
      await bot.call(node, 'setWebhook', { url: backend.url, drop_pending_updates: true });
      // On a slow machine more than the first was delivered by then.
      const asked = [...backend.asked, 'a4', 'a5'];
      await bot.say('a4', 'a5');
      await until(() => expect(backend.asked).toEqual(asked));
      await bot.call(node, 'deleteWebhook', { drop_pending_updates: true });
      await bot.say('a6');
      expect(await bot.poll()).toEqual(['a6']);
      expect(backend.asked).toEqual(asked);
      // The call in the answer to what was in flight is not lost.
      await until(() => expect(bot.sentToAnn()).toEqual(['got a1']));
    },
  );

  it.each(clients)('does the same where a command on the database changes %s', async (client) => {
    const bot = await addBot(client);
    const backend = await startSlowBackend(400);
    await bot.call(0, 'setWebhook', { url: backend.url });
    await bot.say('a1', 'a2');
    await until(() => expect(backend.asked).toContain('a1'));
    const change = bot.app
      ? ['apps', 'update', String(bot.id), 'shop', '--mode', 'poll']
      : ['bots', 'update', String(bot.id), '--backend', '', '--proxy', 'off'];
    expect(await command(change, { env: settings })).toMatchObject({ code: 0, stderr: '' });
    expect([...backend.asked, ...(await bot.poll())]).toEqual(['a1', 'a2']);
    await until(() => expect(bot.sentToAnn()).toEqual(['got a1']));
  });

  it.each(clients)('does the same where %s is changed through the API', async (client) => {
    const bot = await addBot(client);
    const backend = await startSlowBackend(400);
    await bot.call(0, 'setWebhook', { url: backend.url });
    await bot.say('a1', 'a2');
    await until(() => expect(backend.asked).toContain('a1'));
    await (bot.app
      ? askService(nodeOf(1), '/api/bots/apps/update', { id: bot.app.id, mode: 'poll' })
      : askService(nodeOf(1), '/api/bots/update', {
          id: bot.id,
          backend_url: '',
          proxy_enabled: false,
        }));
    expect([...backend.asked, ...(await bot.poll())]).toEqual(['a1', 'a2']);
  });
});

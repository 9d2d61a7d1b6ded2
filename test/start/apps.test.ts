import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { askService } from '../support/ask-service.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { temporaryFolder } from '../support/relay-process.ts';

interface Update {
  update_id: number;
  message: { text: string };
}
interface App {
  id: number;
  name: string;
  token: string;
  behind: number;
}

const until = (check: () => unknown) => vi.waitFor(check, { interval: 10 });

/** Notes what it took. */
async function startBackend() {
  const taken: string[] = [];
  const { url, close } = await serve(async (request, response) => {
    taken.push(((await json(request)) as Update).message.text);
    response.writeHead(200).end();
  });
  onTestFinished(close);
  return { url: `${url}/`, taken };
}

/** Two nodes on PostgreSQL: each call goes to the next, so that most changes reach the owner from afar. */
describe.each(dialects)('apps of a bot, on %s', (dialect) => {
  let database: Database;
  let sandbox: Sandbox;
  let services: Service[];
  let calls = 0;

  async function start(dataDir: string): Promise<Service> {
    const env = {
      ...database.settings,
      RELAY_DATA_DIR: dataDir,
      PORT: '0',
      RELAY_SANDBOX: 'off',
      TELEGRAM_API_URL: (await sandbox.listen()).url,
      RELAY_SECRET_KEY: 'k'.repeat(40),
    };
    const config = toConfig(readSettings({ env, workingDir: dataDir }));
    return await startService(config, { logger: createLogger({ level: 'silent' }) });
  }
  async function startAll(): Promise<void> {
    services = [await start(database.dataDir)];
    if (dialect === 'sqlite') return;
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    services.push(await start(folder.path));
  }
  const closeAll = () => Promise.all(services.map((service) => service.close()));
  beforeEach(async () => {
    database = await createDatabase(dialect);
    onTestFinished(() => database.drop());
    sandbox = createSandbox({ seed: 1 });
    onTestFinished(() => sandbox.close());
    await startAll();
    onTestFinished(async () => void (await closeAll()));
  });

  const node = () => services[calls++ % services.length] as Service;
  const api = <T>(path: string, body?: object) => askService<T>(node(), path, body);
  async function poll(token: string): Promise<string[]> {
    const texts: string[] = [];
    for (let offset = 0; ; ) {
      const url = `${node().address}/bot${token}/getUpdates?offset=${offset}`;
      const answer = (await (await fetch(url)).json()) as { ok: boolean; result: Update[] };
      expect(answer.ok, JSON.stringify(answer)).toBe(true);
      if (answer.result.length === 0) return texts;
      texts.push(...answer.result.map(({ message }) => message.text));
      offset = (answer.result.at(-1)?.update_id ?? 0) + 1;
    }
  }
  async function addBot(settings: object) {
    const made = sandbox.createBot({ first_name: 'Bot' });
    const { id } = await api<{ id: number }>('/api/bots/add', { token: made.token, ...settings });
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const logEnd = async () =>
      (await api<{ log_end: number }>(`/api/bots/readers?bot_id=${id}`)).log_end;
    return {
      id,
      token: made.token,
      async say(...texts: string[]): Promise<void> {
        const before = await logEnd();
        for (const text of texts) sandbox.say(ann.id, made.id, text);
        await until(async () => expect(await logEnd()).toBe(before + texts.length));
      },
      add: (name: string, more: object) =>
        api<App>('/api/bots/apps/add', { bot_id: id, name, ...more }),
      apps: () => api<App[]>(`/api/bots/apps?bot_id=${id}`),
    };
  }

  it('leave in the audit log how many updates each of them dropped', async () => {
    const own = await startBackend();
    const bot = await addBot({ long_poll_enabled: true });
    const shop = await bot.add('shop', {});
    const hook = await bot.add('hook', {});
    await bot.say('one', 'two');
    const tell = async (token: string, method: string, more = '') => {
      const url = `${node().address}/bot${token}/${method}?drop_pending_updates=true${more}`;
      expect(await (await fetch(url)).json()).toMatchObject({ ok: true });
    };
    await tell(shop.token, 'deleteWebhook');
    await tell(bot.token, 'deleteWebhook');
    await bot.say('three');
    await tell(hook.token, 'setWebhook', `&url=${encodeURIComponent(own.url)}`);
    // There is nothing left to drop.
    await tell(hook.token, 'deleteWebhook');
    const log = await api<{ action: string; actor: object; bot_id: number; input: object }[]>(
      `/api/adminlog?bot_id=${bot.id}`,
    );
    const drops = log.filter(({ action }) => action === 'updates.drop-pending').reverse();
    const actor = { name: 'Bot API gateway' };
    const bot_id = bot.id;
    expect(drops).toMatchObject([
      { bot_id, actor, input: { app: 'shop', method: 'deleteWebhook', dropped: 2 } },
      { bot_id, actor, input: { app: 'default', method: 'deleteWebhook', dropped: 2 } },
      { bot_id, actor, input: { app: 'hook', method: 'setWebhook', dropped: 3 } },
    ]);
    expect(drops).toHaveLength(3);
    expect(own.taken).toEqual([]);
  });

  it('each receive their own, change their mode without a repeat, and go on after a restart', async () => {
    const [own, shop, audit] = await Promise.all([startBackend(), startBackend(), startBackend()]);
    const bot = await addBot({ backend_url: own.url, proxy_enabled: true });
    const orders = { commands: ['order'] };
    const hook = { mode: 'webhook', backend_url: shop.url, exclusive: true, filter: orders };
    const added = await bot.add('shop', hook);
    await bot.add('audit', { mode: 'webhook', backend_url: audit.url });
    const poller = await bot.add('poller', { filter: { keywords: ['hello'] } });
    await bot.say('/order 1', 'hello', 'bye');
    await until(() => expect(shop.taken).toEqual(['/order 1']));
    await until(() => expect(audit.taken).toEqual(['hello', 'bye']));
    await until(() => expect(own.taken).toEqual(['hello', 'bye']));
    expect(await poll(poller.token)).toEqual(['hello']);

    // From the answer on, all nodes go by the change.
    await api('/api/bots/apps/update', { id: added.id, mode: 'poll' });
    await bot.say('/order 2');
    expect(await poll(added.token)).toEqual(['/order 2']);
    await bot.say('/order 3');
    await api('/api/bots/apps/update', { id: added.id, mode: 'webhook' });
    await until(() => expect(shop.taken).toEqual(['/order 1', '/order 3']));
    await api('/api/bots/apps/update', { id: added.id, filter: { keywords: ['bye'] } });
    await bot.say('/order 4', 'bye bye');
    await until(() => expect(shop.taken).toEqual(['/order 1', '/order 3', 'bye bye']));
    await until(() => expect(audit.taken.slice(2)).toEqual(['/order 4']));

    await api(`/api/bots/apps/toggle-disabled?id=${added.id}`, {});
    await bot.say('bye 5');
    await until(() => expect(audit.taken.at(-1)).toBe('bye 5'));
    expect(shop.taken).toHaveLength(3);
    await api(`/api/bots/apps/toggle-disabled?id=${added.id}`, {});
    await until(() => expect(shop.taken.at(-1)).toBe('bye 5'));

    await until(async () =>
      expect((await bot.apps()).map(({ name, behind }) => [name, behind])).toEqual([
        ['default', 0],
        ['shop', 0],
        ['audit', 0],
        ['poller', 0],
      ]),
    );
    await closeAll();
    await startAll();
    await bot.say('hello again');
    await until(() => expect(audit.taken.at(-1)).toBe('hello again'));
    expect(await poll(poller.token)).toEqual(['hello again']);
    expect(shop.taken).toEqual(['/order 1', '/order 3', 'bye bye', 'bye 5']);
    await api(`/api/bots/apps/delete?id=${added.id}`, {});
    await bot.say('bye at last');
    await until(() => expect(audit.taken.at(-1)).toBe('bye at last'));
    expect(shop.taken).toHaveLength(4);
    expect(audit.taken).toEqual([
      'hello',
      'bye',
      '/order 4',
      'bye 5',
      'hello again',
      'bye at last',
    ]);
  });
});

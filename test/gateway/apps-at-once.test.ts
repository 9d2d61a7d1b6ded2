import { type ChildProcess, fork } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Update } from 'grammy/types';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { UserRecord } from '../../sandbox/src/index.ts';
import type { AppNews } from '../libraries/app-process.ts';
import { type RelayOnSandbox, startRelayOnSandbox } from '../libraries/relay-on-sandbox.ts';
import { dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';

const program = fileURLToPath(new URL('../libraries/app-process.ts', import.meta.url));
const until = (check: () => unknown) => vi.waitFor(check, { interval: 20 });

/** What an app received, in order: `<chat> <text>`, and `<chat> press <data>`. */
class Received {
  readonly all: string[] = [];

  add({ message, callback_query }: Update): void {
    const chat = (message ?? callback_query?.message)?.chat.id;
    this.all.push(`${chat} ${callback_query ? `press ${callback_query.data}` : message?.text}`);
  }

  /** Between chats there is no order. */
  byChat(): Map<string, string[]> {
    return byChat(this.all);
  }
}

const byChat = (lines: readonly string[]) =>
  new Map(
    [...Map.groupBy(lines, (line) => line.split(' ')[0] ?? '')].sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  );

interface AppProcess {
  child: ChildProcess;
  errors: string[];
}

interface Answer<T> {
  ok: boolean;
  error_code?: number;
  result: T;
}

describe.each(dialects)('apps of one bot on %s', (dialect) => {
  async function start(settings?: object): Promise<RelayOnSandbox> {
    const relay = await startRelayOnSandbox(dialect, settings);
    onTestFinished(() => relay.close());
    return relay;
  }

  const addApp = ({ call, botId }: RelayOnSandbox, name: string, settings: object = {}) =>
    call<{ id: number; token: string }>('/api/bots/apps/add', { bot_id: botId, name, ...settings });

  function startApp(
    library: 'grammY' | 'Telegraf',
    relay: RelayOnSandbox,
    app: { name: string; token: string; received: Received },
    hangsOn = '',
  ): AppProcess {
    const child = fork(program, [library, relay.address, app.token, app.name, hangsOn]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const errors: string[] = [];
    child.on('message', (news: AppNews) => {
      if ('error' in news) errors.push(news.error);
      else app.received.add(news.update);
    });
    return { child, errors };
  }

  async function kill({ child }: AppProcess): Promise<void> {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** The Bot API as the app sees it. */
  async function ask<T = unknown>(
    base: string,
    method: string,
    params: object = {},
  ): Promise<Answer<T>> {
    const answer = await fetch(`${base}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return (await answer.json()) as Answer<T>;
  }

  it('polled by two libraries and pushed to a backend, each gets what is for it, once and in order', async () => {
    const relay = await start();
    const { sandbox, bot } = relay;
    const people = ['Ann', 'Bob', 'Cid'].map((first_name) => sandbox.createUser({ first_name }));
    const [ann, bob] = people as [UserRecord, UserRecord];
    const own = { own_replies: true };
    const made = {
      a: await addApp(relay, 'a', own),
      b: await addApp(relay, 'b', { ...own, filter: { keywords: ['tea', 'ask'] } }),
      c: await addApp(relay, 'c', { ...own, filter: { chat_ids: [bob.id] } }),
    };
    const a = { name: 'a', token: made.a.token, received: new Received() };
    const b = { name: 'b', token: made.b.token, received: new Received() };
    const c = { name: 'c', token: made.c.token, received: new Received() };

    const backend = await serve(async (request, response) => {
      const update = (await json(request)) as Update;
      c.received.add(update);
      const isQuestion = update.message?.text === 'ask c';
      const reply_markup = { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes c' }]] };
      const call = {
        method: 'sendMessage',
        chat_id: update.message?.chat.id,
        text: 'c asks',
        reply_markup,
      };
      response.setHeader('content-type', 'application/json');
      response.end(isQuestion ? JSON.stringify(call) : '');
    });
    onTestFinished(backend.close);

    const first = startApp('grammY', relay, a, 'stay here');
    const second = startApp('Telegraf', relay, b);
    const set = await ask(`${relay.address}/bot${c.token}`, 'setWebhook', { url: backend.url });
    expect(set).toMatchObject({ ok: true, result: true });

    /** What each app has to get, in order. */
    const wanted = { a: [] as string[], b: [] as string[], c: [] as string[] };
    const say = (who: UserRecord, text: string) => {
      const line = `${who.id} ${text}`;
      wanted.a.push(line);
      if (/tea|ask/.test(text)) wanted.b.push(line);
      if (who === bob) wanted.c.push(line);
      return sandbox.say(who, bot.id, text);
    };
    const chatter = (label: string) => {
      for (let count = 0; count < 30; count++) {
        say(people[count % 3] as UserRecord, `${count % 2 ? 'tea' : 'note'} ${label} ${count}`);
      }
    };
    const arrived = async (...apps: (typeof a)[]) => {
      for (const { name, received } of apps) {
        const lines = wanted[name as keyof typeof wanted];
        await until(() => expect(received.all.length).toBeGreaterThanOrEqual(lines.length));
        expect(received.byChat()).toEqual(byChat(lines));
      }
    };

    chatter('first');
    await arrived(a, b, c);

    // Presses on, and replies to, a question return to the app that asked, and to no other.
    for (const [{ name }, person] of [
      [a, ann],
      [b, ann],
      [c, bob],
    ] as const) {
      say(person, `ask ${name}`);
      const text = `${name} asks`;
      const listed = `/api/messages?bot_id=${relay.botId}&chat_id=${person.id}&limit=20`;
      await vi.waitFor(
        async () => {
          const messages = await relay.call<{ text: string }[]>(listed);
          expect(messages.map((message) => message.text)).toContain(text);
        },
        { interval: 20 },
      );
      const shown = sandbox
        .history(person, bot.id)
        .findLast(({ message }) => message.text === text);
      const id = shown?.message.message_id ?? 0;
      sandbox.press(person, bot.id, id, 'Yes');
      sandbox.say(person, bot.id, `tea for ${name}`, { replyTo: id });
      wanted[name as keyof typeof wanted].push(
        `${person.id} press yes ${name}`,
        `${person.id} tea for ${name}`,
      );
    }
    for (const person of people) say(person, 'tea after the questions');
    await arrived(a, b, c);

    // One is killed in the middle of an update: the others go on, and it continues there.
    say(ann, 'stay here');
    await arrived(a, b);
    await kill(first);
    chatter('without a');
    await arrived(b, c);
    expect(a.received.all.filter((line) => line.includes('without a'))).toEqual([]);
    wanted.a.splice(wanted.a.indexOf(`${ann.id} stay here`), 0, `${ann.id} stay here`);
    const again = startApp('grammY', relay, a);
    await arrived(a);

    // A second poller of the same app ends one of the two with 409; other apps notice nothing.
    const rival = startApp('grammY', relay, { ...a, received: new Received() });
    await until(() => expect([...again.errors, ...rival.errors]).toHaveLength(1));
    expect([...again.errors, ...rival.errors][0]).toContain('409');
    chatter('last');
    await arrived(b, c);
    expect(first.errors).toEqual([]);
    expect(second.errors).toEqual([]);
    expect(second.child.exitCode).toBe(null);
  });

  it('wait in getUpdates together, and only two polls of one app end each other', async () => {
    const relay = await start({ long_poll_enabled: true });
    const { sandbox, bot, address } = relay;
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const [a, b] = [await addApp(relay, 'a'), await addApp(relay, 'b')];
    const poll = (base: string) =>
      ask<Update[]>(address + base, 'getUpdates', { timeout: 50, offset: 0 });
    const texts = (answer: { result: Update[] }) => answer.result.map((one) => one.message?.text);
    const isWaiting = async (...names: string[]) =>
      vi.waitFor(
        async () => {
          const { readers } = await relay.call<{ readers: { reader: string; waiting: boolean }[] }>(
            `/api/bots/readers?bot_id=${relay.botId}`,
          );
          const waiting = readers.filter((one) => one.waiting).map(({ reader }) => reader);
          expect(waiting.sort()).toEqual(names);
        },
        { interval: 20 },
      );

    const others = [`/bot${b.token}`, `/bot${bot.token}`].map(poll);
    const firstOfA = poll(`/bot${a.token}`);
    const everyone = ['pull', 'pull:a', 'pull:b'];
    await isWaiting(...everyone);
    const secondOfA = poll(`/p/a/bot${bot.token}`);
    expect(await firstOfA).toMatchObject({ ok: false, error_code: 409 });
    await isWaiting(...everyone);
    sandbox.say(ann, bot.id, 'hello all');
    for (const answer of await Promise.all([secondOfA, ...others])) {
      expect(texts(answer)).toEqual(['hello all']);
    }
  });

  it('go on with a group that becomes a supergroup', async () => {
    const relay = await start({ long_poll_enabled: true });
    const { sandbox, bot, address } = relay;
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const group = sandbox.createChat({
      type: 'group',
      title: 'Shop',
      owner: ann,
      members: [bot.id],
    });
    const received: (string | undefined)[] = [];
    const backend = await serve(async (request, response) => {
      received.push(((await json(request)) as Update).message?.text);
      response.end();
    });
    onTestFinished(backend.close);
    const filter = { chat_ids: [group.id] };
    const { id, token } = await addApp(relay, 'orders', { filter, exclusive: true });
    const webhook = { mode: 'webhook', backend_url: backend.url };
    await addApp(relay, 'copy', { filter, ...webhook, exclusive: true, priority: -1 });
    const poll = async (as: string, offset = 0) =>
      (await ask<Update[]>(`${address}/bot${as}`, 'getUpdates', { timeout: 5, offset })).result;

    const moved = sandbox.upgradeGroup(ann.id, group.id);
    sandbox.say(ann, moved.id, '/after');
    await until(async () => {
      const texts = (await poll(token)).map(({ message }) => message?.text);
      expect(texts).toContain('/after');
    });
    sandbox.say(ann, bot.id, 'in private');
    await until(async () => {
      const texts = (await poll(bot.token)).flatMap(({ message }) => message?.text ?? []);
      expect(texts).toEqual(['in private']);
    });
    const apps = await relay.call<{ filter: object }[]>(`/api/bots/apps?bot_id=${relay.botId}`);
    expect(apps.map((app) => app.filter)).toEqual([
      {},
      { chat_ids: [moved.id] },
      { chat_ids: [moved.id] },
    ]);

    await relay.call('/api/bots/apps/update', { id, exclusive: false });
    sandbox.say(ann, moved.id, '/copy');
    await until(() => expect(received).toEqual(['/copy']));
  });

  it('set, lose and delete webhooks by their base URL without touching each other', async () => {
    const relay = await start();
    const { sandbox, bot, address } = relay;
    const ann = sandbox.createUser({ first_name: 'Ann' });
    await addApp(relay, 'a');
    await addApp(relay, 'b');

    /** As n8n: a trigger sets a webhook when its workflow is activated, and deletes it afterwards. */
    class Workflow {
      readonly base: string;
      readonly name: string;
      readonly received: string[] = [];
      /** n8n answers 404 at paths that no workflow listens on. */
      path = '';

      constructor(name: string) {
        this.name = name;
        this.base = `${address}/p/${name}/bot${bot.token}`;
      }

      async activate(path = `/webhook/${this.name}`): Promise<void> {
        const url = n8n.url + path;
        this.path = path;
        if ((await this.url()) === url) return;
        const options = { allowed_updates: ['message'], secret_token: `secret_${this.name}` };
        expect(await ask(this.base, 'setWebhook', { url, ...options })).toMatchObject({ ok: true });
      }

      async deactivate(): Promise<void> {
        this.path = '';
        expect(await ask(this.base, 'deleteWebhook')).toMatchObject({ ok: true });
      }

      async url(): Promise<string> {
        return (await ask<{ url: string }>(this.base, 'getWebhookInfo')).result.url;
      }
    }

    let refused = 0;
    const n8n = await serve(async (request, response) => {
      const update = (await json(request)) as Update;
      const workflow = workflows.find(({ path }) => path !== '' && path === request.url);
      const secret = request.headers['x-telegram-bot-api-secret-token'];
      if (!workflow || secret !== `secret_${workflow.name}`) {
        refused++;
        response.writeHead(404).end();
        return;
      }
      workflow.received.push(update.message?.text ?? '');
      response.end();
    });
    onTestFinished(n8n.close);
    const [a, b] = [new Workflow('a'), new Workflow('b')];
    const workflows = [a, b];
    const said: string[] = [];
    const say = (text: string) => {
      said.push(text);
      sandbox.say(ann, bot.id, text);
    };
    const urlOf = (workflow: Workflow) => `${n8n.url}/webhook/${workflow.name}`;

    // The test listener of n8n sets another path, and forgets it when the test ends.
    await a.activate('/webhook-test/a');
    await b.activate();
    say('both');
    await until(() => expect([a.received, b.received]).toEqual([said, said]));
    a.path = '';
    say('a is lost');
    await until(() => expect(refused).toBeGreaterThan(0));
    await until(() => expect(b.received).toEqual(said));
    await a.activate();
    await until(() => expect(a.received).toEqual(said));
    expect([await a.url(), await b.url()]).toEqual([urlOf(a), urlOf(b)]);

    // Switching one off leaves the other its webhook; what comes meanwhile waits.
    await a.deactivate();
    say('a is off');
    await until(() => expect(b.received).toEqual(said));
    expect([await a.url(), await b.url()]).toEqual(['', urlOf(b)]);
    await a.activate();
    await until(() => expect(a.received).toEqual(said));
    await b.deactivate();
    say('b is off');
    await until(() => expect(a.received).toEqual(said));
    expect(b.received).toEqual(said.slice(0, -1));
    await b.activate();
    await until(() => expect(b.received).toEqual(said));

    const own = await ask(`${address}/bot${bot.token}`, 'getWebhookInfo');
    expect(own).toMatchObject({ result: { url: '' } });
    const unknown = await ask(`${address}/p/c/bot${bot.token}`, 'setWebhook', { url: n8n.url });
    expect(unknown).toMatchObject({ ok: false, error_code: 404 });
    const apps = await relay.call<{ name: string }[]>(`/api/bots/apps?bot_id=${relay.botId}`);
    expect(apps.map(({ name }) => name)).toEqual(['default', 'a', 'b']);
  });
});

import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { gramioBot } from '../libraries/gramio-bot.ts';
import { grammyBot } from '../libraries/grammy-bot.ts';
import { nodeTelegramBot } from '../libraries/node-telegram-bot.ts';
import { telegrafBot } from '../libraries/telegraf-bot.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { temporaryFolder } from '../support/relay-process.ts';

interface Reader {
  reader: string;
  position: number;
  behind: number;
  active: boolean;
  waiting: boolean;
}
interface Readers {
  log_start: number;
  log_end: number;
  readers: Reader[];
}

const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 10 });

/** A backend that takes everything. */
async function startBackend(): Promise<{ url: string; texts: string[] }> {
  const texts: string[] = [];
  const { url, close } = await serve(async (request, response) => {
    const { message } = (await json(request)) as { message: { text: string } };
    texts.push(message.text);
    response.writeHead(200).end();
  });
  onTestFinished(close);
  return { url: `${url}/`, texts };
}

describe.each(dialects)('readers of a running service on %s', (dialect) => {
  let database: Database;
  let sandbox: Sandbox;
  let platform: string;
  let service: Service;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    onTestFinished(() => database.drop());
    sandbox = createSandbox({ seed: 1 });
    onTestFinished(() => sandbox.close());
    platform = (await sandbox.listen()).url;
    service = await start(database.dataDir);
  });

  async function start(dataDir: string): Promise<Service> {
    const env = {
      ...database.settings,
      RELAY_DATA_DIR: dataDir,
      PORT: '0',
      RELAY_SANDBOX: 'off',
      TELEGRAM_API_URL: platform,
      RELAY_SECRET_KEY: 'k'.repeat(40),
    };
    const config = toConfig(readSettings({ env, workingDir: dataDir }));
    const started = await startService(config, { logger: createLogger({ level: 'silent' }) });
    onTestFinished(() => started.close());
    return started;
  }

  async function ask(at: Service, to: string, body?: object, key = at.localKey) {
    const answer = await fetch(at.address + to, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: safeJson(text) };
  }
  async function call<T>(to: string, body?: object, at = service): Promise<T> {
    const { status, text, json } = await ask(at, to, body);
    expect(status, text).toBe(200);
    return json as T;
  }
  async function talkingBot(settings: object) {
    const made = sandbox.createBot({ first_name: 'Bot' });
    const { id } = await call<{ id: number }>('/api/bots/add', { token: made.token, ...settings });
    const user = sandbox.createUser({ first_name: 'Ann' });
    const say = async (...texts: string[]) => {
      const { log_end: before } = await readersOf(id);
      for (const text of texts) sandbox.say(user.id, made.id, text);
      await until(async () => expect((await readersOf(id)).log_end).toBe(before + texts.length));
    };
    return { id, token: made.token, platformId: made.id, user: user.id, say };
  }
  const readersOf = (botId: number, at = service) =>
    call<Readers>(`/api/bots/readers?bot_id=${botId}`, undefined, at);
  const readerOf = async (botId: number, name: string, at = service) =>
    (await readersOf(botId, at)).readers.find(({ reader }) => reader === name);
  const rewind = <T>(body: object, at = service) => call<T>('/api/bots/readers/rewind', body, at);
  const pull = async (token: string, query: string, at = service) => {
    const answer = await fetch(`${at.address}/bot${token}/getUpdates?${query}`);
    const { result, description } = (await answer.json()) as {
      result?: { update_id: number; message: { text: string } }[];
      description?: string;
    };
    const next = (result?.at(-1)?.update_id ?? 0) + 1;
    return { texts: result?.map(({ message }) => message.text), next, description };
  };

  it('are seen, set to another position and removed through the API', async () => {
    const backend = await startBackend();
    const bot = await talkingBot({
      backend_url: backend.url,
      proxy_enabled: true,
      long_poll_enabled: true,
    });
    await pull(bot.token, 'consumer=audit');
    await bot.say('one', 'two', 'three');
    await until(async () =>
      expect(await readersOf(bot.id)).toMatchObject({
        log_start: 1,
        log_end: 3,
        readers: [
          { reader: 'pull', kind: 'pull', name: '', position: 0, behind: 3, dropped: 0 },
          { reader: 'pull:audit', kind: 'pull', name: 'audit', position: 0, waiting: false },
          { reader: 'push', kind: 'push', position: 3, behind: 0, oldest_waiting_seconds: 0 },
        ],
      }),
    );
    const { next } = await pull(bot.token, 'consumer=audit');
    const waits = pull(bot.token, `consumer=audit&timeout=50&offset=${next}`);
    await until(async () =>
      expect(await readerOf(bot.id, 'pull:audit')).toMatchObject({ waiting: true, position: 3 }),
    );

    // Replay, forwards and backwards.
    expect(await rewind({ bot_id: bot.id, reader: 'pull:audit', position: 1 })).toEqual({
      bot_id: bot.id,
      reader: 'pull:audit',
      position: 1,
      previous_position: 3,
      read_again: 2,
      skipped: 0,
    });
    expect((await waits).texts).toEqual([]);
    expect((await pull(bot.token, `consumer=audit&offset=${next}`)).texts).toEqual(['two']);
    expect(await rewind({ bot_id: bot.id, reader: 'pull', to: 'end' })).toMatchObject({
      position: 3,
      previous_position: 0,
      read_again: 0,
      skipped: 3,
    });
    expect(await rewind({ bot_id: bot.id, reader: 'push', since: 1 })).toMatchObject({
      position: 0,
      read_again: 3,
    });
    await until(() =>
      expect(backend.texts).toEqual(['one', 'two', 'three', 'one', 'two', 'three']),
    );
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
    expect(await rewind({ bot_id: bot.id, reader: 'push', since: tomorrow })).toMatchObject({
      position: 3,
    });

    // Removal, and its audit entries.
    await rewind({ bot_id: bot.id, reader: 'pull:audit', to: 'end' });
    const removed = pull(bot.token, `consumer=audit&timeout=50&offset=${next}`);
    await until(async () =>
      expect(await readerOf(bot.id, 'pull:audit')).toMatchObject({ waiting: true }),
    );
    const remove = `/api/bots/readers/remove?bot_id=${bot.id}&consumer=`;
    expect(await call(`${remove}audit`, {})).toMatchObject({ consumer: 'audit', position: 3 });
    expect((await removed).description).toMatch('consumer audit was removed');
    expect(await readerOf(bot.id, 'pull:audit')).toBeUndefined();
    const audit = await call<{ action: string; bot_id: number }[]>(
      `/api/adminlog?bot_id=${bot.id}`,
    );
    expect(audit.slice(0, 2)).toMatchObject([
      { action: 'bots.readers.remove', bot_id: bot.id },
      { action: 'bots.readers.rewind', bot_id: bot.id },
    ]);
    const metrics = (await ask(service, '/metrics')).text;
    expect(metrics).toMatch(/^relay_reader_dropped_updates\{kind="push"\} 0$/m);
    expect(metrics).toMatch(/^relay_readers\{kind="pull"\} 1$/m);
  });

  it('refuse what cannot be, and say what to do', async () => {
    const bot = await talkingBot({ long_poll_enabled: true });
    await bot.say('one');
    const remove = `/api/bots/readers/remove?bot_id=${bot.id}&consumer=`;
    const at = '/api/bots/readers/rewind';
    const keyOf = async (settings: object) =>
      (await call<{ key: string }>('/api/auth/api-keys', { name: 'limited', ...settings })).key;
    const reads = await keyOf({ scope: 'read' });
    const elsewhere = await keyOf({ scope: 'manage', bot_ids: [(await talkingBot({})).id] });
    const readers = `/api/bots/readers?bot_id=${bot.id}`;
    const rewound = { bot_id: bot.id, reader: 'pull', to: 'end' };
    expect(await ask(service, readers, undefined, reads)).toMatchObject({ status: 200 });
    for (const [to, body, key, code] of [
      [readers, undefined, elsewhere, 'bot_not_allowed'],
      [at, rewound, elsewhere, 'bot_not_allowed'],
      [`${remove}audit`, {}, elsewhere, 'bot_not_allowed'],
      [at, rewound, reads, 'insufficient_scope'],
      [`${remove}audit`, {}, reads, 'insufficient_scope'],
    ] as const) {
      expect(await ask(service, to, body, key)).toMatchObject({ status: 403, json: { code } });
    }
    const refusals: [string, object, number, RegExp][] = [
      [remove, {}, 409, /long_poll_enabled/],
      [`${remove}push`, {}, 409, /proxy_enabled/],
      [`${remove}routing`, {}, 409, /routes/],
      [`${remove}nobody`, {}, 404, /no reader pull:nobody/],
      [at, { bot_id: bot.id, reader: 'pull' }, 400, /one of position, since, to/],
      [at, { bot_id: bot.id, reader: 'pull', to: 'end', since: 1 }, 400, /exactly one of/],
      [at, { bot_id: bot.id, reader: 'pull', position: 2 }, 400, /at most 1, where the log/],
      [at, { bot_id: bot.id, reader: 'pull:nobody', to: 'end' }, 404, /no reader pull:nobody/],
      [at, { bot_id: bot.id, reader: 'push', to: 'end' }, 404, /no reader push/],
      [at, { bot_id: bot.id, reader: 'else', to: 'end' }, 400, /reader/],
      [at, { bot_id: 999, reader: 'pull', to: 'end' }, 404, /Unknown bot 999/],
    ];
    for (const [to, body, status, words] of refusals) {
      const answer = await ask(service, to, body);
      expect([to, answer.status, answer.text]).toEqual([to, status, expect.stringMatching(words)]);
    }
  });

  it('have routes act on what came before them, once', async () => {
    const desk = await talkingBot({});
    const shop = await talkingBot({});
    await desk.say('/start');
    await shop.say('first');
    await call('/api/routes/add', {
      source_bot_id: shop.id,
      target_bot_id: desk.id,
      action: 'copy',
      target_chat_id: desk.user,
    });
    await shop.say('second');
    const carried = async () => {
      const sent = await call<{ text: string }[]>(
        `/api/messages?bot_id=${desk.id}&chat_id=${desk.user}`,
      );
      return sent.map(({ text }) => text).toReversed();
    };
    await until(async () => expect(await carried()).toEqual(['/start', 'second']));
    await rewind({ bot_id: shop.id, reader: 'routing', to: 'start' });
    await until(async () => expect(await carried()).toEqual(['/start', 'second', 'first']));
    await rewind({ bot_id: shop.id, reader: 'routing', to: 'start' });
    await until(async () =>
      expect(await readerOf(shop.id, 'routing')).toMatchObject({ position: 2, behind: 0 }),
    );
    expect(await carried()).toEqual(['/start', 'second', 'first']);
  });

  it('have waiting clients ask again when the settings of the bot change', async () => {
    const bot = await talkingBot({ long_poll_enabled: true });
    const waits = pull(bot.token, 'timeout=50');
    await until(async () =>
      expect(await readerOf(bot.id, 'pull')).toMatchObject({ waiting: true, active: true }),
    );
    await call('/api/bots/update', { id: bot.id, long_poll_enabled: false });
    expect((await waits).texts).toEqual([]);
    expect((await pull(bot.token, 'timeout=50')).description).toMatch('getUpdates is off');
    expect(await readerOf(bot.id, 'pull')).toMatchObject({ waiting: false, active: false });
  });

  if (dialect === 'sqlite') {
    it.each([grammyBot, telegrafBot, nodeTelegramBot, gramioBot])(
      'make a client with $name read again, once, while it runs',
      async (library) => {
        const bot = await talkingBot({ long_poll_enabled: true });
        const running = await library.poll({ apiRoot: service.address, token: bot.token });
        onTestFinished(() => running.stop());
        const echoes = async () => {
          const seen = await call<{ text: string; user_id: number }[]>(
            `/api/messages?bot_id=${bot.id}&chat_id=${bot.user}`,
          );
          return seen
            .filter((one) => one.user_id !== bot.user)
            .map(({ text }) => text)
            .toReversed();
        };
        await bot.say('one', 'two', 'three');
        await until(async () => expect(await echoes()).toHaveLength(3));
        await rewind({ bot_id: bot.id, reader: 'pull', position: 1 });
        await until(async () => expect(await echoes()).toHaveLength(5));
        await bot.say('four');
        await until(async () =>
          expect((await echoes()).slice(3).toSorted()).toEqual(['four', 'three', 'two']),
        );
        await rewind({ bot_id: bot.id, reader: 'pull', position: 3 });
        await until(async () => expect((await echoes()).slice(6)).toEqual(['four']));
        await bot.say('five');
        await until(async () => expect((await echoes()).slice(6)).toEqual(['four', 'five']));
      },
    );
  }

  if (dialect === 'postgres') {
    it('follow changes made on another node', async () => {
      const folder = temporaryFolder();
      onTestFinished(folder.remove);
      const backend = await startBackend();
      const bot = await talkingBot({
        backend_url: backend.url,
        proxy_enabled: true,
        long_poll_enabled: true,
      });
      await bot.say('one', 'two');
      await until(() => expect(backend.texts).toEqual(['one', 'two']));
      const other = await start(folder.path);

      const { next } = await pull(bot.token, '');
      const older = pull(bot.token, `timeout=50&offset=${next}`);
      await until(async () =>
        expect(await readerOf(bot.id, 'pull')).toMatchObject({ waiting: true }),
      );
      expect(await readerOf(bot.id, 'pull', other)).toMatchObject({ waiting: false });
      const pollOther = () => pull(bot.token, `timeout=50&offset=${next}`, other);
      let newer = pollOther();
      const isNewer = await Promise.race([older.then(() => false), newer.then(() => true)]);
      // Polls are told apart by their announcements, and that of the other node may come first.
      if (isNewer) newer = pollOther();
      expect((await older).description).toMatch('terminated by other getUpdates request');
      await until(async () =>
        expect(await readerOf(bot.id, 'pull', other)).toMatchObject({ waiting: true }),
      );
      await rewind({ bot_id: bot.id, reader: 'pull', to: 'start' });
      expect((await newer).texts).toEqual([]);
      expect((await pull(bot.token, `offset=${next}`, other)).texts).toEqual(['one']);

      const idle = pull(bot.token, 'consumer=idle&timeout=50', other);
      await until(async () =>
        expect(await readerOf(bot.id, 'pull:idle', other)).toMatchObject({ waiting: true }),
      );
      await call('/api/bots/update', { id: bot.id, name: 'Renamed' });
      expect((await idle).texts).toEqual([]);

      // Each node is asked once, so that one of them does not own the bot.
      await rewind({ bot_id: bot.id, reader: 'push', position: 1 }, other);
      await until(() => expect(backend.texts).toEqual(['one', 'two', 'two']));
      await rewind({ bot_id: bot.id, reader: 'push', to: 'start' });
      await until(() => expect(backend.texts).toEqual(['one', 'two', 'two', 'one', 'two']));
    });
  }
});

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

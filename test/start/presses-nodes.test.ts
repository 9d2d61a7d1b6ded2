import { expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createSandbox } from '../../sandbox/src/index.ts';
import { askService } from '../support/ask-service.ts';
import { createDatabase } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { createHoldableClock } from '../support/rigs/holdable-clock.ts';

interface Update {
  update_id: number;
  callback_query?: { data: string };
}

it('a node gives a press to the app that just sent the button through another node', async () => {
  const clock = createHoldableClock();
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const sandbox = createSandbox({ seed: 1 });
  onTestFinished(() => sandbox.close());
  // Shows a message at once, and tells of it when it is asked to.
  let answer = () => {};
  const platform = await serve((request, response) => {
    const end = response.end.bind(response);
    if (request.url?.endsWith('/sendMessage')) {
      const later = (text: string) => {
        answer = () => void end(text);
        return response;
      };
      response.end = later as typeof response.end;
    }
    sandbox.handle(request, response);
  });
  onTestFinished(platform.close);
  async function start(): Promise<Service> {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const env = {
      ...database.settings,
      RELAY_DATA_DIR: folder.path,
      PORT: '0',
      RELAY_SANDBOX: 'off',
      TELEGRAM_API_URL: platform.url,
      RELAY_SECRET_KEY: 'k'.repeat(40),
    };
    const config = toConfig(readSettings({ env, workingDir: folder.path }));
    const service = await startService(config, {
      logger: createLogger({ level: 'silent' }),
      clock,
    });
    onTestFinished(() => service.close());
    return service;
  }
  const runs = await start();
  const sends = await start();
  const made = sandbox.createBot({ first_name: 'Bot' });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  const { id } = await askService<{ id: number }>(runs, '/api/bots/add', { token: made.token });
  const add = (name: string, settings: object) =>
    askService<{ token: string }>(runs, '/api/bots/apps/add', { bot_id: id, name, ...settings });
  const shop = await add('shop', { own_replies: true });
  const other = await add('other', {});
  async function call<T>(service: Service, token: string, method: string, params: object) {
    const answer = await fetch(`${service.address}/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const { ok, result } = (await answer.json()) as { ok: boolean; result: T };
    expect(ok).toBe(true);
    return result;
  }
  sandbox.say(ann.id, made.id, 'hello');
  for (const { token } of [shop, other]) {
    const got = await call<Update[]>(sends, token, 'getUpdates', { timeout: 50 });
    await call(sends, token, 'getUpdates', { offset: (got[0]?.update_id ?? 0) + 1 });
  }

  const buttons = { inline_keyboard: [[{ text: 'Buy', callback_data: 'buy' }]] };
  const message = { chat_id: ann.id, text: 'Tea?', reply_markup: buttons };
  // A press waits for a second at most.
  clock.hold();
  onTestFinished(() => clock.release());
  const sent = call<{ message_id: number }>(sends, shop.token, 'sendMessage', message);
  const shown = await vi.waitFor(
    () => {
      const last = sandbox.history(ann.id, made.id).at(-1);
      if (last?.message.text !== 'Tea?') throw new Error('not shown yet');
      return last.message;
    },
    { interval: 5 },
  );
  sandbox.press(ann.id, made.id, shown.message_id, 'Buy');
  // Time to store the press, if it did not wait for the send.
  await new Promise((resolve) => setTimeout(resolve, 200));
  answer();
  await sent;
  clock.release();
  const pressed = await call<Update[]>(runs, shop.token, 'getUpdates', { timeout: 50 });
  expect(pressed.map((update) => update.callback_query?.data)).toEqual(['buy']);
  expect(await call(runs, other.token, 'getUpdates', {})).toEqual([]);
});

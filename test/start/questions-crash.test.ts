import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox } from '../../sandbox/src/index.ts';
import { type DialectName, raw } from '../../src/store/engine.ts';
import { inspect } from '../invariants/support/reconcile.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

interface Asked {
  id: number;
  state: string;
  send_state: string;
  answer: string;
  callback_state: string;
}

/** Telegram, a person with a bot, and a backend for answers, outside the processes that are killed. */
async function createStage(dialect: DialectName) {
  const database = await createDatabase(dialect);
  onTestFinished(() => database.drop());
  const sandbox = createSandbox({ seed: 1 });
  onTestFinished(() => sandbox.close());
  const holds = { methods: new Set<string>(), seen: [] as string[] };
  // Telegram does what it is asked to, but a method that is held gets no answer.
  const platform = await serve((request, response) => {
    const method = /\/bot[^/]+\/(\w+)/.exec(request.url ?? '')?.[1] ?? '';
    if (holds.methods.has(method)) {
      holds.seen.push(method);
      response.end = () => response;
    }
    sandbox.handle(request, response);
  });
  onTestFinished(platform.close);
  const calls: string[] = [];
  const answers = { isTaken: false };
  const backend = await serve((request, response) => {
    calls.push(String(request.headers['webhook-id']));
    if (answers.isTaken) response.writeHead(204).end();
  });
  onTestFinished(backend.close);
  const bot = sandbox.createBot({ first_name: 'Bot' });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann.id, bot.id, '/start');
  return {
    ann,
    answers,
    backend,
    bot,
    calls,
    database,
    holds,
    sandbox,
    shown: () => sandbox.history(ann.id, bot.id).map(({ message }) => message),
    start: (settings = database.settings) =>
      startServiceProcess(
        { settings },
        { TELEGRAM_API_URL: platform.url, RELAY_BACKENDS: 'private-ok' },
      ),
  };
}

const get = (service: ServiceProcess, id: number, timeout = 0) =>
  service.call<Asked>(`/api/ask?id=${id}&timeout=${timeout}`);
const soon = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 20 });
const options = ['Yes', 'No'];

describe.each(dialects)('a question on %s', (dialect) => {
  it('is asked, answered and reported once, though the service is killed at each step', async () => {
    const stage = await createStage(dialect);
    const { ann, answers, backend, bot, calls, database, holds, sandbox } = stage;
    const held = (method: string) => soon(() => expect(holds.seen).toContain(method));
    const named = (text: string) => stage.shown().filter((one) => one.text?.startsWith(text));

    let service = await stage.start();
    const { id: bot_id } = await service.call<{ id: number }>('/api/bots/add', {
      token: bot.token,
      secret_token: 'a_secret_of_the_backend',
    });
    const about = { bot_id, chat_id: ann.id, options, callback_url: `${backend.url}/answers` };
    const ask = async (text: string) => {
      const headers = { 'idempotency-key': text };
      const answer = await service.request('/api/ask', { body: { ...about, text }, headers });
      return (await answer.json()) as Asked;
    };

    // Killed while Telegram has one message and has not answered, and at any moment of asking another.
    holds.methods.add('sendMessage');
    const first = await ask('Deploy?');
    await held('sendMessage');
    const lost = ask('Again?').catch(() => undefined);
    await service.crash();
    await lost;
    holds.methods.clear();
    service = await stage.start();
    expect(await ask('Deploy?')).toMatchObject({ id: first.id, state: 'open' });
    await soon(async () => expect((await get(service, first.id)).send_state).toBe('unknown'));
    expect(named('Deploy?')).toHaveLength(1);

    // The key tells whether it was asked.
    const again = await ask('Again?');
    const listed = await service.call<{ id: number; text: string }[]>('/api/ask/list');
    expect(listed.filter(({ text }) => text === 'Again?')).toEqual([
      expect.objectContaining({ id: again.id }),
    ]);
    await soon(() => expect(named('Again?')).toHaveLength(1));

    // Killed while Telegram does not answer to what the press caused. The button is there still.
    holds.methods = new Set(['answerCallbackQuery', 'editMessageText']);
    const deploy = named('Deploy?')[0]?.message_id ?? 0;
    sandbox.press(ann.id, bot.id, named('Again?')[0]?.message_id ?? 0, 'Yes');
    await held('answerCallbackQuery');
    await soon(() => expect(calls).toContain(`ask_${again.id}`));
    await service.crash();
    holds.methods.clear();
    // Pressed while nothing runs.
    sandbox.press(ann.id, bot.id, deploy, 'No');
    await inspect(database, (engine) =>
      engine.write(() => raw('update questions set callback_at = 1 where callback_at > 1')),
    );
    answers.isTaken = true;
    service = await stage.start();
    expect(await get(service, first.id, 50)).toMatchObject({ state: 'answered', answer: 'No' });
    expect(await get(service, again.id)).toMatchObject({ state: 'answered', answer: 'Yes' });
    await soon(async () => {
      for (const { id } of [first, again]) {
        expect(await get(service, id)).toMatchObject({ callback_state: 'delivered' });
      }
    });
    expect(calls.filter((id) => id === `ask_${again.id}`)).toHaveLength(2);
    expect(calls.filter((id) => id === `ask_${first.id}`)).toHaveLength(1);
    await soon(() => expect(named('Deploy?')[0]?.text).toBe('Deploy?\n\n✅ No (Ann)'));
    expect(await service.stop()).toMatchObject({ code: 0 });
  });
});

it('a question asked on a node that is killed is answered on another one', async () => {
  const stage = await createStage('postgres');
  const { ann, bot, database, sandbox } = stage;
  const first = await stage.start();
  const { id: bot_id } = await first.call<{ id: number }>('/api/bots/add', { token: bot.token });
  const { id } = await first.call<Asked>('/api/ask', {
    bot_id,
    chat_id: ann.id,
    text: 'Deploy?',
    options,
  });
  await soon(async () => expect((await get(first, id)).send_state).toBe('sent'));
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const second = await stage.start({ ...database.settings, RELAY_DATA_DIR: folder.path });
  await first.crash();
  sandbox.press(ann.id, bot.id, stage.shown().at(-1)?.message_id ?? 0, 'Yes');
  expect(await get(second, id, 50)).toMatchObject({ state: 'answered', answer: 'Yes' });
  await soon(() => expect(stage.shown().at(-1)?.text).toBe('Deploy?\n\n✅ Yes (Ann)'));
});

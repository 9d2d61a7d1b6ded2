import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox } from '../../sandbox/src/index.ts';
import type { Clock } from '../../src/clock.ts';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { backUp, restore } from '../../src/manage/service/backup.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { askService } from '../support/ask-service.ts';
import { createDatabase, eitherDialect } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';

interface Asked {
  id: number;
  message_id: number;
  state: string;
  send_state: string;
  answer: string;
  callback_state: string;
}

const options = ['Yes', 'No'];
const hourMs = 3_600_000;

/** A service on a Telegram that edits nothing, so that buttons stay. */
async function createStage(dialect: DialectName, clock?: Clock) {
  const database = await createDatabase(dialect);
  onTestFinished(() => database.drop());
  const sandbox = createSandbox({ seed: 1 });
  onTestFinished(() => sandbox.close());
  const platform = await serve((request, response) => {
    if (!request.url?.endsWith('/editMessageText')) return sandbox.handle(request, response);
    const refused = { ok: false, error_code: 400, description: 'Bad Request: no edits today' };
    request.resume();
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refused));
  });
  onTestFinished(platform.close);
  const env = {
    ...database.settings,
    PORT: '0',
    RELAY_SANDBOX: 'off',
    RELAY_BACKENDS: 'private-ok',
    TELEGRAM_API_URL: platform.url,
    RELAY_SECRET_KEY: 'k'.repeat(40),
  };
  const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
  const logger = createLogger({ level: 'silent' });
  async function start(): Promise<Service> {
    const service = await startService(config, { logger, ...(clock ? { clock } : {}) });
    onTestFinished(() => service.close());
    return service;
  }
  const bot = sandbox.createBot({ first_name: 'Bot' });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann.id, bot.id, '/start');
  /** Presses, and returns what the person is told. */
  async function press(messageId: number, button: string) {
    const { id } = sandbox.press(ann.id, bot.id, messageId, button) as { id: string };
    return vi.waitFor(() => {
      const answer = sandbox.callbackAnswer(id);
      expect(answer).toBeDefined();
      return answer?.text;
    });
  }
  return { ann, bot, dataDir: database.dataDir, press, start };
}

const get = (service: Service, id: number) => askService<Asked>(service, `/api/ask?id=${id}`);
const becomes = (service: Service, id: number, expected: Partial<Asked>) =>
  vi.waitFor(
    async () => {
      const asked = await get(service, id);
      expect(asked).toMatchObject(expected);
      return asked;
    },
    { interval: 20 },
  );

describe.each(eitherDialect)('a question on %s', (dialect) => {
  it('expires when the clock is set forward; a later or second press decides nothing', async () => {
    const clock = createJumpingClock();
    const stage = await createStage(dialect, clock);
    const service = await stage.start();
    const { id: bot_id } = await askService<{ id: number }>(service, '/api/bots/add', {
      token: stage.bot.token,
    });
    const body = { bot_id, chat_id: stage.ann.id, text: 'Refund?', options };
    const late = await askService<Asked>(service, '/api/ask', body);
    const { message_id } = await becomes(service, late.id, { send_state: 'sent' });
    clock.jump(23 * hourMs);
    expect(await get(service, late.id)).toMatchObject({ state: 'open' });
    clock.jump(2 * hourMs);
    await becomes(service, late.id, { state: 'expired' });
    expect(await stage.press(message_id, 'Yes')).toBe('This question has expired.');
    expect(await get(service, late.id)).toMatchObject({ state: 'expired', answer: '' });

    const other = await askService<Asked>(service, '/api/ask', { ...body, text: 'Now?' });
    const asked = await becomes(service, other.id, { send_state: 'sent' });
    expect(await stage.press(asked.message_id, 'No')).toBe('No');
    const told = await stage.press(asked.message_id, 'Yes');
    expect(told).toBe('Somebody has answered this question already.');
    expect(await get(service, other.id)).toMatchObject({ state: 'answered', answer: 'No' });
  });

  it('is asked, answered and reported though the clock is set back by days', async () => {
    const calls: string[] = [];
    const backend = await serve((request, response) => {
      calls.push(String(request.headers['webhook-id']));
      response.writeHead(204).end();
    });
    onTestFinished(backend.close);
    const clock = createJumpingClock();
    const stage = await createStage(dialect, clock);
    const service = await stage.start();
    const { id: bot_id } = await askService<{ id: number }>(service, '/api/bots/add', {
      token: stage.bot.token,
      secret_token: 'a_secret_of_the_backend',
    });
    const callback_url = `${backend.url}/answers`;
    const about = { bot_id, chat_id: stage.ann.id, options, callback_url };
    const ask = (text: string) => askService<Asked>(service, '/api/ask', { ...about, text });
    const before = await ask('Before?');
    const { message_id } = await becomes(service, before.id, { send_state: 'sent' });
    clock.setBy(-3 * 24 * hourMs);
    expect(await stage.press(message_id, 'Yes')).toBe('Yes');
    const after = await ask('After?');
    expect(after.id).toBeGreaterThan(before.id);
    const asked = await becomes(service, after.id, { send_state: 'sent' });
    expect(await stage.press(asked.message_id, 'No')).toBe('No');
    const delivered = { state: 'answered', callback_state: 'delivered' };
    for (const { id } of [before, after]) await becomes(service, id, delivered);
    expect(calls.toSorted()).toEqual([`ask_${before.id}`, `ask_${after.id}`].toSorted());
  });
});

it('a restored backup has its questions, open as they were, and gives no number twice', async () => {
  const stage = await createStage('sqlite');
  const { dataDir } = stage;
  let service = await stage.start();
  const { id: bot_id } = await askService<{ id: number }>(service, '/api/bots/add', {
    token: stage.bot.token,
  });
  const ask = (text: string) => {
    const body = { bot_id, chat_id: stage.ann.id, text, options };
    return askService<Asked>(service, '/api/ask', body);
  };
  const kept = await ask('Kept?');
  const { message_id } = await becomes(service, kept.id, { send_state: 'sent' });
  const file = path.join(dataDir, 'copy.db');
  await backUp(dataDir, file, { force: false });
  const lost = await ask('Lost?');
  await becomes(service, lost.id, { send_state: 'sent' });
  await service.close();
  restore(dataDir, file, { force: true, stamp: 'x', nowMs: Date.now() });
  service = await stage.start();
  const missing = await fetch(`${service.address}/api/ask?id=${lost.id}`, {
    headers: { authorization: `Bearer ${service.localKey}` },
  });
  expect(missing.status).toBe(404);
  expect((await ask('Next?')).id).toBeGreaterThan(lost.id);
  expect(await stage.press(message_id, 'Yes')).toBe('Yes');
  expect(await get(service, kept.id)).toMatchObject({ state: 'answered', answer: 'Yes' });
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createSandbox } from '../../sandbox/src/index.ts';
import { askService } from '../support/ask-service.ts';
import { createDatabase } from '../support/database/engines.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { createHoldableClock } from '../support/rigs/holdable-clock.ts';

interface Asked {
  id: number;
  state: string;
  send_state: string;
  message_id: number;
  answer: string;
}

it('a question asked on one node is answered and awaited on others', async () => {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const sandbox = createSandbox({ seed: 1 });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  async function start(clock = createHoldableClock()): Promise<Service> {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const env = {
      ...database.settings,
      RELAY_DATA_DIR: folder.path,
      PORT: '0',
      RELAY_SANDBOX: 'off',
      TELEGRAM_API_URL: url,
      RELAY_SECRET_KEY: 'k'.repeat(40),
    };
    const config = toConfig(readSettings({ env, workingDir: folder.path }));
    const logger = createLogger({ level: 'silent' });
    const service = await startService(config, { logger, clock });
    onTestFinished(() => service.close());
    return service;
  }
  const asks = await start();
  const made = sandbox.createBot({ first_name: 'Bot' });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  const { id: bot_id } = await askService<{ id: number }>(asks, '/api/bots/add', {
    token: made.token,
  });
  sandbox.say(ann.id, made.id, '/start');
  const get = (service: Service, id: number, timeout = 0) =>
    askService<Asked>(service, `/api/ask?id=${id}&timeout=${timeout}`);
  async function ask(service: Service, text: string): Promise<Asked> {
    const body = { bot_id, chat_id: ann.id, text, options: ['Yes', 'No'] };
    const { id } = await askService<Asked>(service, '/api/ask', body);
    return vi.waitFor(async () => {
      const asked = await get(service, id);
      expect(asked.send_state).toBe('sent');
      return asked;
    });
  }
  const first = await ask(asks, 'Before it ends?');
  const other = await start();

  // The other node waits, while the bot runs on the first.
  const second = await ask(other, 'Who waits?');
  const waits = get(other, second.id, 50);
  sandbox.press(ann.id, made.id, second.message_id, 'Yes');
  expect(await waits).toMatchObject({ state: 'answered', answer: 'Yes' });

  // The node that asked is gone, and the other takes its bot.
  await asks.close();
  sandbox.press(ann.id, made.id, first.message_id, 'No');
  expect(await get(other, first.id, 50)).toMatchObject({ state: 'answered', answer: 'No' });
  await vi.waitFor(() => {
    const texts = sandbox.history(ann.id, made.id).map(({ message }) => message.text);
    expect(texts).toContain('Before it ends?\n\n✅ No (Ann)');
  });
});

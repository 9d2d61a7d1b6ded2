import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox } from '../../sandbox/src/index.ts';
import { createMachine } from '../support/command.ts';

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** Runs an example until it prints the expected text; ends with the test. */
async function run(name: string, env: Record<string, string>, ready: RegExp): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [example(name)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk.toString();
      const found = ready.exec(output);
      if (found) resolve(found[1] ?? '');
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => reject(new Error(`${name} ended: ${output}`)));
  });
}

async function post<T>(address: string, key: string, path: string, body: object): Promise<T> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

/** A service with a bot that is served by a sandbox, and a person in it. */
async function setUp(settings: object) {
  const { sandbox, token, startService } = await createMachine();
  const { address, localKey } = await startService();
  await post(address, localKey, '/api/bots/add', { token, ...settings });
  const user = sandbox.createUser({ first_name: 'Anna' }).id;
  const texts = () => sandbox.history(user, 'shop_bot').map(({ message }) => message.text);
  const arrives = (text: string) =>
    vi.waitFor(() => expect(texts()).toContain(text), { interval: 50 });
  return { sandbox, token, address, user, arrives };
}

describe('the examples', () => {
  it('grammY polls through the relay', async () => {
    const { sandbox, token, address, user, arrives } = await setUp({ long_poll_enabled: true });
    await run('grammy-polling.js', { BOT_TOKEN: token, API_ROOT: address }, /is listening/);
    sandbox.say(user, 'shop_bot', '/start');
    await arrives('Which tea would you like?');
    const asked = sandbox.history(user, 'shop_bot').at(-1)?.message.message_id ?? 0;
    sandbox.press(user, 'shop_bot', asked, 'Green');
    await arrives('One green tea.');
  });

  it('grammY polls the sandbox itself', async () => {
    const sandbox = createSandbox({ seed: 1 });
    onTestFinished(() => sandbox.close());
    const { url } = await sandbox.listen();
    const { token, id } = sandbox.createBot({ username: 'shop_bot' });
    const user = sandbox.createUser().id;
    await run('grammy-polling.js', { BOT_TOKEN: token, API_ROOT: url }, /is listening/);
    sandbox.say(user, id, 'hello');
    await vi.waitFor(
      () => expect(sandbox.history(user, id).at(-1)?.message.text).toBe('You said: hello'),
      { interval: 50 },
    );
  });

  it('a backend in plain Node is pushed to, and answers', async () => {
    const url = await run(
      'webhook-backend.js',
      { SECRET: 'a-secret', PORT: '0' },
      /listening on (\S+)\n/,
    );
    const { sandbox, user, arrives } = await setUp({
      backend_url: url,
      proxy_enabled: true,
      secret_token: 'a-secret',
    });
    for (const [method, status] of [
      ['HEAD', 405],
      ['POST', 400],
    ] as const) {
      const headers = { 'x-telegram-bot-api-secret-token': 'a-secret' };
      expect(await fetch(url, { method, headers })).toMatchObject({ status });
    }
    sandbox.say(user, 'shop_bot', 'quiet words');
    await arrives('QUIET WORDS');
  });
});

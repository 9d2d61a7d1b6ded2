import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startOptions } from '../../sandbox/src/start-options.ts';
import { temporaryFolder } from '../support/relay-process.ts';

const main = fileURLToPath(new URL('../../sandbox/src/main.ts', import.meta.url));

/** Its start command, in a separate process. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<string>((resolve) => {
    const hear = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /ready at (\S+)[\s\S]*curl/.exec(output)?.[1];
      if (url) resolve(url);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
  });
  return { ready, ended, output: () => output, stop: () => child.kill('SIGINT') };
}

it('starts without the service, stores its world and stops in order', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = path.join(folder.path, 'world.json');
  const sandbox = start('--port', '0', '--seed', '1', '--data', file);
  const url = await sandbox.ready;
  const response = await fetch(`${url}/sandbox/say`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'anna', chat: 'practice_bot', text: 'Hello' }),
  });
  expect(await response.json()).toMatchObject({ message_id: 1, text: 'Hello' });
  sandbox.stop();
  expect(await sandbox.ended).toBe(0);
  expect(existsSync(file)).toBe(true);
});

it('lists its options, and says what is wrong with one', async () => {
  const help = start('--help');
  expect(await help.ended).toBe(0);
  for (const { name } of startOptions) expect(help.output()).toContain(`--${name}`);
  for (const [args, words] of [
    [['--seed', '-1'], '--seed'],
    [['--port', '99999'], '--port 99999: it must be a whole number from 0 to 65535.'],
    [['--sed', '1'], "Unknown option '--sed'"],
  ] as const) {
    const wrong = start(...args);
    expect(await wrong.ended).toBe(1);
    expect(wrong.output()).toContain(words);
  }
});

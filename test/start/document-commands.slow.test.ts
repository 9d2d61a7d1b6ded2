// The commands of the documents, run as they stand. They need curl, which a bare machine lacks.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox } from '../../sandbox/src/index.ts';
import { createMachine } from '../support/command.ts';
import { startRelay, temporaryFolder } from '../support/relay-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

describe('the commands of the documents', () => {
  it('show how a route is added and tried', async () => {
    const [, example = ''] = /```sh\n([\s\S]*?)```/.exec(read('docs/routing.md')) ?? [];
    const machine = await createMachine();
    const { address, localKey } = await machine.startService();
    const other = machine.sandbox.createBot({ username: 'money_bot', first_name: 'Money' });
    for (const token of [machine.token, other.token]) {
      await machine.json(['bots', 'add', '--token-stdin'], `${token}\n`);
    }
    const script = example
      .replace(/^RELAY=.*$/m, `RELAY=${address}`)
      .replace(/^KEY=.*$/m, `KEY=${localKey}`)
      .replaceAll(/^$/gm, 'echo');
    const { stdout } = await promisify(execFile)('sh', ['-euc', script]);
    const answers = stdout.trim().split('\n').filter(Boolean);
    expect(answers.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: 1, source_bot_id: 1, target_bot_id: 2 },
      { outcome: 'routed', target_bot_id: 2, reason: expect.stringContaining('refund') },
    ]);
  });

  it('begin with a walk that works as it stands', async () => {
    const blocks = [...read('README.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code);
    const walk = blocks.find((code) => code?.includes('curl')) ?? '';
    const machine = await createMachine();
    machine.env['RELAY_SANDBOX'] = 'on';
    const { address, localKey } = await machine.startService();
    const script = walk
      .replace(/^RELAY=.*$/m, `RELAY=${address}`)
      .replace(/^KEY=.*$/m, `KEY=${localKey}`);
    expect(script).toContain(localKey);
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', script]);
    expect(stderr).toBe('');
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(answers).toMatchObject([
      { text: 'Do you have green tea?' },
      { ok: true, result: [{ message: { text: 'Do you have green tea?' } }] },
      { text: 'Always.', bot_id: 1 },
      [{ text: 'Always.' }, { text: 'Do you have green tea?' }],
      { ok: true, result: { is_bot: true, first_name: 'Tea shop' } },
    ]);
  });

  it('has lines for a shell that work one after the other', async () => {
    const sandbox = createSandbox({ seed: 1 });
    onTestFinished(() => sandbox.close());
    sandbox.createBot({ username: 'practice_bot' });
    sandbox.createUser({ first_name: 'Anna', username: 'anna' });
    const { url } = await sandbox.listen();
    const script = [...read('docs/sandbox.md').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
      .map(([, lines = '']) => lines)
      .filter((lines) => lines.startsWith('act'))
      .join('')
      .replaceAll('http://127.0.0.1:8081', url);
    const { stdout } = await promisify(execFile)('sh', ['-euc', script]);
    const answers = stdout.trim().split('\n');
    expect(answers).toHaveLength([...script.matchAll(/^act \w/gm)].length);
    for (const answer of answers) expect(JSON.parse(answer)).not.toHaveProperty('error');
  });

  it('a shell talks to the sandbox, as the command starts it', async () => {
    const folder = temporaryFolder();
    const running = await startRelay(
      {},
      { args: ['sandbox', '--seed', '1', '--data', `${folder.path}/new/world.json`] },
    );
    onTestFinished(async () => {
      await running.stop('SIGKILL');
      folder.remove();
    });
    const env = { PATH: process.env['PATH'] ?? '', SANDBOX: running.address };
    const { stdout, stderr } = await promisify(execFile)(
      'sh',
      [path.join(root, 'examples', 'talk.sh')],
      { env },
    );
    expect(stderr).toBe('');
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(answers).toMatchObject([
      { text: 'Do you have green tea?' },
      { ok: true, result: [{ message: { text: 'Do you have green tea?' } }] },
      { ok: true, result: { text: 'Always. How much?' } },
      { type: 'callback' },
      { ok: true, result: [{ callback_query: { data: '100' } }] },
      [{ outgoing: true }, { outgoing: false }],
    ]);
    await vi.waitFor(() =>
      expect(running.stdout()).toMatch(/@practice_bot {2}\d+:\S+\nLet Anna write to @practice_bot/),
    );
    expect(await running.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
  });
});

// The code blocks of the guides, run as they stand. They need curl, which a bare machine lacks.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox } from '../../sandbox/src/index.ts';
import { type CodeBlock, codeBlocksOf, guides } from '../../scripts/document-blocks.ts';
import { readSettings, toConfig } from '../../src/config.ts';
import { createMachine } from '../support/command.ts';
import { openShell, startScript } from './support/document-shell.ts';
import { freePort } from '../support/local-server.ts';
import { startRelay, temporaryFolder } from '../support/relay-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const pages = guides(root);
const runnable = (text: string) => codeBlocksOf(text).filter(({ notRun }) => !notRun);

/** The basis of the guides: the address, the key, two practice bots, a route. */
const beginning = runnable(read('docs/quick-start.md').split('\n## Forward')[0] ?? '');

/** A block that only asks may be asked until the answer is the expected one, as a reader would. */
const onlyReads = ({ code }: CodeBlock) =>
  code.split('\n').every((line) => /^(?:api |$|#)/.test(line) && !/ -[dX] /.test(line));

/** The last line of JSON: a background process may print lines, too. */
const lastAnswer = (output: string) =>
  output.split('\n').findLast((line) => /^[[{]/.test(line)) ?? '';

/** A fresh service, the sandbox on its own, and a way to run blocks against them. */
async function openPage() {
  const machine = await createMachine();
  machine.env['RELAY_SANDBOX'] = 'on';
  const { address, localKey } = await machine.startService();
  const sandbox = createSandbox({ seed: 1 });
  onTestFinished(() => sandbox.close());
  sandbox.createBot({ username: 'practice_bot' });
  sandbox.createUser({ first_name: 'Anna', username: 'anna' });
  const { url } = await sandbox.listen();
  const ports = [await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: machine.folder,
    TMPDIR: machine.folder,
    ...machine.env,
  };
  // A clone whose data and files are its own.
  for (const name of ['bin', 'examples', 'node_modules', 'sandbox', 'scripts']) {
    symlinkSync(path.join(root, name), path.join(machine.folder, name));
  }
  const shell = openShell(machine.folder, env);
  onTestFinished(() => shell.close());
  const placed = (code: string) =>
    code
      .replaceAll('http://127.0.0.1:8080', address)
      .replaceAll('http://127.0.0.1:8081', url)
      .replaceAll(/\b300([01])\b/g, (_, last: string) => String(ports[Number(last)]))
      .replace(/^KEY=.*$/m, `KEY=${localKey}`);

  async function runScript(code: string, language: 'js' | 'ts'): Promise<void> {
    const token = (await shell.run('echo "$TOKEN"')).trim();
    const script = startScript(placed(code), {
      language,
      cwd: machine.folder,
      env: { ...env, BOT_TOKEN: token },
    });
    onTestFinished(() => script.stop());
    if (!/BOT_TOKEN|createServer/.test(code)) {
      await script.done;
      return;
    }
    await script.ready;
    if (!code.includes('BOT_TOKEN')) return;
    // A bot: it repeats what Anna says, from its first poll on. Then it stops, as the next one polls the same queue.
    const words = `Are you there? ${Math.random()}`;
    const say = `api sandbox/say -d '{"user": "anna", "chat": "tea_bot", "text": "${words}"}'`;
    await vi.waitFor(
      async () => {
        await shell.run(say);
        const seen = await shell.run("api 'sandbox/history?user=anna&chat=tea_bot'");
        const texts = (JSON.parse(seen) as { outgoing: boolean; message: { text: string } }[])
          .filter(({ outgoing }) => !outgoing)
          .map(({ message }) => message.text);
        expect(texts).toContain(words);
      },
      { interval: 500 },
    );
    await script.stop();
  }

  async function runShell(block: CodeBlock, expected: CodeBlock | undefined): Promise<void> {
    const code = placed(block.code);
    let output = await shell.run(code);
    if (expected === undefined) return;
    const wanted = JSON.parse(placed(expected.code)) as object;
    await vi.waitFor(
      async () => {
        try {
          expect(JSON.parse(lastAnswer(output))).toMatchObject(wanted);
        } catch (error) {
          if (onlyReads(block)) output = await shell.run(code);
          throw error;
        }
      },
      { timeout: onlyReads(block) ? 30_000 : 0, interval: 100 },
    );
  }

  return async (blocks: readonly CodeBlock[]) => {
    for (const [index, block] of blocks.entries()) {
      const next = blocks[index + 1];
      const where = `line ${block.line}`;
      try {
        if (block.language === 'sh') {
          await runShell(block, next?.language === 'json' ? next : undefined);
        } else if (block.language === 'js' || block.language === 'ts') {
          await runScript(block.code, block.language);
        } else if (block.language === 'yaml') {
          const workingDir = path.join(machine.folder, 'settings');
          mkdirSync(workingDir);
          writeFileSync(path.join(workingDir, 'bot-relay.yaml'), block.code);
          toConfig(readSettings({ env: {}, workingDir }));
        } else if (block.language !== 'json') {
          throw new Error(`nothing runs "${block.language}"`);
        }
      } catch (error) {
        throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    }
  };
}

describe('the code blocks of', () => {
  for (const [name, text] of pages) {
    const blocks = runnable(text);
    if (blocks.length === 0 || name === 'README.md') continue;
    it(`${name} work one after the other`, async () => {
      const run = await openPage();
      if (name !== 'docs/quick-start.md') await run(beginning);
      await run(blocks);
    });
  }
});

describe('the commands of the documents', () => {
  it('begin with a walk that works as it stands', async () => {
    const [walk] = runnable(read('README.md'));
    const machine = await createMachine();
    machine.env['RELAY_SANDBOX'] = 'on';
    const { address, localKey } = await machine.startService();
    const script = (walk?.code ?? '')
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

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../../scripts/check-documents.ts';
import { generatedDocuments, withGenerated } from '../../scripts/write-docs.ts';
import { createMachine } from '../support/command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

describe('the documents', () => {
  it('hold what the code says (npm run docs writes it)', () => {
    for (const [name, part] of generatedDocuments()) {
      expect(withGenerated(read(name), part), name).toBe(read(name));
    }
  });

  it('name only what there is', () => {
    expect(checkDocuments(root)).toEqual([]);
  });

  it('start a service with the flags of npm start', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    const [, flags = ''] = /^node (--.*start)$/.exec(scripts.start) ?? [];
    expect(flags).not.toBe('');
    expect(read('docs/production.md')).toContain(`/node_modules/node/bin/node ${flags}\n`);
  });

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
});

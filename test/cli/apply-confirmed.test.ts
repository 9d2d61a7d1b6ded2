import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { confirm } from '@clack/prompts';
import { expect, it, vi } from 'vitest';
import { runCommand } from '../../src/cli.ts';
import { createMachine } from '../support/command.ts';

vi.mock('@clack/prompts', async (original) => ({
  ...(await original<object>()),
  confirm: vi.fn(),
}));

it('apply deletes nothing that it did not ask about', async () => {
  const machine = await createMachine();
  await machine.startService();
  const added = await machine.json<{ id: number }>(
    ['bots', 'add', '--name', 'Shop', '--token-stdin'],
    `${machine.token}\n`,
  );
  const file = path.join(machine.folder, 'relay.yaml');
  writeFileSync(file, 'version: 1\nbots: []\n');
  const app = (name: string) => machine.json(['apps', 'add', String(added.id), name]);
  await app('orders');
  const id = machine.token.split(':')[0];
  const asked: string[] = [];
  vi.mocked(confirm).mockImplementation(async ({ message }) => {
    // Somebody else is at work while the question is read.
    if (asked.push(message) === 1) await app('late');
    return true;
  });
  const apply = async () => {
    let said = '';
    const out = (text: string) => void (said += text);
    const code = await runCommand(['apply', '-f', file, '--prune'], {
      env: machine.env,
      stdin: (async function* () {})(),
      out,
      err: out,
      interactive: true,
      colours: false,
    });
    return { code, said };
  };
  const refused = await apply();
  expect(refused.code).toBe(1);
  expect(refused.said).toContain(`This would also delete app ${id}/late. Check the plan again.`);
  expect(await machine.json(['bots', 'list'])).toMatchObject([{ disabled: false }]);

  expect(await apply()).toMatchObject({
    code: 0,
    said: expect.stringContaining('0 added, 0 changed, 3 deleted.') as string,
  });
  expect(asked).toEqual([
    `Delete bot ${id}, app ${id}/orders?`,
    `Delete bot ${id}, app ${id}/orders, app ${id}/late?`,
  ]);
});

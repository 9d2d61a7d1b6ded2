import { describe, expect, it } from 'vitest';
import { command, createMachine } from '../support/command.ts';

interface CheckResult {
  area: string;
  state: string;
  text: string;
}

describe('doctor --bot', () => {
  it('sends, edits, uploads, downloads and deletes, and names what fails', async () => {
    const machine = await createMachine();
    const stopped = await machine.run(['doctor', '--bot', '1', '--send-to', '5']);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('bot-relay start') });

    await machine.startService();
    await machine.json(['bots', 'add', '--token-stdin'], `${machine.token}\n`);
    const { sandbox } = machine;
    const anna = sandbox.createUser({ first_name: 'Anna' });
    sandbox.say(anna, 'shop_bot', '/start');
    const args = ['doctor', '--bot', '1', '--send-to', String(anna.id), '--json'];
    const well = await machine.run(args);
    const results = JSON.parse(well.stdout) as CheckResult[];
    expect(results.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(results.map(({ area }) => area)).toEqual([
      'token',
      'receiving',
      'send',
      'edit',
      'file',
      'file',
      'file',
      'delete',
      'delete',
    ]);
    expect(well.code).toBe(0);
    expect(sandbox.history(anna, 'shop_bot').map(({ message }) => message.text)).toEqual([
      '/start',
    ]);

    const wrong = await machine.run(['doctor', '--bot', '1', '--send-to', '987654', '--json']);
    expect(wrong.code).toBe(1);
    expect((JSON.parse(wrong.stdout) as CheckResult[]).at(-1)).toMatchObject({
      area: 'send',
      state: 'fail',
      text: expect.stringContaining('chat not found'),
    });
    expect(await machine.run(['doctor', '--bot', '1'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--send-to'),
    });
    expect(await machine.run(['doctor', '--bot', '9', '--send-to', '5'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Unknown bot 9'),
    });
  });

  it('names the scope it needs for a key that sees no token', async () => {
    const machine = await createMachine();
    const { address } = await machine.startService();
    await machine.json(['bots', 'add', '--token-stdin'], `${machine.token}\n`);
    const { key } = await machine.json<{ key: string }>(['keys', 'create', 'reader']);
    const env = { RELAY_URL: address, RELAY_API_KEY: key };
    const refused = await command(['doctor', '--bot', '1', '--send-to', '5'], { env });
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('needs the scope "manage", and yours is "read"'),
    });
  });
});

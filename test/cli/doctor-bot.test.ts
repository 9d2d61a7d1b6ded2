import { describe, expect, it } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { examineWebhook } from '../../src/manage/service/doctor.ts';
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
      'webhook',
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

  it('asks Telegram itself for the webhook', async () => {
    const { token, env } = await createMachine();
    const { telegramApiUrl, platformProxies } = toConfig(readSettings({ env }));
    const settings = { telegramApiUrl, platformProxies };
    const examine = (webhook_mode: boolean) => examineWebhook(settings, { token, webhook_mode });
    expect(await examine(false)).toMatchObject({ state: 'ok' });
    expect(await examine(true)).toMatchObject({ state: 'fail', text: 'is not set at Telegram' });
    const url = encodeURIComponent('https://elsewhere.example.org/');
    await fetch(`${telegramApiUrl}/bot${token}/setWebhook?url=${url}`);
    expect(await examine(true)).toMatchObject({ state: 'ok' });
    expect(await examine(false)).toMatchObject({
      state: 'fail',
      text: 'is set at Telegram, but the bot polls',
    });
    const unreachable = { ...settings, telegramApiUrl: 'http://127.0.0.1:1' };
    const result = await examineWebhook(unreachable, { token, webhook_mode: false });
    expect(result).toMatchObject({ state: 'fail' });
    expect(JSON.stringify(result)).not.toContain(token);
  });
});

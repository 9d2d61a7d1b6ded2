import { expect, it, vi } from 'vitest';
import { createMachine } from '../support/command.ts';

it('lists alerts and their channels, and tests a channel', async () => {
  const machine = await createMachine();
  const { json, run, sandbox, token } = machine;
  const service = await machine.startService();
  expect((await run(['alerts', 'list'])).stdout).toBe('No open alerts.\n');
  expect((await run(['alerts', 'list', '--all'])).stdout).toBe('No alerts yet.\n');
  expect((await run(['alerts', 'channels'])).stdout).toMatch(/^No alert channels yet\./);
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  const anna = sandbox.createUser({ first_name: 'Anna' });
  const add = async (body: object) => {
    const answer = await fetch(`${service.address}/api/alerts/channels/add`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  await add({ type: 'telegram', bot_id: 1, chat_id: anna.id });
  await add({ type: 'webhook', url: 'http://127.0.0.1:9/alerts', min_severity: 'critical' });

  // She did not start the bot.
  const failed = await run(['alerts', 'test', '1']);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Channel 1 fails: /) });
  sandbox.say(anna.id, 'shop_bot', '/start');
  await vi.waitFor(async () =>
    expect(await run(['alerts', 'test', '1'])).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Channel 1 works.\n',
    }),
  );
  expect(sandbox.history(anna.id, 'shop_bot').at(-1)?.message.text).toMatch(/^Test alert/);
  expect(await run(['alerts', 'test', '2'])).toMatchObject({ code: 1 });
  const table = (await run(['alerts', 'channels'])).stdout.split('\n');
  expect(table[0]).toMatch(/^ID +TO +SEVERITY +STATE$/);
  expect(table[1]).toMatch(new RegExp(`^1 +chat ${anna.id} by bot 1 +warning and above +ok$`));
  expect(table[2]).toMatch(/^2 +http:\/\/127\.0\.0\.1:9\/alerts +critical and above +failing: /);
  expect(await json(['alerts', 'channels'])).toMatchObject([{ id: 1 }, { id: 2 }]);
  const unknown = await run(['alerts', 'test', '9']);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain('Unknown alert channel 9');
});

import { expect, it, vi } from 'vitest';
import { command, createMachine } from '../support/command.ts';
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';

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
  const misspelt = await run(['alerts', 'channels', 'update', '1', '--kinds', 'disk_lo']);
  expect(misspelt).toEqual({
    code: 2,
    stdout: '',
    stderr: 'bot-relay: --kinds: "disk_lo" is not a kind. Did you mean disk_low?\n',
  });
  const unknown = await run(['alerts', 'test', '9']);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain('Unknown alert channel 9');
});

it('acknowledges and mutes an alert, and takes both back', async () => {
  const { json, run, startService, token } = await createMachine();
  const clock = createJumpingClock();
  await startService({ clock });
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  await json(['bots', 'toggle', '1']);
  const [alert] = await vi.waitFor(async () => {
    clock.jump(1_000);
    const open = await json<{ id: number }[]>(['alerts', 'list']);
    expect(open).toMatchObject([{ kind: 'bot_disabled', acknowledged_by: '' }]);
    return open;
  });
  const id = String(alert?.id);

  const taken = (await run(['alerts', 'acknowledge', id])).stdout;
  expect(taken).toMatch(new RegExp(`^Alert ${id} is acknowledged by .+\\.\n$`));
  const [, name = ''] = / by (.+)\.\n$/.exec(taken) ?? [];
  expect((await run(['alerts', 'list'])).stdout.split('\n')[1]).toContain(` ${name} `);
  const undone = { code: 0, stderr: '', stdout: `Alert ${id} is not acknowledged.\n` };
  expect(await run(['alerts', 'acknowledge', id, '--undo'])).toEqual(undone);
  expect(await json(['alerts', 'list'])).toMatchObject([{ acknowledged_by: '' }]);

  const mutedMs = async (args: string[]) => {
    const before = clock.now();
    const { muted_until } = await json<{ muted_until: string }>(['alerts', 'mute', id, ...args]);
    return Date.parse(muted_until) - before;
  };
  // Time goes on while the command runs.
  for (const [args, minutes] of [
    [[], 60],
    [['--minutes', '5'], 5],
  ] as const) {
    const lasts = await mutedMs([...args]);
    expect(lasts).toBeGreaterThanOrEqual(minutes * 60_000);
    expect(lasts).toBeLessThan((minutes + 2) * 60_000);
  }
  expect((await run(['alerts', 'mute', id])).stdout).toMatch(
    new RegExp(`^Alert ${id} is muted until .+\\.\n$`),
  );
  expect(await run(['alerts', 'mute', id, '--minutes', '0'])).toEqual({
    code: 0,
    stderr: '',
    stdout: `Alert ${id} is not muted.\n`,
  });
  expect(await run(['alerts', 'mute', '99'])).toMatchObject({ code: 1, stdout: '' });
  expect(await run(['alerts', 'acknowledge', 'none'])).toMatchObject({ code: 2, stdout: '' });
});

it('adds, changes and removes alert channels', async () => {
  const { json, run, token } = await createMachine();
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  expect((await run(['alerts', 'channels'])).stdout).toBe(
    'No alert channels yet. Add one with "bot-relay alerts channels add".\n',
  );
  const add = ['alerts', 'channels', 'add'];
  for (const none of [add, [...add, '--bot', '1']]) {
    expect(await run(none)).toMatchObject({
      code: 2,
      stderr: 'bot-relay: Set either --bot and --chat, or --webhook.\n',
    });
  }
  expect((await run([...add, '--bot', '1', '--chat', '-100123', '--allow', '5,6'])).stdout).toBe(
    'Added channel 1. Test it with "bot-relay alerts test 1". An alert is sent once it has lasted 120 s. To change that: "bot-relay alerts channels update 1 --delay 0".\n',
  );
  expect((await run([...add, '--help'])).stdout).toMatch(
    /lasts before it is sent, default\s+120\n/,
  );
  const hook = [...add, '--webhook', 'http://127.0.0.1:9/hook', '--severity', 'critical'];
  expect((await run([...hook, '--delay', '0'])).stdout).toMatch(
    /^Added channel 2\. .*shown once:\nwhsec_\S+\n\nTest it .* 2"\.\n$/,
  );
  const change = ['alerts', 'channels', 'update', '2'];
  expect((await run(change)).stderr).toMatch(/Nothing to change/);
  expect((await run([...change, '--quiet', 'nights'])).stderr).toMatch(/use "22:00-07:00 Europe/);
  await json([...change, '--quiet', '22:00-07:00 Europe/Berlin', '--kinds', 'disk_low']);
  expect((await run(['alerts', 'channels', 'toggle', '2'])).stdout).toMatch(/is now disabled/);
  expect(await json(['alerts', 'channels'])).toMatchObject([
    { type: 'telegram', bot_id: 1, chat_id: -100123, allowed_user_ids: [5, 6] },
    {
      type: 'webhook',
      min_severity: 'critical',
      kinds: ['disk_low'],
      quiet_hours: { start: '22:00', end: '07:00', timezone: 'Europe/Berlin' },
      disabled: true,
    },
  ]);
  expect((await run([...change, '--quiet', 'off'])).stdout).toBe('Updated channel 2.\n');
  expect((await run(['alerts', 'channels', 'remove', '2'])).stdout).toBe('Removed channel 2.\n');
  expect((await run(['alerts', 'test', '2'])).stderr).toBe(
    'bot-relay: Unknown alert channel 2. List channels with "bot-relay alerts channels".\n',
  );
});

it('lists the options of every command in its help', async () => {
  for (const args of [['apps'], ['import', 'botmux'], ['alerts', 'channels', 'add']]) {
    const { stdout } = await command([...args, '--help']);
    for (const option of ['--json', '--data-dir', '--url']) expect(stdout).toContain(option);
    expect(stdout).not.toContain('display help');
  }
});

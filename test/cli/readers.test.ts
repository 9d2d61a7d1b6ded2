import { describe, expect, it, vi } from 'vitest';
import { command, createMachine } from '../support/command.ts';

interface Readers {
  log_end: number;
  readers: { reader: string; position: number }[];
}

describe('the command', () => {
  it('shows the readers of a bot, sets them to another position and removes consumers', async () => {
    const machine = await createMachine();
    const { json, run, sandbox, token } = machine;
    const service = await machine.startService();
    await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
    expect((await run(['readers', 'list', '1'])).stdout).toBe(
      'Bot 1 has no readers yet. Turn on forwarding (--proxy on) or getUpdates (--long-poll on) with "bot-relay bots update 1".\n',
    );
    await json(['bots', 'update', '1', '--long-poll', 'on']);
    await fetch(`${service.address}/bot${token}/getUpdates?consumer=audit`);
    const user = sandbox.createUser({ first_name: 'Anna' });
    for (const text of ['one', 'two', 'three']) sandbox.say(user.id, 'shop_bot', text);
    await vi.waitFor(
      async () => expect((await json<Readers>(['readers', 'list', '1'])).log_end).toBe(3),
      { interval: 20 },
    );
    const table = (await run(['readers', 'list', '1'])).stdout.split('\n');
    expect(table[0]).toMatch(/^READER +POSITION +BEHIND +OLDEST +DROPPED +LAST MOVED +STATE$/);
    expect(table[1]).toMatch(/^pull +0 of 3 +3 +\d+ s +0 +20/);
    expect(table[2]).toMatch(/^pull:audit +0 of 3 +3 /);

    const rewind = ['readers', 'rewind', '1', 'pull:audit'];
    expect(await run([...rewind, '--end'])).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Moved pull:audit of bot 1 to position 3: it skips 3 updates.\n',
    });
    expect((await run([...rewind, '--position', '2'])).stdout).toMatch(
      /to position 2: it reads 1 update again/,
    );
    expect(await json([...rewind, '--since', '1h'])).toMatchObject({ position: 0, read_again: 2 });
    expect(await json([...rewind, '--start'])).toMatchObject({ position: 0 });
    expect((await run([...rewind, '--start'])).stdout).toBe(
      'pull:audit of bot 1 is already at position 0.\n',
    );
    const refused = await run([...rewind, '--position', '9']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/at most 3/);

    const byName = await run(['readers', 'rewind', '1', 'audit', '--end']);
    expect(byName.stdout).toMatch(/^Moved pull:audit of bot 1 to position 3/);
    const own = await run(['readers', 'rewind', '1', 'default', '--start']);
    expect(own.stdout).toBe('pull of bot 1 is already at position 0.\n');
    const hook = ['--mode', 'webhook', '--backend', 'http://127.0.0.1:9/hook'];
    await json(['apps', 'add', '1', 'hook', ...hook]);
    const ofApp = await run(['readers', 'rewind', '1', 'hook', '--start']);
    expect(ofApp.stdout).toMatch(/^Moved push:hook of bot 1 to position 0: it reads 3 updates/);
    await run(['apps', 'remove', '1', 'hook', '--yes']);
    const named = await run(['readers', 'rewind', '1', 'push:shop', '--end']);
    expect(named.stderr).toMatch(/no reader push:shop\. List \w+ with "bot-relay readers list 1"/);
    const unknown = await run(['readers', 'rewind', '1', 'other', '--end']);
    expect(unknown.stderr).toMatch(/no reader other\. List \w+ with "bot-relay readers list 1"/);

    expect(await run(['readers', 'remove', '1', 'audit'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await run(['readers', 'remove', '1', 'other'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no consumer other\. List \w+ with "bot-relay readers list 1"/),
    });
    expect((await run(['readers', 'remove', '1', 'pull:audit', '--yes'])).stdout).toBe(
      'Removed consumer audit of bot 1.\n',
    );
    expect((await json<Readers>(['readers', 'list', '1'])).readers).toMatchObject([
      { reader: 'pull' },
    ]);
    // The same without a running service.
    await service.close();
    expect(await json(['readers', 'rewind', '1', 'pull', '--end'])).toMatchObject({ skipped: 3 });
  });

  it('shows that push retries what its backend did not take', async () => {
    const machine = await createMachine();
    const { json, run, sandbox, token } = machine;
    await machine.startService();
    const backend = ['--backend', 'http://127.0.0.1:1/hook', '--proxy', 'on'];
    await json(['bots', 'add', '--name', 'Shop', '--token-stdin', ...backend], `${token}\n`);
    sandbox.say(sandbox.createUser({ first_name: 'Anna' }).id, 'shop_bot', 'one');
    await vi.waitFor(
      async () =>
        expect((await run(['readers', 'list', '1'])).stdout).toMatch(/^push .* retrying$/m),
      { interval: 50 },
    );
    expect(await run(['readers', 'rewind', '1', 'push', '--end'])).toMatchObject({
      code: 0,
      stdout: 'push of bot 1 is already at position 1.\n',
      stderr: expect.stringMatching(/^1 update still waits in retry queues/m),
    });
  });

  it.each<[string[], RegExp]>([
    [['readers', 'rewind', '1', 'push'], /--position, --since, --start, --end/],
    [['readers', 'rewind', '1', 'push', '--start', '--end'], /exactly one of/],
    [['readers', 'rewind', '1', 'push', '--since', 'then'], /like 30m, 2h, 1d/],
    [['readers', 'rewind', '1', 'push', '--since', '2999-01-31'], /in the future/],
    [['readers', 'rewind', '1', 'push', '--position', '-1'], /at least 0/],
    [
      ['readers', 'rewind', '1', 'a/b', '--end'],
      /"a\/b" is not a valid <reader>: use push, routing/,
    ],
    [
      ['readers', 'remove', '1', 'push'],
      /push is not a consumer: .* "bot-relay bots update <bot> --proxy off"/,
    ],
    [['readers', 'remove', '1', 'push:shop'], /push:shop is not a consumer/],
    [['readers', 'rewind', '1', 'push:', '--end'], /"push:" is not a valid <reader>/],
  ])('says in one line what is wrong with %j', async (args, expected) => {
    const { code, stdout, stderr } = await command(args, { env: { RELAY_DATA_DIR: '/nowhere' } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
  });
});

import { describe, expect, it, vi } from 'vitest';
import type { App, CreatedApp } from '../../src/api-types.ts';
import { command, createMachine } from '../support/command.ts';

const filter = '{"commands": ["/order"]}';

describe('the command apps', () => {
  it('adds, lists, changes, disables and removes apps', async () => {
    const machine = await createMachine();
    const { json, run, token } = machine;
    const { address } = await machine.startService();
    await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);

    const added = await run(['apps', 'add', '1', 'analytics']);
    const [first, standIn = '', ...rest] = added.stdout.split('\n');
    expect(first).toBe('Added app analytics to bot 1. Copy its token now, it is shown once:');
    expect(standIn).toMatch(/^\d+:[\w-]{35}$/);
    expect(rest).toEqual(expect.arrayContaining([address, `${address}/p/analytics`]));

    const own = ['--own-replies', 'on', '--keep-pending', 'on'];
    const queues = ['--per-topic', 'on', '--urgent', '/stop,cancel'];
    const orders = ['--filter', filter, '--exclusive', 'on', ...own, ...queues];
    const writes = ['--methods', 'sendMessage, editMessageText', '--format', 'markdown'];
    const limits = [...writes, '--priority', '-3'];
    const made = await json<CreatedApp>(['apps', 'add', '1', 'orders', ...orders, ...limits]);
    expect(made).toMatchObject({
      mode: 'poll',
      filter: { commands: ['/order'] },
      exclusive: true,
      own_replies: true,
      keep_pending: true,
      per_topic: true,
      urgent: ['/stop', 'cancel'],
      methods: ['sendMessage', 'editMessageText'],
      format: 'markdown',
      priority: -3,
    });
    const webhook = ['--mode', 'webhook', '--backend', 'http://127.0.0.1:1/x', '--secret-stdin'];
    const kinds = ['--allowed-updates', 'message,poll', '--max-connections', '5'];
    const update = ['apps', 'update', '1', 'orders'];
    expect(
      await json<App>([...update, ...webhook, ...kinds], 'a-long-enough-secret\n'),
    ).toMatchObject({
      mode: 'webhook',
      backend_url: 'http://127.0.0.1:1/x',
      secret_token: 'a-long-enough-secret',
      allowed_updates: ['message', 'poll'],
      max_connections: 5,
      priority: -3,
    });
    expect(
      (await run([...update, '--methods', '', '--filter', '{}', '--format', 'none'])).stdout,
    ).toBe('Updated app orders of bot 1.\n');

    expect((await run(['apps', 'toggle', '1', 'analytics'])).stdout).toBe(
      'App analytics of bot 1 is now disabled.\n',
    );
    const table = (await run(['apps', 'list', '1'])).stdout.split('\n');
    expect(table[0]).toMatch(/^APP +MODE +RECEIVES +BEHIND +SENT +RATE LIMITED +LAST SEEN +STATE$/);
    expect(table[1]).toMatch(/^default +send +nothing +0 +0 +0 +never +active$/);
    expect(table[2]).toMatch(/^analytics +poll +all updates +0 +0 +0 +never +disabled$/);
    expect(table[3]).toMatch(/^orders +webhook +all updates, exclusively +0 +0 +0 +never +active$/);

    await json(['bots', 'update', '1', '--backend', 'http://127.0.0.1:1/own', '--proxy', 'on']);
    machine.sandbox.say(machine.sandbox.createUser().id, 'shop_bot', 'Hello');
    await vi.waitFor(async () => {
      const [, own, , hook] = (await run(['apps', 'list', '1'])).stdout.split('\n');
      expect(hook).toMatch(/^orders +webhook .* backend down$/);
      // The app claims everything, so nothing was sent to the bot's own backend.
      expect(own).toMatch(/^default +webhook +all updates +0 +0 +0 +never +active$/);
    });
    const examined = (await run(['doctor'])).stdout;
    expect(examined).toMatch(/^fail {2}bot 1 .*app orders: backend 127\.0\.0\.1:1 is unreachable/m);

    const rotated = await run(['apps', 'rotate', '1', 'orders']);
    expect(rotated.stdout).toMatch(/^Replaced the token of app orders of bot 1\. Copy its token/);
    expect(rotated.stdout).not.toContain(made.token);

    expect(await run(['apps', 'remove', '1', 'orders'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /: This removes app orders of bot 1 with its token.* --yes\.\n$/,
      ),
    });
    expect((await run(['apps', 'remove', '1', 'orders', '--yes'])).stdout).toBe(
      'Removed app orders of bot 1.\n',
    );
    for (const args of [['update', '--priority', '1'], ['rotate'], ['toggle'], ['remove']]) {
      const [action = '', ...options] = args;
      expect(await run(['apps', action, '1', 'orders', ...options])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'bot-relay: Bot 1 has no app orders. List apps with "bot-relay apps list 1".\n',
      });
    }
  });

  it('repeats what the service refuses in its own words, also without a running service', async () => {
    const { json, run, token } = await createMachine();
    await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
    await json(['apps', 'add', '1', 'orders']);
    const refused = async (args: string[]) => (await run(['apps', ...args])).stderr;
    expect(await refused(['add', '1', 'orders'])).toMatch(/already has an app orders/);
    expect(await refused(['add', '1', 'default'])).toMatch(/name must not be default/);
    expect(await refused(['add', '9', 'x'])).toMatch(/Unknown bot 9\. .*"bot-relay bots list"/);
    expect(await refused(['list', '9'])).toMatch(/Unknown bot 9\. .*"bot-relay bots list"/);
    expect(await refused(['add', '1', 'x', '--mode', 'webhook'])).toMatch(
      /--backend is required with --mode webhook/,
    );
    expect(await refused(['update', '1', 'orders', '--filter', '{"regex": "("}'])).toMatch(
      /filter\.regex/,
    );
    expect(await refused(['toggle', '1', 'default'])).toMatch(/"bot-relay bots toggle"/);
    expect(await refused(['rotate', '1', 'default'])).toMatch(/token.*"bot-relay bots update"/);
  });

  it.each<[string[], RegExp]>([
    [['list'], /<bot> is missing/],
    [['list', 'shop'], /"shop" is not a valid <bot>/],
    [['add', '1'], /<name> is missing/],
    [['add', '1', 'a b'], /"a b" is not a valid <name>: use 1 to 64 letters/],
    [['add', '1', 'x', '--mode', 'push'], /--mode cannot be "push": choose one of poll, webhook/],
    [['add', '1', 'x', '--filter', '{'], /--filter cannot be "\{": it must be a JSON object/],
    [['add', '1', 'x', '--filter', '[]'], /it must be a JSON object/],
    [['add', '1', 'x', '--exclusive', 'yes'], /it must be on or off/],
    [['add', '1', 'x', '--priority', 'high'], /it must be a whole number/],
    [['update', '1', 'x'], /Nothing to change\. Set an option/],
    [['rotate', '1', 'a/b'], /"a\/b" is not a valid <app>/],
    [['renew', '1', 'x'], /unknown command 'renew'/],
  ])('says in one line what is wrong with %j', async (args, expected) => {
    const env = { RELAY_DATA_DIR: '/nowhere' };
    const { code, stdout, stderr } = await command(['apps', ...args], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
  });
});

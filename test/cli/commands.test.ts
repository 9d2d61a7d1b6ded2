import { reason, reasonText } from '../../src/core/reasons/reason.ts';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { botState } from '../../src/cli/bots.ts';
import { settingIds, settings } from '../../src/config/settings.ts';
import * as en from '../../web/src/i18n/en/index.ts';
import { conditionOf } from '../../web/src/shared/bot-condition.ts';
import { command, createMachine, type Machine } from '../support/command.ts';
import { serve } from '../support/local-server.ts';

async function withBot(machine: Machine): Promise<void> {
  await machine.json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${machine.token}\n`);
}

describe('the command', () => {
  it.each([
    'a running service, without being told its address or a key',
    'the data itself, while none runs',
  ])('steers bots of %s', async (way) => {
    const machine = await createMachine();
    const { json, run, sandbox, token } = machine;
    if (way.startsWith('a running')) await machine.startService();

    const added = await run(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
    expect(added).toEqual({ code: 0, stderr: '', stdout: 'Added bot 1 (Shop).\n' });
    expect(await json(['bots', 'list'])).toMatchObject([
      { id: 1, name: 'Shop', username: 'shop_bot', source: 'cli', token },
    ]);
    const table = await run(['bots', 'list']);
    expect(table.stdout.split('\n')[0]).toMatch(/^ID {2}NAME {2}USERNAME {3}STATE/);
    expect(table.stdout).not.toContain(token);

    const user = sandbox.createUser({ first_name: 'Anna' });
    sandbox.say(user.id, 'shop_bot', '/start');
    expect(await json(['send', '1', String(user.id), 'Hello'])).toMatchObject({ text: 'Hello' });
    const piped = await run(['send', '1', '--', String(user.id), '-'], 'from a pipe\n');
    expect(piped.stdout).toMatch(/^Sent message \d+\.\n$/);

    const later = ['send', '1', String(user.id), 'We open at nine', '--at', '2h'];
    expect((await run(later)).stdout).toMatch(/^Scheduled message \d+ for .+\.\n$/);
    const [scheduled] = await json<{ scheduled_id: number }[]>(['scheduled', 'list']);
    const id = String(scheduled?.scheduled_id);
    expect((await run(['scheduled', 'list', '--bot', '1'])).stdout).toContain('We open at nine');
    const moved = await run(['scheduled', 'update', id, '--at', '3h', '--text', 'At ten']);
    expect(moved.stdout).toMatch(/^Scheduled message \d+ is due at .+\.\n$/);
    expect((await run(['scheduled', 'cancel', id])).stdout).toMatch(/^Canceled/);
    expect((await run(['scheduled', 'list'])).stdout).toBe('Nothing is scheduled.\n');

    const changes = ['--description', 'Sells things', '--long-poll', 'on', '--secret-stdin'];
    expect(await json(['bots', 'update', '1', ...changes], 'a-secret\n')).toMatchObject({
      description: 'Sells things',
      long_poll_enabled: true,
      secret_token: 'a-secret',
    });
    expect((await run(['bots', 'toggle', '1'])).stdout).toBe('Bot 1 (Shop) is now disabled.\n');
    expect((await run(['bots', 'delete', '1', '--yes'])).stdout).toBe('Deleted bot 1.\n');
    expect((await run(['bots', 'list'])).stdout).toMatch(/^No bots yet/);
  });

  it('manages keys, which open a service from elsewhere until they are revoked', async () => {
    const machine = await createMachine();
    const { address } = await machine.startService();
    await withBot(machine);
    const create = ['keys', 'create', 'reader', '--bots', '1', '--expires', '30d'];
    const key = await machine.json<{ id: number; key: string }>(create);
    const env = { RELAY_URL: `${address}/`, RELAY_API_KEY: key.key };
    const seen = await command(['bots', 'list', '--json'], { env });
    expect(JSON.parse(seen.stdout)).toMatchObject([{ id: 1 }]);
    expect(seen.stdout).not.toContain(machine.token);
    expect((await machine.run(['keys', 'list'])).stdout).toMatch(
      /reader\s+brs_…\S{4}\s+read\s+1\s/,
    );
    expect((await machine.run(['keys', 'revoke', String(key.id)])).code).toBe(0);
    const refused = await command(['bots', 'list', '--json'], { env });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'unauthorized' });
  });

  it('manages users', async () => {
    const machine = await createMachine();
    const { address } = await machine.startService();
    const password = 'correct horse';
    const signIn = async () => {
      const answer = await fetch(`${address}/api/auth/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'anna', password }),
      });
      return answer.status;
    };
    await machine.json(['users', 'add', 'Anna', '--role', 'admin', '--password-stdin'], password);
    expect((await machine.run(['users', 'list'])).stdout).toMatch(/anna\s+admin\s+all/);
    expect(await signIn()).toBe(200);
    await machine.json(['users', 'password', 'anna', '--password-stdin'], 'another horse');
    expect(await signIn()).toBe(401);
    await machine.json(['users', 'add', 'ben', '--role', 'admin', '--password-stdin'], password);
    const add = async (...args: string[]) =>
      (await machine.run(['users', 'add', ...args, '--password-stdin'], password)).stdout;
    expect(await add('dora')).toMatch(/^Added user dora\. No bots are assigned\. /);
    expect(await add('emil', '--role', 'admin')).toBe('Added admin emil.\n');
    const update = ['users', 'update', 'dora', '--role', 'agent', '--telegram', '77'];
    expect((await machine.run(update)).stdout).toBe('Updated agent dora.\n');
    expect(await machine.json(['users', 'list'])).toContainEqual(
      expect.objectContaining({ username: 'dora', role: 'agent', telegram_user_id: 77 }),
    );
    expect((await machine.run(['users', 'update', 'dora', '--role', 'boss'])).stderr).toMatch(
      /viewer, agent, manager, admin, user/,
    );
    expect((await machine.run(['users', 'remove', 'anna'])).stdout).toBe('Removed anna.\n');
    expect((await machine.run(['users', 'remove', 'anna'])).stderr).toMatch(/Unknown user anna/);
  });

  it.each<[string[], RegExp]>([
    [['nonsense'], /unknown command 'nonsense'/],
    [
      ['bots', 'toggle', 'x'],
      /"x" is not a valid <id>: .*at least 1\. See "bot-relay bots toggle --help"/,
    ],
    [['bots', 'lst'], /unknown command 'lst'.*list/],
    [['bots', 'list', '--jsn'], /unknown option '--jsn'.*--json/],
    [['bots', 'update', '1'], /Nothing to change\. .* see "bot-relay bots update --help"/],
    [['keys', 'create'], /The name is missing\. Use "bot-relay keys create <name>"\./],
    [
      ['keys', 'create', 'x', '--scope', 'all'],
      /--scope cannot be "all": choose one of read, send/,
    ],
    [['bots', 'add'], /--token-stdin/],
    [['bots', 'delete', '1'], /--yes/],
    [['bots', 'list', '--url', 'http://127.0.0.1:1'], /API key required/],
    // Without a command, options are those of start.
    [['--port', 'abc'], /^bot-relay: --port: .*\. Example: --port 8080\n$/],
    [['--data-dir', '/proc/x', '--port', '0'], /^bot-relay: --data-dir: cannot create \/proc\/x /],
    [
      ['--prot', '9000'],
      /unknown option '--prot' \(Did you mean --port\?\)\. See "bot-relay start --help"/,
    ],
    [['start', '--port', 'abc'], /^bot-relay: --port: .*\. Example: --port 8080\n$/],
    [
      ['--alert-reader-behind', '9'],
      /^bot-relay: --alert-reader-behind was renamed\. Use --alert-reader-lag instead\. See "bot-relay start --help"/,
    ],
    [
      ['start', '--alert-app-silent=9m'],
      /^bot-relay: --alert-app-silent was renamed\. Use --alert-app-not-seen instead\. See/,
    ],
    [['start', '--port'], /--port needs a value\. See "bot-relay start --help"/],
    [['bots', 'list', '--url'], /--url needs a value\. See "bot-relay --help"/],
    [['send', '1'], /<chat> is missing\. See "bot-relay send --help"/],
    [['send', '1', '2', 'so', 'cold'], /send takes 3 arguments, not 4: .*quote text .*See "bot-/],
    [['bots', 'delete', '1', '2'], /delete takes 1 argument, not 2\. See "bot-relay bots delete/],
    [['keys', 'create', 'x', '--bots', 'a'], /--bots cannot be "a": .* such as 1,4/],
    [['demo', '--prot', '9'], /unknown option '--prot' \(Did you mean --port\?\)/],
    [['send', '1', '2', '-5 degrees'], /"-5 degrees" looks like an option: put -- before text/],
    [['send', '1', '2', ''], /The text is empty/],
    [['keys', 'create', 'x', '--expires', 'yesterday'], /use a form like 30d/],
    [['keys', 'create', 'x', '--expires', '2020-01-01'], /it must be in the future/],
    [
      ['bots', 'list', 'all'],
      /list does not take the argument "all"\. See "bot-relay bots list --help"/,
    ],
  ])('says in one line what is wrong with %j', async (args, expected) => {
    const { code, stdout, stderr } = await command(args, { env: { RELAY_DATA_DIR: '/nowhere' } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(stderr).toMatch(/^bot-relay: [^\n]+\n$/);
  });

  const refused: [string[], RegExp][] = [
    [['bots', 'update', '1', '--backend', 'notaurl'], /--backend must be /],
    [['bots', 'update', '1', '--proxy', 'on'], /--backend is required with --proxy on/],
    [['bots', 'add', '--token-stdin'], /The token is missing: pass it on the first line/],
    [['apps', 'add', '1', 'crm', '--max-connections', '500'], /--max-connections must be at most/],
    [['apps', 'add', '1', 'crm', '--allowed-updates', 'fooBar'], /--allowed-updates must be /],
    [['alerts', 'channels', 'add', '--webhook', 'foo'], /--webhook must be an http or https URL/],
    [
      ['alerts', 'channels', 'add', '--webhook', 'http://a.b', '--kinds', 'disk_low,x'],
      /--kinds: "x" is not a kind/,
    ],
    [['users', 'add', 'no spaces', '--password-stdin'], /no spaces/],
    [['send', '1', '5', 'x'.repeat(5_000)], /4096/],
  ];
  it('takes what the service refuses for a wrong argument', async () => {
    const machine = await createMachine();
    await machine.startService();
    await withBot(machine);
    await machine.json(['bots', 'update', '1', '--manage', 'on']);
    for (const [args, expected] of refused) {
      const input = args.includes('--password-stdin') ? 'correct horse\n' : '';
      const { code, stderr } = await machine.run(args, input);
      expect(stderr, args.join(' ')).toMatch(expected);
      expect(code, args.join(' ')).toBe(2);
    }
  });

  it('tells the state of a bot and of its backend as the web UI does', async () => {
    const machine = await createMachine();
    await withBot(machine);
    const lines = async () => (await machine.run(['bots', 'list'])).stdout;
    expect(await lines()).toMatch(/ not running /);
    const { address, localKey } = await machine.startService();
    await vi.waitFor(async () => expect(await lines()).toMatch(/ running /));
    const { url, close } = await serve((_request, response) => response.writeHead(500).end());
    onTestFinished(close);
    await machine.json(['bots', 'update', '1', '--backend', url, '--proxy', 'on']);
    machine.sandbox.say(machine.sandbox.createUser().id, 'shop_bot', 'Hello');
    const isListed = async () =>
      expect(await lines()).toMatch(/ backend failing .* answered 500$/m);
    await vi.waitFor(isListed);
    const { stdout } = await machine.run(['doctor']);
    expect(stdout).toMatch(/^ok {4}bot 1 .* backend \S+ accepts connections$/m);
    expect(stdout).toMatch(/^warn {2}bot 1 .* backend failing: answered 500 \(waiting: 1\)/m);
    await machine.json(['bots', 'update', '1', '--backend', 'http://127.0.0.1:9/']);
    await fetch(`${address}/api/bots/check-backend?id=1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${localKey}` },
    });
    expect(await lines()).toMatch(/ backend down .* http:\S+ {2}\S*.*connection/i);
  });

  it.each(
    [false, true].flatMap((disabled) =>
      [false, true].flatMap((running) =>
        ['', 'something'].flatMap((last_error) =>
          (['', 'ok', 'unknown', 'failing', 'paused'] as const).flatMap((backend_status) =>
            [
              null,
              reason('backend_answered', { status: 500 }),
              reason('connection_refused', { address: '127.0.0.1:9' }),
            ].map((detail) => ({
              disabled,
              running,
              last_error,
              backend_status,
              backend_error: detail ? reasonText(detail) : '',
              backend_error_detail: detail && { code: detail.code, params: { ...detail.params } },
            })),
          ),
        ),
      ),
    ),
  )('has one word for %j in the table and in the web UI', (bot) => {
    expect(botState(bot)).toBe(en.bots.conditions[conditionOf(bot)].toLowerCase());
  });

  it('explains itself', async () => {
    const general = await command(['--help']);
    expect(general.code).toBe(0);
    for (const word of ['--url', 'doctor', 'Examples:', '"bot-relay start --help"']) {
      expect(general.stdout).toContain(word);
    }
    // The help shows the commands first, not dozens of settings.
    expect(general.stdout.split('\n').length).toBeLessThan(75);
    const ofStart = await command(['start', '--help']);
    for (const id of settingIds) expect(ofStart.stdout).toContain(`(${settings[id].name}`);
    expect((await command(['bots', 'add', '--help'])).stdout).toContain('--token-stdin');
    expect(await command(['bots'])).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse((await command(['version', '--json'])).stdout)).toHaveProperty('version');
  });

  it('keeps the data: backup while running, rotation and restore while not', async () => {
    const machine = await createMachine();
    const { run, json } = machine;
    const service = await machine.startService();
    await withBot(machine);
    const copy = path.join(machine.folder, 'copy.db');
    expect((await run(['backup', copy])).stdout).toMatch(/master\.key: store that key separately/);
    expect((await run(['secrets', 'rotate'])).stderr).toMatch(/is in use/);
    expect((await run(['restore', copy, '--force'])).stderr).toMatch(/is in use/);
    await service.close();

    await json(['bots', 'delete', '1', '--yes']);
    const restored = await run(['restore', copy, '--force']);
    expect(restored.code).toBe(0);
    expect(restored.stdout).toMatch(/master\.key decrypts its secrets\.\n$/);
    expect(await json(['bots', 'list'])).toMatchObject([{ id: 1, token: machine.token }]);
    const rotated = await json<{ formerKeyFile: string }>(['secrets', 'rotate']);
    expect(rotated).toEqual({ secrets: 1, formerKeyFile: expect.stringMatching(/\.old$/) });
    expect(await json(['bots', 'list'])).toMatchObject([{ id: 1, token: machine.token }]);
    // A backup opens only with the key of its time.
    const { formerKeyFile } = rotated;
    const hint = `RELAY_SECRET_KEY_PREVIOUS_FILE=${formerKeyFile}`;
    const older = await run(['restore', copy, '--force']);
    expect(older.code).toBe(1);
    expect(older.stdout).toContain(hint);
    const sealed = await run(['bots', 'list']);
    expect(sealed).toMatchObject({ code: 1, stdout: '' });
    expect(sealed.stderr).toMatch(/encrypted with another master key/);
    expect(sealed.stderr).toContain(hint);
    const env = { ...machine.env, RELAY_SECRET_KEY_PREVIOUS_FILE: formerKeyFile };
    expect((await command(['restore', copy, '--force'], { env })).code).toBe(0);
    expect((await command(['bots', 'list'], { env })).code).toBe(0);
    expect(await json(['bots', 'list'])).toMatchObject([{ id: 1, token: machine.token }]);

    const elsewhere = { ...machine.env, RELAY_DATA_DIR: path.join(machine.folder, 'elsewhere') };
    const keyless = await command(['restore', copy], { env: elsewhere });
    expect(keyless.code).toBe(1);
    expect(keyless.stdout).toMatch(/master key of the backup\. Put it at \S+master\.key/);
    rmSync(formerKeyFile);
    const lost = await run(['restore', copy, '--force']);
    expect(lost.code).toBe(1);
    expect(lost.stdout).toMatch(/cannot decrypt its secrets\. .* master key of the backup/);
  });

  it('examines everything and says what to do', async () => {
    const machine = await createMachine();
    const service = await machine.startService();
    await withBot(machine);
    const well = await machine.run(['doctor']);
    expect(well.stdout).toMatch(/^ok {4}bot 1 .*Shop: Telegram accepts the token$/m);
    expect(well.stdout).toContain(`ok    service         running at ${service.address}\n`);
    expect(well.stdout).not.toMatch(/^fail/m);
    expect(well.code).toBe(0);

    const backend = ['--backend', 'http://127.0.0.1:1/hook', '--proxy', 'on'];
    await machine.json(['bots', 'update', '1', ...backend]);
    await machine.sandbox.close();
    const sick = await machine.run(['doctor', '--json']);
    expect(sick.code).toBe(1);
    const failed = (JSON.parse(sick.stdout) as { area: string; state: string; text: string }[])
      .filter(({ state }) => state === 'fail')
      .map(({ area, text }) => `${area}: ${text}`);
    expect(failed).toEqual([
      expect.stringMatching(/^Telegram: http.* cannot be reached/),
      expect.stringMatching(/^bot 1: Shop: Telegram cannot be reached/),
      expect.stringMatching(/^bot 1: backend 127\.0\.0\.1:1 is unreachable/),
    ]);
    await service.close();
    const stopped = (await machine.run(['doctor'])).stdout;
    expect(stopped).toMatch(/^warn {2}service {9}not running → bot-relay start$/m);
    const dataDir = machine.env['RELAY_DATA_DIR'] ?? '';
    const named = (await machine.run(['doctor', '--data-dir', dataDir])).stdout;
    expect(named).toContain(`not running → bot-relay --data-dir ${dataDir} start\n`);
    writeFileSync(path.join(machine.env['RELAY_DATA_DIR'] ?? '', 'master.key'), 'x'.repeat(43));
    expect((await machine.run(['doctor'])).stdout).toMatch(/^fail {2}master key/m);
    const bad = await command(['doctor'], { env: { ...machine.env, PORT: 'x' } });
    expect(bad.stdout).toMatch(/^fail {2}settings .*PORT/);
  });

  it('asks before it revokes the last admin key, and names the key', async () => {
    const { run, json } = await createMachine();
    await json(['keys', 'create', 'shop', '--scope', 'admin']);
    const refused = await run(['keys', 'revoke', '1']);
    expect(refused.stderr).toMatch(
      /^bot-relay: Key 1 \(shop\) is the last admin key, and there is no admin user\. Without it, .* Confirm with --yes\.\n$/,
    );
    expect(refused.code).toBe(2);
    await json(['keys', 'create', 'backup', '--scope', 'admin']);
    expect((await run(['keys', 'revoke', '1'])).stdout).toBe('Revoked key 1 (shop).\n');
    expect((await run(['keys', 'revoke', '2', '--yes'])).stdout).toBe('Revoked key 2 (backup).\n');
  });

  it('lists routes, and says where they are added', async () => {
    const machine = await createMachine();
    const { localKey, address } = await machine.startService();
    await withBot(machine);
    expect((await machine.run(['routes', 'list'])).stdout).toMatch(
      /^No routes yet\. Add .* web UI/,
    );
    expect((await machine.run(['routes', '--help'])).stdout).toContain('POST /api/routes/add');
    const route = { source_bot_id: 1, target_bot_id: 1, action: 'copy', target_chat_id: -5 };
    const added = await fetch(`${address}/api/routes/add`, {
      method: 'POST',
      headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...route, condition_type: 'keyword', condition_value: 'tea' }),
    });
    expect(added.status).toBe(200);
    const table = (await machine.run(['routes', 'list'])).stdout.split('\n');
    expect(table[0]).toMatch(/^ID +FROM +CONDITION +ACTION +TO +STATE$/);
    expect(table[1]).toMatch(/^1 +bot 1 +keyword tea +copy +bot 1, chat -5 +active$/);
  });

  it('does not make a data directory just to look around', async () => {
    const { env, run } = await createMachine();
    const dataDir = env['RELAY_DATA_DIR'] ?? '';
    expect((await run(['doctor'])).code).toBe(0);
    for (const args of [
      ['bots', 'list'],
      ['users', 'list'],
      ['bots', 'toggle', '1'],
      ['secrets', 'rotate'],
    ]) {
      const { code, stderr } = await run(args);
      expect(code).toBe(1);
      expect(stderr).toContain(`No Bot Relay data in ${dataDir}.`);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  it('speaks of commands, not of the API', async () => {
    const machine = await createMachine();
    const { run } = machine;
    await withBot(machine);
    const missing = await run(['bots', 'toggle', '99']);
    expect(missing.stderr).toBe(
      'bot-relay: Unknown bot 99. List bots with "bot-relay bots list".\n',
    );
    const aimless = await run(['bots', 'update', '1', '--proxy', 'on']);
    expect(aimless.stderr).toBe(
      'bot-relay: --backend is required with --proxy on. Set it, or use --proxy off.\n',
    );
    const bad = await run(['bots', 'add', '--token-stdin'], 'not a token\n');
    expect(bad.stderr).toMatch(/^bot-relay: This is not a bot token\. [^^]*\n$/);
    const nameless = await run(['users', 'add', 'a b', '--password-stdin'], 'correct horse\n');
    expect(nameless.stderr).toMatch(/letters, digits and \. _ @ \+ - but no spaces\.\n$/);
    expect((await run(['keys', 'create', 'x', '--bots', '9'])).stderr).toMatch(
      /List bots with "bot-relay bots list"/,
    );
    expect((await run(['keys', 'revoke', '99'])).stderr).toMatch(
      /List keys with "bot-relay keys list"/,
    );
    const nowhere = path.join(machine.folder, 'nowhere');
    expect((await run(['backup', path.join(nowhere, 'b.db')])).stderr).toBe(
      `bot-relay: No directory ${nowhere}. Create it first.\n`,
    );
  });

  it('says when Telegram could not be asked about a token', async () => {
    const { run, sandbox, token } = await createMachine();
    await sandbox.close();
    const { code, stdout } = await run(['bots', 'add', '--token-stdin'], `${token}\n`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Added bot 1 \(no name yet\)\. The token is not checked yet: Telegram cannot be reached \([^)]*\)\. The service retries; /,
    );
    expect((await run(['bots', 'list'])).stdout).toMatch(/^1 +\(no name yet\) /m);
    const backend = ['--backend', 'http://127.0.0.1:3000/hook'];
    const off = await run(['bots', 'update', '1', ...backend]);
    expect(off.stdout).toMatch(/forwarding is off\. turn it on with --proxy on/i);
    expect((await run(['bots', 'list'])).stdout).toMatch(
      / off \(http:\/\/127\.0\.0\.1:3000\/hook\)/,
    );
  });
});

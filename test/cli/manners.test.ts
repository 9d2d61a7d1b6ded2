import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { command, createMachine } from '../support/command.ts';
import { runRelay, startRelay, temporaryFolder } from '../support/relay-process.ts';

interface CheckResult {
  area: string;
  state: string;
  text: string;
}

describe('the help', () => {
  it.each<[string[], RegExp]>([
    [['help', 'frob'], /^bot-relay: unknown command 'frob'\. See "bot-relay --help"\.\n$/],
    [['frob', '--help'], /^bot-relay: unknown command 'frob'\. See "bot-relay --help"\.\n$/],
    [['bogus'], /^bot-relay: unknown command 'bogus'\. See "bot-relay --help"\.\n$/],
    [['bot', 'list'], /unknown command 'bot' \(Did you mean bots\?\)/],
    [['start', '--prot', '1'], /unknown option '--prot' \(Did you mean --port\?\)/],
    [
      ['bots', 'add', '--token', '1:a'],
      /: a token is not taken on the command line, .* --token-stdin\. See "/,
    ],
    [['help', 'strt'], /unknown command 'strt' \(Did you mean start\?\)/],
    [['help', 'bots', 'lst'], /'lst' \(Did you mean list\?\)\. See "bot-relay bots --help"\.\n$/],
    [['bots', 'lst', '-h'], /'lst' \(Did you mean list\?\)\. See "bot-relay bots --help"\.\n$/],
    [['bots', 'help', 'lst'], /'lst' \(Did you mean list\?\)\. See "bot-relay bots --help"\.\n$/],
    [['--json', 'help', 'frob'], /^\{"error":"unknown command 'frob'\..*"code":"bad_usage"\}\n$/],
  ])('knows no such command: %j', async (args, expected) => {
    const { code, stdout, stderr } = await command(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
  });

  it.each([
    ['prot', ' Did you mean port? List '],
    ['RELAY-PUBLC-URL', ' Did you mean public_url? List '],
    ['colour', ' List '],
  ])('suggests a setting for the key %s of the file', async (key, suggestion) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const file = path.join(folder.path, 'a.yaml');
    writeFileSync(file, `${key}: 80\n`);
    const { code, stderr } = await command(['start', '--config', file]);
    expect(stderr).toContain(`bot-relay: a.yaml: unknown setting "${key}".${suggestion}`);
    expect(code).toBe(2);
  });

  it('is the same however it is asked for', async () => {
    const asked = await command(['bots', 'add', '--help']);
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(asked.stdout).toMatch(/^Usage: bot-relay bots add /);
    expect(await command(['help', 'bots', 'add'])).toEqual(asked);
    expect(await command(['bots', 'help', 'add'])).toEqual(asked);
    expect((await command(['help'])).stdout).toBe((await command(['--help'])).stdout);
  });

  it('does not change text that is to be sent', async () => {
    const args = ['send', '1', '2', 'help', '--url', 'http://127.0.0.1:1', '--key', 'brs_x'];
    expect((await command(args)).stderr).toMatch(/^bot-relay: Cannot reach the service at /);
  });

  it.each([
    ['http://127.0.0.1:1', 'Start it with "bot-relay start --port 1", or set another'],
    ['http://relay.invalid:1', 'Check the address, and that the service runs there.\n'],
    ['https://127.0.0.1:1', 'Check the address, and that the service runs there.\n'],
  ])('says what to do when nothing answers at %s', async (url, advice) => {
    const { stderr } = await command(['--url', url, '--key', 'brs_x', 'bots', 'list']);
    expect(stderr).toContain(`Cannot reach the service at ${url}. ${advice}`);
  });

  it.each(['--url', '--key'])('starts no service elsewhere: %s', async (flag) => {
    const { code, stderr } = await command(['start', flag, 'http://127.0.0.1:1']);
    expect(stderr).toContain(`takes no ${flag}. Set its address with --host and --port.\n`);
    expect(code).toBe(2);
    expect((await command(['start', '--help'])).stdout).not.toContain(`\n  ${flag} `);
  });

  it.each([
    ['demo', 'demo runs a service on this machine', 'Set its address with --host and --port.'],
    ['sandbox', 'sandbox runs on this machine', 'Set its address with --host and --port.'],
    ['backup x.db', 'backup works on the data of this machine', 'Run it on the machine of '],
    ['restore x.db', 'restore works on the data of this machine', 'Run it on the machine of '],
    ['rebuild', 'rebuild works on the data of this machine', 'Run it on the machine of '],
    ['secrets rotate', 'rotate works on the data of this machine', 'Run it on the machine of '],
  ])('runs nothing here where an address is given: %s', async (words, what, advice) => {
    const args = words.split(' ');
    const { env } = await createMachine();
    const address = 'http://127.0.0.1:1';
    for (const flag of ['--url', '--key']) {
      const { code, stderr } = await command([...args, flag, address], { env });
      expect(stderr).toContain(`bot-relay: ${what} and takes no ${flag}. ${advice}`);
      expect(code).toBe(2);
    }
    expect((await command([...args, '--help'])).stdout).not.toContain('\n  --url ');
    if (!what.includes('data')) return;
    const { code, stderr } = await command(args, { env: { ...env, RELAY_URL: address } });
    expect(stderr).toContain(`bot-relay: ${what}, but RELAY_URL is set. ${advice}`);
    expect(code).toBe(2);
  });

  it('tells clients that no service answers', async () => {
    const args = ['bots', 'list', '--json', '--url', 'http://127.0.0.1:1', '--key', 'brs_x'];
    const { code, stderr } = await command(args);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({
      error: expect.stringContaining('Cannot reach the service at http://127.0.0.1:1'),
      code: 'service_unreachable',
    });
  });
});

describe('the doctor', () => {
  const offline = { TELEGRAM_API_URL: 'http://127.0.0.1:1', RELAY_SANDBOX: 'on' };
  const platformOf = (stdout: string) =>
    (JSON.parse(stdout) as CheckResult[]).find(({ area }) => area === 'Telegram');

  it('only warns while no bot needs Telegram, and fails once one does', async () => {
    const machine = await createMachine();
    const env = { ...machine.env, ...offline };
    const before = await command(['doctor', '--json'], { env });
    expect(before.code).toBe(0);
    expect(platformOf(before.stdout)).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/cannot be reached .*practice bots do not need it/),
    });

    Object.assign(machine.env, offline);
    const service = await machine.startService();
    const call = async (path: string, body: object) => {
      const answer = await fetch(service.address + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.localKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as { token: string };
    };
    const practice = await call('/api/sandbox/bots', { first_name: 'Tea shop' });
    await call('/api/bots/add', { token: practice.token, name: 'Tea shop' });
    const practising = await machine.run(['doctor', '--json']);
    expect(platformOf(practising.stdout)).toMatchObject({ state: 'warn' });
    expect(practising.stdout).toMatch(/Tea shop: the sandbox accepts the token/);
    expect(practising.code).toBe(0);

    // Another Telegram ID than that of the practice bot.
    const token = '123456789:AAa_token_that_nobody_can_check_now1';
    await machine.json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
    const real = await machine.run(['doctor', '--json']);
    expect(platformOf(real.stdout)).toMatchObject({
      state: 'fail',
      text: expect.not.stringContaining('need it'),
    });
    expect(real.code).toBe(1);
    expect((JSON.parse(real.stdout) as CheckResult[]).at(-1)).toMatchObject({
      area: 'bot 2',
      text: expect.stringMatching(/^Shop: Telegram cannot be reached/),
      advice: expect.stringMatching(/^check the network, DNS/),
    });
    await machine.json(['bots', 'toggle', '2']);
    const stopped = await machine.run(['doctor', '--json']);
    expect(platformOf(stopped.stdout)?.state).toBe('warn');
    expect(stopped.stdout).toContain('"advice": "bot-relay bots toggle 2"');
  });

  it('examines the Bot API server of the running service, whatever the shell sets', async () => {
    const machine = await createMachine();
    await machine.startService();
    const used = machine.env['TELEGRAM_API_URL'];
    const env = { ...machine.env, TELEGRAM_API_URL: 'http://127.0.0.1:1' };
    const { code, stdout } = await command(['doctor'], { env });
    expect(stdout).toContain(`ok    Telegram        ${used} answers\n`);
    expect(stdout).toContain(
      `the service uses TELEGRAM_API_URL ${used}, here it is http://127.0.0.1:1 → restart`,
    );
    expect(code).toBe(0);
    expect((await machine.run(['doctor'])).stdout).not.toContain('here it is');
  });

  it('warns about practice bots whose sandbox a backup did not contain', async () => {
    const machine = await createMachine();
    // Real bots have Telegram, which nothing here reaches.
    machine.env['TELEGRAM_API_URL'] = 'https://api.telegram.org';
    machine.env['RELAY_TELEGRAM_PROXY'] = 'http://127.0.0.1:1';
    await machine.json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${machine.token}\n`);
    const off = await machine.run(['doctor', '--json']);
    expect((JSON.parse(off.stdout) as CheckResult[]).at(-1)).toMatchObject({
      state: 'warn',
      advice: 'set RELAY_SANDBOX=on, or "bot-relay bots delete 1"',
    });
    machine.env['RELAY_SANDBOX'] = 'on';
    const { code, stdout } = await machine.run(['doctor', '--json']);
    expect((JSON.parse(stdout) as CheckResult[]).at(-1)).toEqual({
      area: 'bot 1',
      state: 'warn',
      text: 'Shop is a practice bot of a missing sandbox',
      advice: expect.stringMatching(/copy sandbox\.json .*or "bot-relay bots delete 1"$/),
    });
    expect(platformOf(stdout)?.state).toBe('warn');
    expect(code).toBe(0);
  });

  it('tells of a service elsewhere nothing but what it says itself', async () => {
    const machine = await createMachine();
    const { address, localKey } = await machine.startService();
    await machine.json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${machine.token}\n`);
    const args = ['doctor', '--json', '--url', address];
    const well = await command(args, { env: { RELAY_API_KEY: localKey } });
    expect(JSON.parse(well.stdout)).toMatchObject([
      { area: 'service', state: 'ok', text: 'answers (bots: 1)' },
      { area: 'bot 1', state: 'ok', text: 'Shop: Telegram accepts the token' },
    ]);
    expect(well.code).toBe(0);
    await machine.json(['bots', 'update', '1', '--secret-stdin'], 'short\n');
    const guessable = await command(args, { env: { RELAY_API_KEY: localKey } });
    expect(JSON.parse(guessable.stdout)).toContainEqual(
      expect.objectContaining({
        area: 'bot 1',
        state: 'warn',
        text: expect.stringContaining('16'),
      }),
    );
    expect(guessable.code).toBe(0);
    const refused = await command(args, { env: { RELAY_API_KEY: 'brs_wrong' } });
    expect(JSON.parse(refused.stdout)).toMatchObject([
      { area: 'service', state: 'fail', text: expect.stringContaining('Invalid API key') },
    ]);
    expect(refused.code).toBe(1);
    await machine.json([
      'bots',
      'update',
      '1',
      '--backend',
      'http://127.0.0.1:9/',
      '--proxy',
      'on',
    ]);
    expect((await machine.run(['deliveries', 'check', '1'])).code).toBe(1);
    const unreached = await command(args, { env: { RELAY_API_KEY: localKey } });
    expect(unreached.code).toBe(1);
    expect(JSON.parse(unreached.stdout)).toContainEqual(
      expect.objectContaining({
        state: 'fail',
        text: expect.stringMatching(/^Shop: backend down: connection refused/) as string,
      }),
    );
  });

  it('does not take a file for a data directory', async () => {
    const { env, folder } = await createMachine();
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const { code, stdout } = await command(['doctor'], { env: { ...env, RELAY_DATA_DIR: file } });
    expect(stdout).toMatch(/^fail {2}data directory .* is a file → set RELAY_DATA_DIR/m);
    expect(code).toBe(1);
  });
});

describe('a list', () => {
  it("prints times in the reader's time zone", async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { run } = await createMachine();
    const made = await run(['keys', 'create', 'x', '--expires', '2099-01-31']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await run(['keys', 'list']);
    expect(stdout).toContain(' 2099-01-31 09:00 ');
  });
});

describe('sending', () => {
  it('to a group, whose id begins with a dash', async () => {
    const machine = await createMachine();
    await machine.json(['bots', 'add', '--token-stdin'], `${machine.token}\n`);
    const owner = machine.sandbox.createUser({ first_name: 'Olga' });
    const members = ['shop_bot'];
    const group = machine.sandbox.createChat({ title: 'Shop', owner: owner.id, members });
    const sent = await machine.json(['send', '1', String(group.id), 'Open!', '--reply-to', '1']);
    expect(sent).toMatchObject({ chat_id: group.id, text: 'Open!' });
  });

  it('in the name of a business account', async () => {
    const machine = await createMachine();
    const { sandbox } = machine;
    await machine.json(['bots', 'add', '--token-stdin'], `${machine.token}\n`);
    const owner = sandbox.createUser({ first_name: 'Olga' });
    const customer = sandbox.createUser({ first_name: 'Anna' });
    const { id } = sandbox.connectBusiness(owner.id, 'shop_bot', { can_reply: true });
    sandbox.say(customer.id, owner.id, 'Are you open?');
    const sent = await machine.json(['send', '1', String(customer.id), 'Yes', '--business', id]);
    expect(sent).toMatchObject({ text: 'Yes', business_connection_id: id });
  });
});

// Processes start slowly on a machine that is busy with other tests.
describe('at a terminal', () => {
  const start = async (env: Record<string, string>, terminal: boolean) => {
    const folder = temporaryFolder();
    const all = { RELAY_DATA_DIR: folder.path, ...env };
    const service = await startRelay(all, { terminal });
    onTestFinished(async () => {
      await service.stop('SIGKILL');
      folder.remove();
    });
    return service;
  };

  it('a start says how to get in and nothing else, and Ctrl-C that it ended well', async () => {
    const misspelt = { RELAY_RETENTON_AGE: '3d', RELAY_PORT: 'tcp://10.0.0.1:80' };
    const service = await start(misspelt, true);
    expect(service.stdout()).toMatch(/^First start\..*\n {2}Admin key .*\n {2}Setup/);
    const end = await service.stop('SIGINT');
    const warning = 'RELAY_RETENTON_AGE is not a setting. Did you mean RELAY_RETENTION_AGE?';
    expect(end).toMatchObject({ code: 0, stderr: `bot-relay: ${warning}\n` });
    expect(end.stdout).toMatch(/ is ready at http:\S+\n\nStopping …\nStopped\.\n$/);
  });

  it('prints no farewell to clients, and logs lines of JSON', async () => {
    const service = await start({ RELAY_LOG_LEVEL: 'debug' }, false);
    const end = await service.stop('SIGINT');
    expect(end.stdout).toMatch(/ is ready at http:\S+\n$/);
    const lines = end.stderr.trim().split('\n');
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toContain('bots are taken');
  });

  it('prints no stack trace when its output is closed', async () => {
    const { code, stderr } = await runRelay(['--help'], { unread: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('a command about something that is not there', () => {
  it('names the command that lists what is, not a request', async () => {
    const { json, run, token } = await createMachine();
    await json(['bots', 'add', '--token-stdin'], `${token}\n`);
    const asked = [
      ['bots', 'toggle', '9'],
      ['apps', 'list', '9'],
      ['broadcasts', 'cancel', '9'],
      ['scheduled', 'cancel', '9'],
      ['questions', 'cancel', '9'],
      ['replies', 'delete', '9'],
      ['desks', 'check', '9'],
      ['keys', 'revoke', '9'],
      ['alerts', 'acknowledge', '9'],
    ];
    for (const words of asked) {
      const { code, stderr } = await run(words);
      const [group = ''] = words;
      const list = group === 'apps' ? 'bots list' : `${group} list`;
      expect(stderr, words.join(' ')).toContain(`"bot-relay ${list}"`);
      expect([code, stderr.includes('/api/')], words.join(' ')).toEqual([1, false]);
    }
  });
});

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, createMachine } from '../support/command.ts';

describe('the commands export and apply', () => {
  it('move the configuration to another service, byte for byte', async () => {
    const machine = await createMachine();
    await machine.startService();
    await machine.json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${machine.token}\n`);
    await machine.json(['apps', 'add', '1', 'orders', '--filter', '{"commands": ["/order"]}']);
    const { stdout: yaml } = await machine.run(['export']);
    expect(yaml).toMatch(/^# yaml-language-server: \$schema=relay\.schema\.json\n/);
    expect(yaml).not.toContain(machine.token);
    const id = machine.token.split(':')[0] ?? '';
    const variable = `BOT_${id}_TOKEN`;
    expect(yaml).toContain(`#   ${variable}\n`);
    expect((await machine.run(['export', '--json'])).stdout).toContain('"variables"');

    const file = path.join(machine.folder, 'relay.yaml');
    writeFileSync(file, yaml);
    const data = path.join(machine.folder, 'other');
    const key = `brs_${'a'.repeat(43)}`;
    const keys = Object.fromEntries(
      [...yaml.matchAll(/#   (KEY_\w+)/g)].map(([, name]) => [name, key]),
    );
    const env = { ...machine.env, RELAY_DATA_DIR: data };
    const other = (args: string[], more: object = {}) =>
      command(args, { env: { ...env, ...keys, ...more } });
    expect(await other(['apply', '-f', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`missing: ${variable}.`),
    });
    const token = { [variable]: machine.token };
    const planned = await other(['apply', '-f', file, '--dry-run'], token);
    expect(planned.stdout).toContain(`+ bot ${id}\n+ app ${id}/orders\n`);
    expect(planned.stdout).toContain('Dry run, nothing was changed.');
    expect((await other(['apply', '-f', file], token)).stdout).toMatch(
      /Applied: \d added, 0 changed, 0 deleted\.\n$/,
    );
    expect((await other(['export'])).stdout).toBe(yaml);
    expect((await other(['apply', '-f', file], token)).stdout).toBe('Nothing to change.\n');

    writeFileSync(file, 'version: 1\nbots: []\n');
    const asked = await other(['apply', '-f', file, '--prune']);
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toContain(`This deletes bot ${id}, app ${id}/orders. Confirm with --yes.`);
    expect((await other(['apply', '-f', file, '--prune', '--yes'])).stdout).toBe(
      `− bot ${id}\n− app ${id}/orders\nApplied: 0 added, 0 changed, 2 deleted.\n`,
    );
  });

  it.each([
    [
      'a file without end',
      'version: 1\nmodel: { api_key: "file:/dev/zero" }',
      /\/dev\/zero is too large for a token or key\.$/,
    ],
    ['a large file', `# ${'x'.repeat(9_000_000)}`, /relay\.yaml is larger than 8 MB\.$/],
    [
      'an alias that contains itself',
      'version: 1\nbots: &b [*b]',
      /an alias in it contains itself\.$/,
    ],
    [
      'two documents',
      'version: 1\n---\nversion: 1',
      /several YAML documents, separated by "---"\. Apply/,
    ],
  ])('refuses %s with one line', async (_what, text, line) => {
    const machine = await createMachine();
    const file = path.join(machine.folder, 'relay.yaml');
    writeFileSync(file, text);
    const tried = await machine.run(['apply', '-f', file, '--dry-run']);
    expect(tried.stderr.trimEnd()).toMatch(line);
    expect(tried.stderr.split('\n')).toHaveLength(2);
    expect(tried).toMatchObject({ code: 2, stdout: '' });
    if (text.length > 1_000) {
      expect(await machine.run(['apply', '-f', '-', '--dry-run'], text)).toMatchObject({
        code: 2,
        stderr: 'bot-relay: Standard input is larger than 8 MB.\n',
      });
    }
  });

  it('writes secrets only for the owner of the file, and reads them from files', async () => {
    const machine = await createMachine();
    await machine.json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${machine.token}\n`);
    const file = path.join(machine.folder, 'relay.yaml');
    writeFileSync(file, '', { mode: 0o644 });
    const exported = ['export', '--with-secrets', '-o', file];
    expect(await machine.run(exported)).toMatchObject({
      code: 1,
      stderr: `bot-relay: ${file} exists. Choose another name, or add --force.\n`,
    });
    expect((await machine.run([...exported, '--force'])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(machine.token);
    // As it can be typed in a clone, whose place on this machine the file does not tell.
    const name = `node ${path.join('bin', 'bot-relay.js')}`;
    expect(readFileSync(file, 'utf8')).toContain(` Apply it with: ${name} apply -f relay.yaml\n`);
    writeFileSync(path.join(machine.folder, 'token'), `${machine.token}\n`);
    const id = machine.token.split(':')[0];
    const text = `version: 1\nbots:\n  - platform_id: ${id}\n    token: file:token\n    name: Store\n`;
    writeFileSync(file, text);
    expect((await machine.run(['apply', '-f', file])).stdout).toBe(
      `~ bot ${id}: name "Shop" → "Store"\nApplied: 0 added, 1 changed, 0 deleted.\n`,
    );
    writeFileSync(file, `${text}    secret_token: a-secret-of-16-or-more-characters\n`);
    expect((await machine.run(['apply', '-f', file])).stdout).toMatch(/: secret_token set\n/);
    writeFileSync(
      file,
      `${text}    proxy_enabled: false\n    backend_url: http://127.0.0.1:3001/\n`,
    );
    expect((await machine.run(['apply', '-f', file])).stdout).toMatch(
      /: backend_url set, secret_token removed\n|: secret_token removed, backend_url set\n/,
    );
    expect((await machine.run(['export', '--schema'])).stdout).toContain(
      '"Bot Relay configuration"',
    );
  });

  it('says in one line what is wrong', async () => {
    const machine = await createMachine();
    const file = path.join(machine.folder, 'relay.yaml');
    const tried = async (text: string) => {
      writeFileSync(file, text);
      return machine.run(['apply', '-f', file]);
    };
    // Exit code 1, as in all commands where a file or directory is not there.
    expect(await machine.run(['apply', '-f', '/nowhere.yaml'])).toMatchObject({
      code: 1,
      stderr: 'bot-relay: File /nowhere.yaml not found.\n',
    });
    expect(await machine.run(['export', '--schema', '-o', '/nowhere/x.json'])).toMatchObject({
      code: 1,
      stderr: 'bot-relay: No directory /nowhere. Create it first.\n',
    });
    expect((await tried('a: [')).stderr).toMatch(/is not valid YAML/);
    const bomb = Array.from('bcdefghij', (name, index) => {
      const last = 'abcdefghij'[index];
      return `${name}: &${name} [${Array(9).fill(`*${last}`).join(', ')}]`;
    });
    expect((await tried(['a: &a [x]', ...bomb].join('\n'))).stderr).toMatch(
      /is not valid YAML: Excessive alias count/,
    );
    expect((await tried('a: *missing')).stderr).toMatch(/is not valid YAML: Unresolved alias/);
    expect((await tried('text')).stderr).toMatch(/is not a configuration/);
    expect((await machine.run(['apply', '-f', '-'])).stderr).toMatch(/: Standard input is empty/);
    expect((await tried('version: 1\nbotz: []\n')).stderr).toMatch(/botz/);
    expect((await tried('botz: []\n')).stderr).toMatch(/^bot-relay: version is missing\. .*botz/);
    expect((await tried('version: 2\n')).stderr).toBe(
      'bot-relay: version must be 1; this file is for a newer Bot Relay.\n',
    );
    const unset = await tried('version: 1\nbots:\n  - platform_id: 1\n    token: ${NO_TOKEN}\n');
    expect(unset.stderr).toMatch(
      /missing: NO_TOKEN\. .* To keep a token that the service already has, delete its line\.\n$/,
    );
    const misused = await machine.run(['apply', file]);
    expect(misused.code).toBe(2);
    expect(misused.stderr).toMatch(/^bot-relay: --file is missing\. See ".* apply --help"\.\n$/);
  });
});

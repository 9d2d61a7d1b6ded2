import { execFile } from 'node:child_process';
import { chmodSync, existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainFailure } from '../../src/cli/failure.ts';
import { reason } from '../../src/core/reasons/reason.ts';
import { RelayError } from '../../src/errors.ts';
import { writeServiceFile } from '../../src/manage/service/service-file.ts';
import { lockDataDir } from '../../src/store/sqlite/data-dir-lock.ts';
import { makePrivate, openDirectory } from '../../src/manage/service/data-directory.ts';
import { command, createMachine } from '../support/command.ts';
import { patienceMs } from '../support/patience.ts';
import { commandModule, temporaryFolder } from '../support/relay-process.ts';

const program = fileURLToPath(new URL('./support/commands-in-turn.ts', import.meta.url));

interface Ended {
  code: number;
  stderr: string;
}

/** In one process that is killed: a start that hangs may not handle a signal. */
async function runInTurn(commands: readonly (readonly string[])[]): Promise<Ended[]> {
  const module = await commandModule();
  const words = commands.map((one) => [...one, '--port', '0']);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, module, JSON.stringify(words)],
    { timeout: patienceMs, killSignal: 'SIGKILL' },
  );
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Ended);
}

describe('a directory for data', () => {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'file');
  beforeAll(() => writeFileSync(file, ''));
  afterAll(() => folder.remove());

  it('that another service uses is named with the address of that service', () => {
    const service = {
      pid: process.pid,
      url: 'http://127.0.0.1:9555',
      key: 'x',
      telegramApiUrl: '',
    };
    const error = new RelayError(
      'data_dir_locked',
      reason('data_directory_locked', { directory: folder.path }),
    );
    const line = () => explainFailure(error, false).line;
    expect(line()).toMatch(/ is in use by another Bot Relay\. Stop it, or .* --data-dir\.$/);
    writeServiceFile(folder.path, service);
    expect(line()).toContain('. It runs at http://127.0.0.1:9555. Stop it');
  });

  it('that another has for a moment is waited for', async () => {
    const { env, run, startService } = await createMachine();
    await (await startService()).close();
    const unlock = lockDataDir(env['RELAY_DATA_DIR'] ?? '');
    const listed = run(['bots', 'list']);
    // So that it finds the lock, unless the machine is slow.
    await new Promise((resolve) => setTimeout(resolve, 500));
    unlock();
    expect(await listed).toMatchObject({ code: 0, stderr: '' });
  });

  it('that cannot be made, or is a file, ends each command at once with a line', async () => {
    const world = path.join(file, 'world.json');
    // Nothing can be created in /proc, and its error makes the recursive mkdir of Node hang.
    const cannotBeMade: [string[], string][] = [
      [['start', '--data-dir', '/proc/x'], '--data-dir: cannot create /proc/x'],
      [
        ['start', '--data-dir', '/proc/x/deep', '--sandbox', 'off'],
        '--data-dir: cannot create /proc/x/deep',
      ],
      [['demo', '--data', '/proc/x'], '--data: cannot create /proc/x'],
      [['sandbox', '--data', '/proc/x/world.json'], '--data: cannot create /proc/x'],
      [['keys', 'create', 'x', '--data-dir', '/proc/x'], '--data-dir: cannot create /proc/x'],
    ];
    const isFile: [string[], string][] = [
      [['start', '--data-dir', file], '--data-dir'],
      [['demo', '--data', file], '--data'],
      [['sandbox', '--data', world], '--data'],
    ];
    const all = [...cannotBeMade, ...isFile].map(([args]) => args);
    const ended = await runInTurn(all);
    expect(ended.map(({ code }) => code)).toEqual(all.map(() => 2));
    for (const [index, [, begins]] of cannotBeMade.entries()) {
      const line = ended[index]?.stderr;
      expect(line).toMatch(/^bot-relay: [^\n]+ or choose another\. Example: [^\n]+\n$/);
      expect(line).toContain(`bot-relay: ${begins} (`);
    }
    for (const [index, [, setting]] of isFile.entries()) {
      expect(ended[cannotBeMade.length + index]?.stderr).toContain(
        `bot-relay: ${setting}: ${file} is a file, not a directory. `,
      );
    }
  });

  it('ends a restore in the same way', async () => {
    const machine = await createMachine();
    const service = await machine.startService();
    const copy = path.join(machine.folder, 'copy.db');
    expect(await machine.run(['backup', copy])).toMatchObject({ code: 0 });
    await service.close();
    const [ended] = await runInTurn([['restore', copy, '--data-dir', '/proc/x']]);
    expect(ended?.stderr).toContain('--data-dir: cannot create /proc/x (');
    expect(ended?.code).toBe(2);
  });

  it('whose data cannot be reached is not called empty', async () => {
    const loop = path.join(folder.path, 'loop');
    symlinkSync(loop, loop);
    for (const args of [
      ['bots', 'list'],
      ['secrets', 'rotate'],
      ['backup', file],
    ]) {
      const { code, stderr } = await command(args, { env: { RELAY_DATA_DIR: loop } });
      expect(stderr).toContain(`this user has no access to ${loop} (ELOOP). `);
      expect(code).toBe(2);
    }
  });

  it.each([
    ['that is empty', [], 0o700],
    ['with data of the service', ['relay.db-wal', 'master.key', 'node-id', 'media'], 0o700],
    ['with files of somebody else', ['relay.db', 'notes.txt'], 0o755],
  ])('%s is closed to others by a start only if it is its own', (_what, names, mode) => {
    const directory = path.join(folder.path, `shared-${names.length}`);
    openDirectory(directory);
    chmodSync(directory, 0o755);
    for (const name of names) writeFileSync(path.join(directory, name), '');
    makePrivate(directory);
    expect(statSync(directory).mode & 0o777).toBe(mode);
  });

  it('that others can open is closed by a start', async () => {
    const machine = await createMachine();
    const directory = machine.env['RELAY_DATA_DIR'] ?? '';
    openDirectory(directory);
    chmodSync(directory, 0o755);
    const service = await machine.startService();
    await service.close();
    chmodSync(directory, 0o755);
    await (await machine.startService()).close();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('is created with missing parent directories, private to its user, and reused', () => {
    const deep = path.join(folder.path, 'a', 'b', 'c');
    expect(openDirectory(deep)).toBe(true);
    expect(statSync(path.dirname(deep)).mode & 0o077).toBe(0);
    expect(openDirectory(deep)).toBe(false);
    expect(() => openDirectory(path.join(file, 'below'))).toThrow(/cannot create .* \(ENOTDIR\)/);
    expect(existsSync(path.join(folder.path, 'below'))).toBe(false);
  });
});

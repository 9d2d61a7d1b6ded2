import { execFile, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { relayLauncher, startRelay, temporaryFolder } from '../support/relay-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Imitates "npm ci", as far as the script checks. */
const npm = `
import { mkdirSync, writeFileSync } from 'node:fs';
if (process.argv[2] !== 'ci') process.exit(1);
mkdirSync('node_modules/node/bin', { recursive: true });
for (const name of ['node', 'node.exe']) writeFileSync('node_modules/node/bin/' + name, '');
`;

function clone() {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const at = (...parts: string[]) => path.join(folder.path, ...parts);
  for (const part of ['bin', 'src', 'sandbox/src', 'package.json']) {
    cpSync(path.join(root, part), at(part), { recursive: true });
  }
  mkdirSync(at('scripts'));
  for (const script of ['prepare.js', 'service-sources.js']) {
    cpSync(path.join(root, 'scripts', script), at('scripts', script));
  }
  writeFileSync(at('npm.js'), npm);
  const run = (args: string[], own: Record<string, string> = {}) =>
    new Promise<{ code: unknown; stderr: string }>((resolve) => {
      const env = { ...process.env, npm_execpath: at('npm.js'), ...own };
      execFile(process.execPath, args, { cwd: folder.path, env }, (error, _stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stderr }),
      );
    });
  return { at, run };
}

/** Gives a clone the packages of this one, and all that it needs to build the service. */
function installableClone() {
  const { at, run } = clone();
  const scripts = ['build-folder.ts', 'build-service.ts', 'bundle.ts'];
  for (const part of [...scripts.map((name) => `scripts/${name}`), '.npmrc', 'docs', 'web/dist']) {
    cpSync(path.join(root, part), at(part), { recursive: true });
  }
  const linking = `
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
const packages = ${JSON.stringify(path.join(root, 'node_modules'))};
mkdirSync('node_modules');
for (const name of readdirSync(packages).filter((one) => !one.startsWith('.'))) {
  symlinkSync(packages + '/' + name, 'node_modules/' + name, 'junction');
}`;
  writeFileSync(at('npm.js'), linking);
  return { at, run };
}

describe('a fresh clone', () => {
  it('says in one line that it is not installed', async () => {
    const { run } = clone();
    const { code, stderr } = await run(['bin/bot-relay.js', 'bots', 'list']);
    expect(stderr).toMatch(/^bot-relay is not installed completely: run "npm start" once[^\n]*\n$/);
    expect(code).toBe(1);
  });

  it('is installed once, and what a start that was cut short left is cleared away', async () => {
    const { at, run } = clone();
    const left = ['.cache/install-1/web', '.cache/old-1-dist', 'web/dist-1'];
    for (const folder of left) mkdirSync(at(folder), { recursive: true });
    // Of a process that is gone, as no process has such a number.
    writeFileSync(at('.cache/prepare.lock'), '999999999');
    const first = await run(['scripts/prepare.js', 'run']);
    expect(first).toEqual({
      code: 0,
      stderr: 'bot-relay: installing dependencies (once, about a minute) …\n',
    });
    for (const folder of left) expect(existsSync(at(folder)), folder).toBe(false);
    expect(readdirSync(at('.cache'))).toEqual([]);
    const stamp = readFileSync(at('node_modules/.bot-relay-install.json'), 'utf8');
    expect(JSON.parse(stamp)).toMatchObject({ scope: 'run' });
    expect(await run(['scripts/prepare.js', 'run'])).toEqual({ code: 0, stderr: '' });
  });
});

describe('npm start', () => {
  const building = 'bot-relay: building the service …\n';

  it('runs the service as one bundle, built once', async () => {
    const { at, run } = installableClone();
    const { code, stderr } = await run(['scripts/prepare.js', 'run']);
    expect({ code, stderr: stderr.endsWith(`…\n${building}`) }).toEqual({ code: 0, stderr: true });
    // The sources could not be loaded without it.
    rmSync(at('node_modules/commander'));
    const cli = process.env['npm_execpath'];
    const service = await startRelay(
      { HOME: at('.'), TMPDIR: at('.'), RELAY_DATA_DIR: at('data'), RELAY_LOG_LEVEL: 'error' },
      { command: cli ? [process.execPath, cli] : ['npm'], cwd: at('.') },
    );
    const page = await fetch(service.address);
    const guide = await fetch(`${service.address}/docs/cli.md`);
    const { pid } = JSON.parse(readFileSync(at('data/service.json'), 'utf8')) as { pid: number };
    process.kill(pid);
    const end = await service.ended;
    expect(end.stderr).not.toContain('bot-relay:');
    expect(existsSync(at('data/service.json'))).toBe(process.platform === 'win32');
    expect([page.status, guide.status]).toEqual([200, 200]);
  });

  it('runs the sources if they cannot be bundled', async () => {
    const { at, run } = installableClone();
    const broken = 'export const bundle = () => { throw new Error("no binding here"); };';
    writeFileSync(at('scripts/bundle.ts'), broken);
    const { code, stderr } = await run(['scripts/prepare.js', 'run']);
    expect(stderr).toContain('no binding here');
    expect(stderr).toMatch(/\nbot-relay: the service could not be built \(see above\)[^\n]*\n$/);
    expect(code).toBe(0);
    const start = { npm_lifecycle_event: 'start' };
    const started = await run(['bin/bot-relay.js', 'start', '--port', 'none'], start);
    expect(started.stderr).toContain('bot-relay: --port: must be a whole number');
  });
});

describe('the lock of a start', () => {
  const waiting = 'bot-relay: another start is installing; waiting for it …\n';

  it('is taken over from a killed one whose number a later process has', async () => {
    const { at, run } = clone();
    mkdirSync(at('.cache'));
    // The number of a process that lives, but began at another time.
    writeFileSync(at('.cache/prepare.lock'), `${process.pid} other-boot/1 x`);
    const { code, stderr } = await run(['scripts/prepare.js', 'run']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'bot-relay: installing dependencies (once, about a minute) …\n',
    });
  });

  it('is taken over from a killed one that had the number of this one', async () => {
    const { at, run } = clone();
    mkdirSync(at('.cache'));
    const lock = JSON.stringify(at('.cache/prepare.lock'));
    // As in the next container, where the same program gets the same number.
    const plant = `import { writeFileSync } from 'node:fs'; writeFileSync(${lock}, String(process.pid));`;
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(plant)}`];
    const { code, stderr } = await run([...preload, 'scripts/prepare.js', 'run']);
    expect(stderr).not.toContain(waiting);
    expect(code).toBe(0);
  });

  it('is not left behind by an install that fails', async () => {
    const { at, run } = clone();
    writeFileSync(at('npm.js'), 'process.exit(1);');
    const { code, stderr } = await run(['scripts/prepare.js', 'run']);
    expect(stderr).toContain('"npm ci" failed');
    expect(code).toBe(1);
    expect(readdirSync(at('.cache'))).toEqual([]);
  });

  it('is taken by one of several that find a stale one', async () => {
    const { at, run } = clone();
    mkdirSync(at('.cache'));
    writeFileSync(at('.cache/prepare.lock'), '999999999');
    const counting = `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(at('installs'))}, 'x');`;
    writeFileSync(at('npm.js'), counting + npm);
    const starts = await Promise.all(
      Array.from({ length: 4 }, () => run(['scripts/prepare.js', 'run'])),
    );
    expect(starts.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(at('installs'), 'utf8')).toBe('x');
    expect(readdirSync(at('.cache'))).toEqual([]);
  });
});

describe('under an older Node', () => {
  const older = `Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } })`;
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];

  /** In its own process group, which gets signals together, as from a terminal. */
  const launch = async () => {
    const args = [...preload, await relayLauncher(), 'sandbox', '--port', '0'];
    const child = spawn(process.execPath, args, { detached: true, stdio: 'pipe' });
    const ready = new Promise<void>((resolve) => {
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('curl ')) resolve();
      });
    });
    const ended = new Promise<unknown>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? code));
    });
    return { ready, ended, pid: child.pid ?? 0 };
  };

  it('the package alone says in one line what to do', () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    cpSync(path.join(root, 'bin'), path.join(folder.path, 'bin'), { recursive: true });
    cpSync(path.join(root, 'package.json'), path.join(folder.path, 'package.json'));
    const args = [...preload, path.join(folder.path, 'bin/bot-relay.js')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^bot-relay needs Node 24\.10 or newer; this is \S+ Install it from .+\n$/,
    );
  });

  it('Ctrl-C ends in order, also what ends at once', async () => {
    for (let round = 0; round < 2; round++) {
      const { ready, ended, pid } = await launch();
      await ready;
      process.kill(-pid, 'SIGINT');
      expect(await ended).toBe(0);
    }
  });

  it.each(['', 'SIGTERM'] as const)(
    'a service whose launcher was killed stops in order (%j)',
    async (signal) => {
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const data = path.join(folder.path, 'data');
      const settings = ['--port', '0', '--data-dir', data, '--sandbox', 'off'];
      const args = [...preload, await relayLauncher(), 'start', ...settings];
      const launcher = spawn(process.execPath, args, { stdio: 'pipe' });
      let stdout = '';
      let stderr = '';
      launcher.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      // Both processes write to it, so it ends with the later one.
      const ended = new Promise((resolve) => launcher.stdout.once('close', resolve));
      await new Promise<void>((resolve) => {
        launcher.stdout.on('data', (chunk: Buffer) => {
          stdout += chunk.toString();
          if (stdout.includes('is ready at')) resolve();
        });
      });
      const serviceFile = path.join(data, 'service.json');
      const { pid } = JSON.parse(readFileSync(serviceFile, 'utf8')) as { pid: number };
      expect(pid).not.toBe(launcher.pid);
      launcher.kill('SIGKILL');
      if (signal !== '') process.kill(pid, signal);
      await ended;
      expect(stderr).toBe('');
      expect(existsSync(serviceFile)).toBe(false);
    },
  );

  it('a signal to only the command is passed on', async () => {
    const { ready, ended, pid } = await launch();
    await ready;
    process.kill(pid, 'SIGTERM');
    expect(await ended).toBe(0);
  });
});

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { recordedExamples } from '../../src/http/openapi/recorded-examples.ts';
import { tellStory } from '../contract/story/story.ts';
import { startRelay, temporaryFolder } from '../support/relay-process.ts';

const execute = promisify(execFile);
/** The compiler would leave its cache in the temporary folder. */
const surroundings: NodeJS.ProcessEnv = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };

const run = (program: string, args: readonly string[], cwd: string, env = surroundings) =>
  execute(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
const root = path.resolve(import.meta.dirname, '..', '..');
const adminKey = `brs_${'k'.repeat(43)}`;
const largest = 8 * 1024 * 1024;
/** What the package may hold, by folder. */
const runTimeFiles = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^bin\/bot-relay\.js$/,
  /^dist\/src\/[\w./-]+(?<!\.test)\.js$/,
  /^dist\/THIRD-PARTY-NOTICES\.txt$/,
  /^dist\/src\/http\/(docs\/browser\/[\w-]+\.css|openapi\/recorded-examples\.json)$/,
  /^dist\/(src|sandbox\/src)\/[\w./-]+\.d\.ts$/,
  /^docs\/((adr\/)?[\w-]+\.md|charts\/[\w-]+\.svg|screenshots\/[\w.-]+\.png)$/,
  /^web\/dist\/[\w./-]+$/,
];

/** Packages that nothing in the bundles imports: needed on other platforms, or by unused parts of others. */
const notBundled = [
  '@opentelemetry/sdk-logs',
  'argparse',
  'cookie-es',
  'detect-node-es',
  'isbot',
  'pg-cloudflare',
  'pino-abstract-transport',
  'real-require',
  'require-from-string',
  'seroval',
  'seroval-plugins',
  'tabbable',
  'type-fest',
];

type Manifest = Partial<Record<'dependencies' | 'devDependencies', Record<string, string>>>;

describe('the npm package', () => {
  const folder = temporaryFolder();
  const installed = path.join(folder.path, 'node_modules', 'bot-relay');
  const program = path.join(installed, 'bin', 'bot-relay.js');
  const command = [process.execPath, program];
  let tarball = '';
  let installMs = 0;

  beforeAll(async () => {
    const { stdout } = await npm(['pack', '--json', '--pack-destination', folder.path], root);
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
    tarball = path.join(folder.path, packed.filename);
    writeFileSync(path.join(folder.path, 'package.json'), '{"private":true}');
    const startedAt = performance.now();
    await npm(['install', '--no-audit', '--no-fund', tarball], folder.path);
    installMs = performance.now() - startedAt;
  }, 300_000);
  afterAll(folder.remove);

  it('holds what runs and nothing else', () => {
    const files = filesBelow(installed);
    const others = files.filter((file) => !runTimeFiles.some((shape) => shape.test(file)));
    expect(others).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['dist/src/client.d.ts', 'web/dist/index.html']));
    expect(statSync(tarball).size).toBeLessThan(largest);
    // Everything that it needs is part of it.
    expect(
      readdirSync(path.join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['bot-relay']);
    process.stdout.write(
      `package: ${(statSync(tarball).size / 1e6).toFixed(1)} MB packed, ${files.length} files, installed in ${(installMs / 1000).toFixed(1)} s\n`,
    );
  });

  it.each([
    { part: 'dist', manifest: 'package.json', tools: ['node'] },
    { part: 'web/dist', manifest: 'web/package.json', tools: ['vite', '@vitejs/plugin-react'] },
  ])('names every package bundled into $part, with its license', ({ part, manifest, tools }) => {
    const notices = readFileSync(path.join(installed, part, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const texts = notices.split(/^(?=(?:@[\w.-]+\/)?[\w.-]+ \d[\w.-]* \([\w.-]+\)$)/m).slice(1);
    for (const text of texts) {
      expect(text).toMatch(
        /Permission (is hereby granted|to use)|Redistribution and use|Apache License/,
      );
    }
    const named = texts.map((text) => text.slice(0, text.indexOf(' ')));
    expect([...new Set(named)].sort()).toEqual(packagesOf(manifest, [...tools, ...notBundled]));
  });

  it('starts without arguments in an empty folder and keeps the contract', async () => {
    const home = path.join(folder.path, 'home');
    mkdirSync(home);
    const env = { RELAY_ADMIN_KEY: adminKey };
    const startedAt = performance.now();
    const service = await startRelay(env, { args: [], cwd: home, command });
    const startMs = performance.now() - startedAt;
    try {
      expect(existsSync(path.join(home, 'data'))).toBe(true);
      for (const page of ['/', '/docs', '/docs/api', '/docs/quick-start']) {
        expect((await fetch(service.address + page)).status, page).toBe(200);
      }
      const { stdout } = await vitest(['test/contract/contract.test.ts'], {
        BOT_RELAY_ADDRESS: service.address,
        BOT_RELAY_KEY: adminKey,
      });
      expect(stdout).toMatch(/Tests.* passed/);
    } finally {
      await service.stop();
    }
    process.stdout.write(`package: ready after ${startMs.toFixed(0)} ms\n`);
  });

  it('starts fast and takes little memory while idle', async () => {
    const start = async (name: string) => {
      const startedAt = performance.now();
      const env = { RELAY_DATA_DIR: path.join(folder.path, name), RELAY_SANDBOX: 'off' };
      const service = await startRelay(env, { command });
      return { service, ms: performance.now() - startedAt };
    };
    const starts: number[] = [];
    for (let round = 0; round < 5; round++) {
      const { service, ms } = await start('idle');
      starts.push(ms);
      await service.stop();
    }
    const { service } = await start('idle');
    try {
      // The garbage of the start goes once nothing happens for a while.
      await vi.waitFor(async () => expect(await residentMegabytes(service.pid)).toBeLessThan(100), {
        timeout: 120_000,
        interval: 1_000,
      });
      const megabytes = await residentMegabytes(service.pid);
      process.stdout.write(
        `package: ready after ${Math.min(...starts).toFixed(0)} ms at best, ${megabytes.toFixed(0)} MB resident while idle\n`,
      );
    } finally {
      await service.stop();
    }
  });

  it('answers every endpoint as the API reference shows it', async () => {
    const env = {
      RELAY_DATA_DIR: path.join(folder.path, 'story'),
      RELAY_BACKUP_DIR: path.join(folder.path, 'story-backups'),
      RELAY_PUSH_GIVE_UP: '5s',
    };
    const service = await startRelay(env, { command });
    try {
      const [, setupToken = ''] = /\/setup#token=([\w-]+)/.exec(service.stdout()) ?? [];
      const [firstKey = ''] = /brs_[\w-]+/.exec(service.stdout()) ?? [];
      const told = await tellStory({ address: service.address, firstKey }, setupToken);
      expect(Object.keys(told).sort()).toEqual(Object.keys(recordedExamples()).sort());
    } finally {
      await service.stop();
    }
  });

  it('behaves on the command line as the clone does', async () => {
    const { stdout } = await vitest(['test/cli/manners.test.ts', 'test/start/launcher.test.ts'], {
      BOT_RELAY_BIN: program,
    });
    expect(stdout).toMatch(/Tests.* passed/);
  });

  it('gives programs a typed client', async () => {
    const service = await startRelay(
      { RELAY_DATA_DIR: path.join(folder.path, 'client'), RELAY_ADMIN_KEY: adminKey },
      { command },
    );
    try {
      const file = path.join(folder.path, 'program.mts');
      writeFileSync(
        file,
        `import { createClient, RelayError } from 'bot-relay/client';
const client = createClient({ url: process.argv[2]!, key: '${adminKey}' });
const bots = await client.get('/api/bots');
const count: number = bots.length;
// @ts-expect-error There is no such endpoint.
const wrong = await client.get('/api/nothing').catch((error: RelayError) => error.code);
console.log(count, wrong);
`,
      );
      const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const types = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
      const typeRoots = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
      await run(process.execPath, [compiler, ...types, ...typeRoots, file], folder.path);
      const { stdout } = await run(process.execPath, [file, service.address], folder.path);
      expect(stdout).toBe('0 not_found\n');
    } finally {
      await service.stop();
    }
  });

  it('runs by the line of the systemd unit', async () => {
    const unit = readFileSync(path.join(root, 'deploy', 'bot-relay.service'), 'utf8');
    const line = /^ExecStart=(.+)$/m.exec(unit)?.[1] ?? '';
    const env = Object.fromEntries(
      [...unit.matchAll(/^Environment=(\w+)=(.+)$/gm)].map(([, name = '', value]) => [name, value]),
    ) as Record<string, string>;
    // What the unit names below /var is below a folder of the test, and the package is not global.
    const links = [path.join(folder.path, 'node_modules', '.bin'), path.dirname(process.execPath)];
    const service = await startRelay(
      {
        ...env,
        PATH: `${links.join(':')}:${env['PATH']}`,
        RELAY_DATA_DIR: path.join(folder.path, env['RELAY_DATA_DIR'] ?? ''),
        NODE_COMPILE_CACHE: path.join(folder.path, env['NODE_COMPILE_CACHE'] ?? ''),
      },
      { command: line.split(' '), args: [] },
    );
    expect((await fetch(`${service.address}/readyz`)).status).toBe(200);
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});

async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)], root);
  return Number(stdout) / 1024;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('.cache') && !file.startsWith('node_modules'));
}

/** What a package needs, and all that those need, without the ones left out. */
function packagesOf(manifest: string, leftOut: readonly string[]): string[] {
  const names = new Set<string>();
  const visit = (file: string) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    // Of the packages of others, those for their own development are not installed.
    const needed = file.includes('node_modules') ? dependencies : (dependencies ?? devDependencies);
    for (const name of Object.keys(needed ?? {})) {
      if (names.has(name) || leftOut.includes(name)) continue;
      names.add(name);
      visit(path.join(root, 'node_modules', name, 'package.json'));
    }
  };
  visit(path.join(root, manifest));
  return [...names].sort();
}

function npm(args: readonly string[], cwd: string) {
  const cli = process.env['npm_execpath'];
  const [command, first] = cli ? [process.execPath, [cli]] : ['npm', []];
  return run(command, [...first, ...args], cwd);
}

function vitest(files: readonly string[], env: Record<string, string>) {
  const program = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  // Its own temporary folder: that of a test is closed to the user whom PostgreSQL runs as.
  const other = { ...surroundings, VITEST: '', TMPDIR: '', ...env };
  return run(process.execPath, [program, 'run', ...files], root, other);
}

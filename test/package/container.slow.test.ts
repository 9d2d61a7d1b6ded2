import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDatabase } from '../support/database/engines.ts';
import { startRelay, temporaryFolder } from '../support/relay-process.ts';

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..', '..');
const adminKey = `brs_${'k'.repeat(43)}`;
const { env, health, steps } = image(readFileSync(path.join(root, 'Dockerfile'), 'utf8'));

/** Without a container engine: the steps of the Dockerfile, with its paths below a folder. */
describe.runIf(process.platform === 'linux')('the container image', () => {
  const folder = temporaryFolder();
  const source = path.join(folder.path, 'src');
  const data = path.join(folder.path, 'data');
  const prefix = path.join(folder.path, 'usr');
  const command = [process.execPath, path.join(prefix, 'bin', 'bot-relay')];
  const surroundings: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
    // The compiler would leave its cache in the temporary folder.
    NODE_DISABLE_COMPILE_CACHE: '1',
    npm_config_prefix: prefix,
  };
  const run = (file: string, args: readonly string[], cwd: string, given = surroundings) =>
    execute(file, args, { cwd, env: given, maxBuffer: 64 * 1024 * 1024 });

  beforeAll(async () => {
    mkdirSync(prefix);
    const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8').trim().split('\n');
    cpSync(root, source, {
      recursive: true,
      filter: (file) =>
        !ignored.some((pattern) => path.matchesGlob(path.relative(root, file), pattern)),
    });
    const { username } = userInfo();
    for (const step of steps) {
      const here = step
        .replaceAll(/(?<= )\/(?=out|root|data)/g, `${folder.path}/`)
        .replace('-o node -g node', `-o ${username}`);
      await run('sh', ['-c', here], source);
    }
  }, 900_000);
  afterAll(folder.remove);

  it('is built by the steps of the Dockerfile, and keeps nothing of the build', () => {
    expect(existsSync(path.join(folder.path, 'out'))).toBe(false);
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  it('runs as another user with a read-only tree', async () => {
    const compose = parse(readFileSync(path.join(root, 'compose.yaml'), 'utf8')) as Compose;
    const isRoot = process.getuid?.() === 0;
    const uid = isRoot ? 65_534 : undefined;
    if (uid) chownSync(data, uid, uid);
    letOthersPass(folder.path);
    await run('chmod', ['-R', 'a+rX,a-w', prefix], folder.path);
    const given = { ...env, ...unset(compose.services['relay']?.environment ?? {}) };
    const service = await startRelay(
      { ...given, PORT: '0', HOST: '127.0.0.1', RELAY_DATA_DIR: data },
      { command, cwd: data, uid },
    );
    try {
      const [file = '', ...args] = health;
      const port = new URL(service.address).port;
      const program = file === 'node' ? process.execPath : file;
      await run(program, args, folder.path, { ...surroundings, PORT: port });
      expect((await fetch(`${service.address}/sandbox`)).status).not.toBe(500);
    } finally {
      expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
      await run('chmod', ['-R', 'u+w', prefix], folder.path);
    }
  });

  it('runs three nodes with the environment of the cluster', async () => {
    const compose = parse(readFileSync(path.join(root, 'compose.cluster.yaml'), 'utf8'), {
      merge: true,
    }) as Compose;
    const database = await createDatabase('postgres');
    const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith('relay'));
    expect(nodes).toHaveLength(3);
    const services = await Promise.all(
      nodes.map(([name, { environment = {} }]) =>
        startRelay(
          {
            ...env,
            ...unset(environment),
            HOST: '127.0.0.1',
            PORT: '0',
            RELAY_DATA_DIR: path.join(folder.path, name),
            DATABASE_URL: database.databaseUrl,
            RELAY_SECRET_KEY: 'k'.repeat(32),
            RELAY_PUBLIC_URL: 'https://relay.example.org',
            RELAY_ADMIN_KEY: adminKey,
          },
          { command },
        ),
      ),
    );
    try {
      const headers = { authorization: `Bearer ${adminKey}` };
      const answers = await Promise.all(
        services.map(({ address }) => fetch(`${address}/api/bots`, { headers })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    } finally {
      for (const service of services) expect(await service.stop()).toMatchObject({ code: 0 });
      await database.drop();
    }
  });
});

/** Temporary folders are closed to other users. */
function letOthersPass(folder: string): void {
  if ((statSync(folder).mode & 0o001) !== 0) return;
  chmodSync(folder, 0o711);
  letOthersPass(path.dirname(folder));
}

interface Compose {
  services: Record<string, { environment?: Record<string, string> }>;
}

function image(text: string): { env: Record<string, string>; health: string[]; steps: string[] } {
  const env = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const health = JSON.parse(/^HEALTHCHECK .*CMD (.+)$/m.exec(text)?.[1] ?? '[]') as string[];
  const steps = [...text.matchAll(/^RUN (.+)$/gm)].map(([, line = '']) => line);
  return { env: Object.fromEntries(env.map((pair) => pair.split('='))), health, steps };
}

/** As compose does where the variable is not set: `${NAME:-}` is empty. */
const unset = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+:-(.*)\}/, '$1'),
    ]),
  );

/*
 * `bot-relay demo`: the service with invented people and bots, so that every page has something to
 * show. It uses only the public API and the sandbox.
 */
import { reason } from '../core/reasons/reason.ts';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ApiClient } from '../api.ts';
import { createApiClient, overHttp } from '../api-client.ts';
import { systemClock } from '../clock.ts';
import { type Config, toConfig } from '../config.ts';
import { RelayError } from '../errors.ts';
import { type Service, startService } from '../main.ts';
import { openDirectory } from '../manage/service/data-directory.ts';
import { databaseFileName } from '../store/sqlite/database-file.ts';
import { createRandom } from '../../sandbox/src/index.ts';
import { type Backends, startBackends } from './backends.ts';
import { createScript } from './script.ts';
import { setDemoSettings } from './house-rules.ts';
import { turnBack } from './history.ts';
import { readAlong } from './reader.ts';
import { setUpDemo, type DemoSetup } from './setup.ts';

export interface DemoOptions {
  /** The only settings it takes from the user, because a demo must not touch real data. */
  settings: Partial<Pick<Config, 'host' | 'port' | 'logLevel' | 'adminKey'>>;
  /** Kept for the next run; '' means a temporary directory, removed at the end. */
  dataDir?: string;
  seed?: number;
  /** Average time between two events; 0 stops events once the world is filled. */
  pauseMs?: number;
  giveUpAfterMs?: number;
}

export interface Demo {
  service: Service;
  /** Resolves once the world is filled; rejects when that failed. */
  filled: Promise<DemoSetup>;
  /** The credentials for the web UI. */
  signIn: { username: string; password: string };
  close(): Promise<void>;
}

const defaultSeed = 7;
/** Short, so that an update that always fails soon becomes a dead letter. */
const defaultGiveUpAfterMs = 12_000;
const defaultPauseMs = 1_000;
const username = 'demo';

export async function startDemo(options: DemoOptions): Promise<Demo> {
  const folder = openFolder(options.dataDir ?? '');
  // Done first, because this file also marks the directory as a demo's.
  const password = worldPassword(folder.path);
  const shutdown = new AbortController();
  const seed = options.seed ?? defaultSeed;
  const config = demoConfig(options, folder.path);
  const backends = await startBackends(createRandom(seed));
  let running: Promise<unknown> = Promise.resolve();
  let service: Service | undefined;
  const close = async () => {
    shutdown.abort(new Error('the demo ends'));
    try {
      await Promise.all([service?.close(), backends.close()]);
      await running.catch(() => {});
    } finally {
      folder.remove();
    }
  };
  try {
    service = await startService(config, { sandboxSeed: seed, setupLink: false });
    const api = createApiClient(service.localKey, overHttp(service.address));
    const signIn = await ensureUser(api, password);
    const filled = fill({ api, service, backends, seed, signal: shutdown.signal, ...options });
    running = filled.then(({ lives }) => lives);
    running.catch(() => {});
    return { service, signIn, close, filled: filled.then(({ stage: setup }) => setup) };
  } catch (error) {
    await close();
    throw error;
  }
}

function demoConfig({ settings, giveUpAfterMs }: DemoOptions, dataDir: string): Config {
  const config = toConfig({});
  return {
    ...config,
    ...settings,
    dataDir,
    sandbox: true,
    push: { ...config.push, giveUpAfterMs: giveUpAfterMs ?? defaultGiveUpAfterMs },
  };
}

function openFolder(dataDir: string): { path: string; remove(): void } {
  if (dataDir === '') {
    const made = mkdtempSync(path.join(os.tmpdir(), 'bot-relay-demo-'));
    const remove = () => rmSync(made, { recursive: true, force: true });
    // The directory is removed even if the shutdown times out.
    process.once('exit', remove);
    return { path: made, remove };
  }
  const directory = path.resolve(dataDir);
  // A new directory inside a checkout is hidden from git; an existing one is left alone.
  const made = openDirectory(directory, '--data ./data-demo');
  if (made) writeFileSync(path.join(directory, '.gitignore'), '*\n');
  // Real bots would run with the demo's settings and mix with invented people.
  if (existsSync(path.join(directory, databaseFileName)) && !existsSync(passwordFile(directory))) {
    throw new RelayError('bad_setting', reason('not_demo_data', { directory: dataDir }));
  }
  return { path: directory, remove: () => {} };
}

/** A user for the web UI. Its password is generated once per world, as no password has a default. */
async function ensureUser(api: ApiClient, password: string): Promise<Demo['signIn']> {
  const users = await api.get('/api/auth/users');
  const known = users.find((user) => user.username === username);
  if (!known) {
    await api.post('/api/auth/users/create', { body: { username, password, role: 'admin' } });
  } else if (!(await opens(api, password))) {
    await api.post('/api/auth/users/password', { body: { id: known.id, password } });
  }
  return { username, password };
}

const passwordFile = (dataDir: string) => path.join(dataDir, 'demo-password');

/**
 * The password is stored in plain text next to the master key: a user who can read one can read the
 * other.
 */
function worldPassword(dataDir: string): string {
  const file = passwordFile(dataDir);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(9).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/** Checked first, because a new password would sign the browser out. */
async function opens(api: ApiClient, password: string): Promise<boolean> {
  try {
    await api.post('/api/auth/sign-in', { body: { username, password } });
    return true;
  } catch {
    return false;
  }
}

interface Filling extends Pick<DemoOptions, 'pauseMs'> {
  api: ApiClient;
  service: Service;
  backends: Backends;
  seed: number;
  signal: AbortSignal;
}

async function fill({ api, service, backends, seed, signal, ...options }: Filling) {
  const clock = systemClock;
  const { pauseMs = defaultPauseMs } = options;
  await turnBack(api, clock);
  const setup = await setUpDemo(api, service.address, backends);
  backends.onCallback((call) => callIn(setup, call));
  await setDemoSettings(setup);
  const before = await lastPosition(setup);
  const script = createScript({
    setup,
    seed,
    before,
    clock,
    signal,
    letFail: backends.letFail,
  });
  const reading = readAlong(setup, { clock, signal });
  await script.backfill();
  const lives = Promise.all([reading, pauseMs === 0 ? undefined : script.liveOn(pauseMs)]);
  return { stage: setup, lives };
}

/** 0 in a new world: nobody has written to the reception yet. */
async function lastPosition({ api, bots }: DemoSetup): Promise<number> {
  const query = { bot_id: bots.front.id, limit: 1 };
  const [latest] = await api.get('/api/routes/decisions', query);
  return latest?.position ?? 0;
}

/** Calls methods as a backend does: with the shared secret instead of the token. */
async function callIn({ address, bots }: DemoSetup, call: Record<string, unknown>): Promise<void> {
  await fetch(`${address}/hooks/backend/${bots.front.id}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': bots.front.secret,
    },
    body: JSON.stringify(call),
  }).catch(() => {});
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The command of this clone, which runs its sources. */
export const sourceLauncher = fileURLToPath(new URL('../../bin/bot-relay.js', import.meta.url));
const atTerminal = ['--import', new URL('./terminal-relay.ts', import.meta.url).href];

/**
 * The path of the command that tests run: of the bundle of the present sources, because it starts faster.
 * The test of the package runs other tests against what it installed.
 */
export async function relayLauncher(): Promise<string> {
  const given = process.env['BOT_RELAY_BIN'];
  if (given !== undefined) return given;
  // Faults and benchmarks also run without vitest.
  if (process.env['VITEST'] === undefined) return sourceLauncher;
  // Each is asked for, because sources change in watch mode.
  const answer = await fetch(inject('relayAt'));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the service could not be built: ${text}`);
  return text;
}

/** The path of the module of that bundle that runs commands. */
export async function commandModule(): Promise<string> {
  return path.join(await relayLauncher(), '..', '..', 'dist', 'src', 'cli.js');
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RelayProcess {
  address: string;
  pid: number;
  /** Everything printed so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Outcome & { tookMs: number }>;
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Outcome>;
}

/** The process gets only the environment that a test names. */
function surroundings(env: Record<string, string>): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: os.tmpdir(), TMPDIR: os.tmpdir(), ...env };
}

function launch(
  command: readonly string[],
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
  options: {
    input?: string | undefined;
    killed?: AbortSignal | undefined;
    uid?: number | undefined;
  } = {},
) {
  const { input, killed, uid } = options;
  const [program = '', ...first] = command;
  const child = spawn(program, [...first, ...args], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: surroundings(env),
    cwd,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  killed?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  if (killed?.aborted) child.kill('SIGKILL');
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  // Set, as a chunk may end in the middle of a character.
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stderr += text;
  });
  const ended = new Promise<Outcome>((resolve) => {
    child.once('close', (code) => resolve({ ...outcome, code }));
  });
  return { child, outcome, ended };
}

/** Runs one command to its end. */
export async function runRelay(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; cwd?: string; unread?: boolean } = {},
): Promise<Outcome> {
  const { env = {}, input, cwd = os.tmpdir(), unread = false } = options;
  const command = [process.execPath, await relayLauncher()];
  const { child, ended } = launch(command, args, env, cwd, { input });
  if (unread) child.stdout?.destroy();
  return await ended;
}

/** Starts a service on a free port and waits until it prints its address. */
export async function startRelay(
  env: Record<string, string>,
  options: {
    args?: readonly string[];
    cwd?: string;
    terminal?: boolean;
    /** Another one than this checkout's launcher. */
    command?: readonly string[];
    uid?: number | undefined;
    /** Kills the process when aborted, also before it is ready. */
    killed?: AbortSignal | undefined;
  } = {},
): Promise<RelayProcess> {
  const { args = ['start'], cwd = os.tmpdir(), terminal = false, killed, uid } = options;
  const command = options.command ?? [
    process.execPath,
    ...(terminal ? atTerminal : []),
    await relayLauncher(),
  ];
  const { child, outcome, ended } = launch(command, args, { PORT: '0', ...env }, cwd, {
    killed,
    uid,
  });
  const address = await Promise.race([
    firstAddress(child, outcome),
    ended.then(({ stderr, stdout }) => {
      throw new Error(`the service did not start: ${stdout}${stderr}`);
    }),
  ]);
  return {
    address,
    pid: child.pid ?? 0,
    stdout: () => outcome.stdout,
    stderr: () => outcome.stderr,
    signal: (signal) => void child.kill(signal),
    ended,
    async stop(signal = 'SIGTERM') {
      const startedAt = performance.now();
      child.kill(signal);
      const end = await ended;
      return { ...end, tookMs: performance.now() - startedAt };
    },
  };
}

function firstAddress(child: ChildProcess, outcome: Outcome): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const found = /ready at (http:\/\/\S+)\n/.exec(outcome.stdout)?.[1];
      if (found) resolve(found);
    };
    child.stdout?.on('data', look);
  });
}

export function temporaryFolder(): { path: string; remove(): void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-test-'));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The test of the package runs other tests against what it installed. */
const bin =
  process.env['BOT_RELAY_BIN'] ?? fileURLToPath(new URL('../../bin/bot-relay.js', import.meta.url));
const atTerminal = fileURLToPath(new URL('./terminal-relay.ts', import.meta.url));

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
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
  options: {
    input?: string | undefined;
    command?: readonly string[] | undefined;
    killed?: AbortSignal | undefined;
    uid?: number | undefined;
  } = {},
) {
  const { input, command = [process.execPath, bin], killed, uid } = options;
  const [program = '', ...first] = command;
  const child = spawn(program, [...first, ...args], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: surroundings(env),
    cwd,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  killed?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  // Set, as a chunk may end in the middle of a character.
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stderr += text;
  });
  const ended = new Promise<Outcome>((resolve) => {
    const byName = (text: string) => text.replaceAll(`node ${bin} `, 'bot-relay ');
    child.once('close', (code) => {
      resolve({ code, stdout: byName(outcome.stdout), stderr: byName(outcome.stderr) });
    });
  });
  return { child, outcome, ended };
}

/** Runs one command to its end. */
export function runRelay(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; cwd?: string; unread?: boolean } = {},
): Promise<Outcome> {
  const { env = {}, input, cwd = os.tmpdir(), unread = false } = options;
  const { child, ended } = launch(args, env, cwd, { input });
  if (unread) child.stdout?.destroy();
  return ended;
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
  const command = terminal ? [process.execPath, atTerminal] : options.command;
  const { child, outcome, ended } = launch(args, { PORT: '0', ...env }, cwd, {
    command,
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

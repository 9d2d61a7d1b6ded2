import path from 'node:path';
import { onTestFinished } from 'vitest';
import { runCommand } from '../../src/cli.ts';
import { commandName } from '../../src/command-name.ts';
import { readSettings, toConfig } from '../../src/config.ts';
import { createPasswords } from '../../src/core/access/passwords.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, type ServiceOptions, startService } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { temporaryFolder } from './relay-process.ts';

export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command inside this process, as if called with this environment and input. */
export async function command(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<CommandOutcome> {
  const outcome = { code: 0, stdout: '', stderr: '' };
  outcome.code = await runCommand(args, {
    env: options.env ?? {},
    stdin: oneChunk(options.input ?? ''),
    out(text) {
      outcome.stdout += byName(text);
    },
    err(text) {
      outcome.stderr += byName(text);
    },
    interactive: false,
    colours: false,
  });
  return outcome;
}

/** Outputs name the command as it can be typed here; tests quote it as `bot-relay`. */
const byName = (text: string) => text.replaceAll(`${commandName} `, 'bot-relay ');

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield text;
}

/** A machine with a platform in reach, a data dir, and a service that may run on it. */
export interface Machine {
  folder: string;
  env: Record<string, string>;
  sandbox: Sandbox;
  /** A bot the platform knows. */
  token: string;
  startService(own?: Pick<ServiceOptions, 'clock'>): Promise<Service>;
  run(args: readonly string[], input?: string): Promise<CommandOutcome>;
  /** The same with --json, which must work. */
  json<T>(args: readonly string[], input?: string): Promise<T>;
}

export async function createMachine(): Promise<Machine> {
  const folder = temporaryFolder();
  const sandbox = createSandbox({ seed: 1 });
  const { url } = await sandbox.listen();
  const { token } = sandbox.createBot({ username: 'shop_bot', first_name: 'Shop' });
  const env = {
    PORT: '0',
    RELAY_DATA_DIR: path.join(folder.path, 'data'),
    TELEGRAM_API_URL: url,
    RELAY_SANDBOX: 'off',
  };
  onTestFinished(async () => {
    await sandbox.close();
    folder.remove();
  });
  const run = (args: readonly string[], input?: string) =>
    command(args, { env, ...(input === undefined ? {} : { input }) });
  return {
    folder: folder.path,
    env,
    sandbox,
    token,
    run,
    async startService(own = {}) {
      const config = toConfig(readSettings({ env, workingDir: folder.path }));
      const service = await startService(config, {
        ...own,
        logger: createLogger({ level: 'silent' }),
        passwords: createPasswords({ cost: 2, blockSize: 1, parallelization: 1 }),
      });
      onTestFinished(() => service.close());
      return service;
    },
    async json<T>(args: readonly string[], input?: string) {
      const { code, stdout, stderr } = await run([...args, '--json'], input);
      if (code !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
  };
}

// The start command: `npm start -w sandbox`, or `node sandbox/src/main.ts`.
import { parseArgs } from 'node:util';
import { defaultPort, flagOf, type StartOptions, startOptions } from './start-options.ts';
import { startSandbox } from './start.ts';

const maxStopMs = 5_000;
const ownOptions = [
  { name: 'host', value: 'address', help: 'listen on this address (default 127.0.0.1)' },
  { name: 'port', value: 'number', help: `listen on this port (default ${defaultPort})` },
  { name: 'help', help: 'show this' },
];
const allOptions = [...ownOptions, ...startOptions];

interface Given extends StartOptions {
  host: string;
  port: number;
  help: boolean;
}

function readArguments(): Given {
  const { values } = parseArgs({
    options: Object.fromEntries(
      allOptions.map(({ name, value }) => [name, { type: value ? 'string' : 'boolean' } as const]),
    ),
  });
  const given: Record<string, unknown> = {};
  for (const { name, parse } of startOptions) {
    const value = values[name];
    const field = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (value !== undefined) given[field] = parse ? parsed(name, String(value), parse) : value;
  }
  return {
    ...given,
    host: String(values['host'] ?? '127.0.0.1'),
    port: parsed('port', String(values['port'] ?? defaultPort), parsePort),
    help: values['help'] === true,
  };
}

function parsed(name: string, text: string, parse: (text: string) => number): number {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`--${name} ${text}: ${(error as Error).message}`, { cause: error });
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error('it must be a whole number from 0 to 65535.');
}

function help(): string {
  const lines = allOptions.map((option) => `  ${flagOf(option).padEnd(20)} ${option.help}`);
  return `A local Bot API server for any bot library.\n\nOptions:\n${lines.join('\n')}`;
}

async function main(): Promise<void> {
  const { host, port, help: asked, ...options } = readArguments();
  if (asked) {
    process.stdout.write(`${help()}\n`);
    return;
  }
  const { sandbox, lines, warnings } = await startSandbox(options, { host, port });
  let isStopping = false;
  const stop = async () => {
    // One press of Ctrl-C arrives twice: from the terminal and through npm.
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), maxStopMs);
    await sandbox.close();
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop());
  for (const line of lines) process.stdout.write(`${line}\n`);
  for (const warning of warnings) process.stderr.write(`sandbox: ${warning}\n`);
}

await main().catch((error: Error) => {
  process.stderr.write(`sandbox: ${error.message}\n`);
  process.exit(1);
});

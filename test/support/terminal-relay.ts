/* The CLI as if it ran at a terminal, though it is connected by pipes. The first argument is its module. */
import type { runCommand } from '../../src/cli.ts';

const [module = '', ...words] = process.argv.slice(2);
const cli = (await import(module)) as { runCommand: typeof runCommand };
process.exitCode = await cli.runCommand(words, {
  env: process.env,
  stdin: process.stdin,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  interactive: true,
  colours: false,
});

/* The CLI as if it ran at a terminal, though it is connected by pipes. */
import { runCommand } from '../../src/cli.ts';
import { processSurroundings } from '../../src/cli/environment.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  ...processSurroundings(),
  interactive: true,
});

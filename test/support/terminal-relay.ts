/* The program as it behaves where a person sits at a terminal, though only pipes lead to it here. */
import { runCommand } from '../../src/cli.ts';
import { processSurroundings } from '../../src/cli/environment.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  ...processSurroundings(),
  interactive: true,
});

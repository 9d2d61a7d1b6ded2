import path from 'node:path';
import { Option } from 'commander';
import type { Command } from './command.ts';
import {
  defaultPort,
  flagOf,
  type StartOptions,
  startOptions,
} from '../../sandbox/src/start-options.ts';
import { openDirectory } from '../manage/service/data-directory.ts';
import { argumentBy } from './arguments.ts';
import { UsageError } from './ask.ts';
import { helpWithOnly, refuseAddress } from './context.ts';
import { endWithin, stopSignal } from './start.ts';

export function addSandboxCommand(program: Command): void {
  const command = program
    .command('sandbox')
    .configureHelp(helpWithOnly('host', 'port'))
    .description('run the Telegram sandbox as a local Bot API server')
    .addHelpText(
      'after',
      `
Listens on --host and --port (default ${defaultPort}). Set the API root of your bot library to that address.
Starts with one practice bot and one person. See docs/sandbox.md for more.

Examples:
  bot-relay sandbox --seed 1
  bot-relay sandbox --port 9081 --data world.json
`,
    )
    .action(async (options: StartOptions, command: Command) => {
      const advice = 'Set its address with --host and --port.';
      refuseAddress(command, 'sandbox runs on this machine', advice);
      const { config, isGiven, output } = command.context;
      const { host, port } = config();
      if (options.data) openDirectory(path.dirname(options.data), '--data ./world.json');
      const { startSandbox, UnusableData } = await import('../../sandbox/src/index.ts');
      const { sandbox, lines, warnings } = await startSandbox(options, {
        host,
        port: isGiven('port') ? port : defaultPort,
      }).catch((error: unknown) => {
        throw error instanceof UnusableData ? new UsageError(error.message) : error;
      });
      // Listen for signals first: a caller may stop it as soon as it reads "ready", and its world
      // must be saved then too.
      const stopped = stopSignal();
      for (const line of lines) output.line(line);
      for (const warning of warnings) output.note(`bot-relay: ${warning}`);
      await stopped;
      await endWithin(() => sandbox.close(), output);
    });
  for (const option of startOptions) {
    const declared = new Option(flagOf(option), option.help);
    command.addOption(option.parse ? declared.argParser(argumentBy(option.parse)) : declared);
  }
}

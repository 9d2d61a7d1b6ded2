import type { Command } from 'commander';
import type { ContextOf } from './context.ts';
import { stopSignal } from './start.ts';

const defaultPort = 8081;

export function addSandboxCommand(program: Command, contextOf: ContextOf): void {
  program
    .command('sandbox')
    .description('run the Telegram sandbox alone, as a local Bot API server for any bot library')
    .option('--data <file>', 'keep its world in this file; without it, in memory')
    .addHelpText(
      'after',
      `
It listens on --host and --port (default ${defaultPort}). Point a bot library's API root there.

Example:
  bot-relay sandbox --port 8081 --data world.json
`,
    )
    .action(async (options: { data?: string }, command: Command) => {
      const { config, isGiven, output } = contextOf(command);
      const { host, port } = config();
      const { createSandbox } = await import('../sandbox/sandbox.ts');
      const sandbox = createSandbox();
      const persistence = options.data ? await sandbox.persistTo(options.data) : undefined;
      const listening = await sandbox.listen({ host, port: isGiven('port') ? port : defaultPort });
      output.line(`The sandbox is ready at ${listening.url}`);
      await stopSignal();
      await persistence?.stop();
      await sandbox.close();
    });
}

import { Command, CommanderError } from 'commander';
import { Cancelled } from './cli/ask.ts';
import { addBotCommands } from './cli/bots.ts';
import { addSharedOptions } from './cli/context.ts';
import { addDoctorCommand } from './cli/doctor.ts';
import { addKeepCommands } from './cli/keep.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addSandboxCommand } from './cli/sandbox.ts';
import { addSendCommand } from './cli/send.ts';
import { addStartCommand } from './cli/start.ts';
import { addUserCommands } from './cli/users.ts';
import { addVersionCommand } from './cli/version.ts';
import { explainFailure } from './cli/failure.ts';

/** Runs one command and tells the exit code: 0 done, 1 failed, 2 called in the wrong way. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof Cancelled) return 130;
    const { line, exitCode, json } = explainFailure(error, argv.includes('--json'));
    process.stderr.write(json ? `${json}\n` : `bot-relay: ${line}\n`);
    return exitCode;
  }
}

export function createProgram(): Command {
  const program = new Command('bot-relay')
    .description('A self-hosted relay that manages many Telegram bots.')
    .usage('<command> [options]')
    .helpOption('-h, --help', 'show what a command does and takes')
    .exitOverride()
    .configureOutput({
      // Commander's own words are turned into one line by `explainFailure`.
      outputError: () => {},
    })
    .configureHelp({ showGlobalOptions: false });
  addSharedOptions(program);
  program.commandsGroup('Commands:');
  addStartCommand(program);
  addBotCommands(program);
  addKeyCommands(program);
  addUserCommands(program);
  addSendCommand(program);
  addDoctorCommand(program);
  addKeepCommands(program);
  addSandboxCommand(program);
  addVersionCommand(program);
  program.action(() => program.help());
  program.addHelpText(
    'after',
    `
Commands talk to the service running on the data directory, to the one at --url, or, when none
runs, to the data directory itself. Secrets come from a prompt, a file, standard input or the
environment: NAME_FILE is read for each secret setting NAME.

Examples:
  bot-relay start --port 9000
  bot-relay bots add --token-stdin < token.txt
  bot-relay keys create backend --scope send
  bot-relay bots list --json --url https://relay.example.org
`,
  );
  for (const command of allOf(program)) command.exitOverride().showSuggestionAfterError();
  return program;
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

import { type Command as Commander, CommanderError } from 'commander';
import { ServiceUnreachable } from './api-client.ts';
import { asTyped, commandFor } from './cli/as-typed.ts';
import { PromptCancelled } from './cli/ask.ts';
import { addAlertCommands } from './cli/alerts.ts';
import { addAppCommands } from './cli/apps.ts';
import { addBotCommands } from './cli/bots.ts';
import { addChatCommands } from './cli/chats.ts';
import { addSharedOptions, createContext, givenIn, helpWithoutSettings } from './cli/context.ts';
import { Command } from './cli/command.ts';
import { addConfigCommands } from './cli/config-file.ts';
import { addDeliveryCommands } from './cli/deliveries.ts';
import { addDemoCommand } from './cli/demo.ts';
import { addDoctorCommand } from './cli/doctor.ts';
import { explainFailure, namesItself } from './cli/failure.ts';
import { addVersionCommand, helpAsked } from './cli/help.ts';
import { addImportCommand } from './cli/import.ts';
import { addMcpCommand } from './cli/mcp.ts';
import { addKeepCommands } from './cli/backup.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addQuestionCommands } from './cli/questions.ts';
import { addReaderCommands } from './cli/readers.ts';
import { addMessageCommands } from './cli/messages.ts';
import { addReplyCommands } from './cli/replies.ts';
import { addDeskCommands } from './cli/desks.ts';
import { addRouteCommands } from './cli/routes.ts';
import { addSandboxCommand } from './cli/sandbox.ts';
import { addBroadcastCommands } from './cli/broadcasts.ts';
import { addScheduledCommands } from './cli/scheduled.ts';
import { addSendCommand } from './cli/send.ts';
import { addStartCommand, explainStartFailure } from './cli/start.ts';
import { processSurroundings, type Surroundings } from './cli/environment.ts';
import { addUserCommands } from './cli/users.ts';

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 wrong usage, others by command. */
export async function runCommand(
  argv: readonly string[],
  surroundings: Surroundings = processSurroundings(),
): Promise<number> {
  let exitCode = 0;
  const program = createProgram(surroundings, (code) => {
    exitCode = code;
  });
  try {
    const words = startsService(program, argv) ? ['start', ...argv] : argv;
    const help = helpAsked(program, words);
    if (help && 'command' in help) {
      help.command.outputHelp();
      return 0;
    }
    // An unknown name gets the same error as when it is run.
    await program.parseAsync(help?.misnamed ?? words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // A group was called without a command: its help was printed.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2;
    if (error instanceof PromptCancelled) return 130;
    const target = commandFor({
      ...program.opts(),
      // The hint is to start the service, and `start` takes no --url.
      ...(error instanceof ServiceUnreachable ? { url: undefined } : {}),
    });
    const given = givenIn(program.opts(), surroundings.env);
    const explained = explainStartFailure(error, given) ?? error;
    const failure = explainFailure(explained, argv.includes('--json'), target);
    surroundings.err(failure.json === '' ? `bot-relay: ${failure.line}\n` : `${failure.json}\n`);
    return failure.exitCode;
  }
}

/** True without a command, as in `npx bot-relay --port 9000`. */
function startsService(program: Command, argv: readonly string[]): boolean {
  const asked = new Set(['-h', '--help', '-V', '--version']);
  if (argv.some((word) => asked.has(word))) return false;
  return program.parseOptions([...argv]).operands.length === 0;
}

const helpDescription = 'show help for a command';

export function createProgram(surroundings: Surroundings, fail: (code: number) => void): Command {
  const program = new Command((command) => createContext(command, surroundings, fail), 'bot-relay')
    .description('Bot Relay: a self-hosted relay for Telegram bots.')
    .usage('[command] [options]')
    .helpOption('-h, --help', helpDescription)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.out(asTyped(text)),
      writeErr: (text) => surroundings.err(asTyped(text)),
      // `explainFailure` turns Commander's messages into one line.
      outputError: () => {},
    })
    .configureHelp(helpWithoutSettings);
  addSharedOptions(program);
  program.commandsGroup('Commands:');
  addStartCommand(program);
  addDemoCommand(program);
  addBotCommands(program);
  addAppCommands(program);
  addReaderCommands(program);
  addRouteCommands(program);
  addMessageCommands(program);
  addReplyCommands(program);
  addDeskCommands(program);
  addDeliveryCommands(program);
  addKeyCommands(program);
  addUserCommands(program);
  addChatCommands(program);
  addSendCommand(program);
  addScheduledCommands(program);
  addQuestionCommands(program);
  addBroadcastCommands(program);
  addAlertCommands(program);
  addDoctorCommand(program);
  addConfigCommands(program);
  addKeepCommands(program);
  addImportCommand(program);
  addSandboxCommand(program);
  addMcpCommand(program);
  addVersionCommand(program);
  program.addHelpText(
    'after',
    `
Commands use the service that runs on the data directory, or the one at --url. If none runs, they
open the data directory directly. "bot-relay start --help" lists all settings; every command takes them.
Pass secrets by prompt, standard input, environment or file: NAME_FILE names the file of secret NAME.

Examples:
  bot-relay start --port 9000
  bot-relay bots add --token-stdin < token.txt
  bot-relay keys create backend --scope send
  bot-relay bots list --json --url https://relay.example.org
`,
  );
  for (const command of allOf(program)) {
    namesItself(command.showSuggestionAfterError());
    if (command.commands.length > 0) command.helpCommand('help [command]', helpDescription);
  }
  return program;
}

function allOf(command: Commander): Commander[] {
  return [command, ...command.commands.flatMap(allOf)];
}

import { type Command, CommanderError } from 'commander';
import { ServiceUnreachable } from '../api-client.ts';
import { commandName } from '../command-name.ts';
import { settingIds, settings } from '../config/settings.ts';
import { RelayError } from '../errors.ts';
import { redactText } from '../logger.ts';
import { asTyped } from './as-typed.ts';
import { UsageError } from './ask.ts';
import { inCommandWords, inPlainWords } from './words.ts';

export interface Failure {
  line: string;
  exitCode: number;
  /** The output for programs, with --json. */
  json: string;
}

const misused = new WeakMap<CommanderError, string>();

/** Makes usage errors refer to the help of the command. */
export function namesItself(command: Command): void {
  command.exitOverride((error) => {
    misused.set(error, fullName(command));
    throw error;
  });
}

/**
 * Returns the command whose help applies. Every command takes the settings, but only the help of
 * `start` lists them.
 */
function helpOf(error: CommanderError): string {
  const command = misused.get(error) ?? 'bot-relay';
  const isSetting = settingIds.some((id) => error.message.includes(`'${settings[id].flag}`));
  return isSetting && command === 'bot-relay' ? 'bot-relay start' : command;
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** Turns every error into one line that says what to do, without stack and secrets. */
export function explainFailure(error: unknown, asJson: boolean, command = commandName): Failure {
  const { message, code, exitCode } = classify(error);
  const name = error instanceof CommanderError ? commandName : command;
  const line = asTyped(redactText(message).replace(/\s*\n\s*/g, ' '), name);
  return { line, exitCode, json: asJson ? JSON.stringify({ error: line, code }) : '' };
}

function classify(error: unknown): { message: string; code: string; exitCode: number } {
  if (error instanceof UsageError) {
    return { message: error.message, code: 'bad_usage', exitCode: 2 };
  }
  if (error instanceof CommanderError) {
    const message = inPlainWords(error.message.replace(/^error: /, '').replace(/\.$/, ''));
    const help = `${helpOf(error)} --help`;
    return { message: `${message}. See "${help}".`, code: 'bad_usage', exitCode: 2 };
  }
  if (error instanceof RelayError) {
    return {
      message: inCommandWords(error),
      code: error instanceof ServiceUnreachable ? 'service_unreachable' : error.code,
      exitCode: isWrongInput(error) ? 2 : 1,
    };
  }
  const { message, code } = error as NodeJS.ErrnoException;
  return { message: message || String(code ?? error), code: 'internal', exitCode: 1 };
}

/** These failures may end without a change of the settings, so a process manager should retry. */
const passing = new Set(['port_in_use', 'host_unknown']);

/** True if the service rejected a field, because its value came from the command line. */
function isWrongInput({ code, details, reason }: RelayError): boolean {
  if (passing.has(reason.code)) return false;
  return code === 'bad_setting' || (code === 'invalid_request' && details !== undefined);
}

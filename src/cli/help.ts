import type { Command as Commander } from 'commander';
import type { Command } from './command.ts';
import { version } from '../version.ts';
import { printResult } from './output.ts';

/** The command to explain, or names of which the last is unknown. */
type HelpAsked = { command: Commander } | { misnamed: string[] };

/**
 * Finds the command in `help bots add` and `bots add --help`. For an unknown name, Commander would
 * print the general help.
 */
export function helpAsked(program: Commander, argv: readonly string[]): HelpAsked | undefined {
  const { operands, unknown } = program.parseOptions([...argv]);
  let asked = unknown.some((option) => option === '--help' || option === '-h');
  let command = program;
  const names: string[] = [];
  for (const name of operands) {
    // After a command that is no group, its arguments follow.
    if (command.commands.length === 0) break;
    if (name === 'help') {
      asked = true;
      continue;
    }
    names.push(name);
    const next = command.commands.find((one) => one.name() === name);
    if (!next) return asked ? { misnamed: names } : undefined;
    command = next;
  }
  return asked ? { command } : undefined;
}

export function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .run(({ output }) => {
      printResult(output, { version, node: process.version }, version);
    });
}

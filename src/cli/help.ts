import type { Command } from 'commander';

/** What a command line asks to be explained: a command, or names of which the last is none. */
type HelpAsked = { command: Command } | { misnamed: string[] };

/**
 * For `help bots add` and `bots add --help`. Commander would answer a name that it does not know with
 * the general help, as if nothing were wrong.
 */
export function helpAsked(program: Command, argv: readonly string[]): HelpAsked | undefined {
  const { operands, unknown } = program.parseOptions([...argv]);
  let asked = unknown.some((option) => option === '--help' || option === '-h');
  let command = program;
  const names: string[] = [];
  for (const name of operands) {
    // What stands behind a command that is no group are its arguments.
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

import { Command as Commander } from 'commander';
import { meantBy } from '../core/reasons/similar-word.ts';
import type { CommandContext } from './context.ts';

type ContextOf = (command: Commander) => CommandContext;

/** A command with the context that its action works in; the commands below it are of the same kind. */
export class Command extends Commander {
  readonly #contextOf: ContextOf;

  constructor(contextOf: ContextOf, name?: string) {
    super(name);
    this.#contextOf = contextOf;
    this.hook('preSubcommand', refuseUnknown);
  }

  override createCommand(name?: string): Command {
    return new Command(this.#contextOf, name);
  }

  get context(): CommandContext {
    return this.#contextOf(this);
  }

  /** Like `action`, with the context before the arguments and options. */
  run(action: (context: CommandContext, ...args: never[]) => void | Promise<void>): this {
    return this.action((...given: unknown[]) => action(this.context, ...(given as never[])));
  }
}

/** Commander takes a mistyped name for an argument of the default command of a group. */
function refuseUnknown(group: Commander, chosen: Commander): void {
  const [typed] = group.args;
  if (typed === undefined || typed.startsWith('-')) return;
  if ([chosen.name(), ...chosen.aliases()].includes(typed)) return;
  const names = group.commands.map((command) => command.name());
  const { meant } = meantBy(typed, names);
  const hint = meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
  group.error(`error: unknown command '${typed}'${hint}`, { code: 'commander.unknownCommand' });
}

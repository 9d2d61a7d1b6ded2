import { Command as Commander } from 'commander';
import type { CommandContext } from './context.ts';

type ContextOf = (command: Commander) => CommandContext;

/** A command with the context that its action works in; the commands below it are of the same kind. */
export class Command extends Commander {
  readonly #contextOf: ContextOf;

  constructor(contextOf: ContextOf, name?: string) {
    super(name);
    this.#contextOf = contextOf;
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

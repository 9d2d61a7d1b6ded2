import type * as Prompts from '@clack/prompts';

/** Thrown when a person cancels a question with Ctrl-C. */
export class PromptCancelled extends Error {}

/** Thrown for wrong arguments: one line, exit code 2. */
export class UsageError extends Error {}

/** Asks a person; without a terminal, fails with the name of the missing argument. */
export interface Asker {
  text(missing: string, question: string, initial?: string): Promise<string>;
  secret(missing: string, question: string, minLength?: number): Promise<string>;
  confirm(missing: string, question: string): Promise<void>;
}

export function createAsker(interactive: boolean): Asker {
  const needPerson = (missing: string) => {
    if (!interactive) throw new UsageError(missing);
  };
  return {
    async text(missing, question, initial = '') {
      needPerson(missing);
      const prompts = await loadPrompts();
      return answered(
        prompts,
        await prompts.text({ message: question, initialValue: initial, validate }),
      );
    },
    async secret(missing, question, minLength = 1) {
      needPerson(missing);
      const isShort = (value = '') =>
        value !== '' && value.length < minLength
          ? `Enter at least ${minLength} characters.`
          : validate(value);
      const prompts = await loadPrompts();
      return answered(prompts, await prompts.password({ message: question, validate: isShort }));
    },
    async confirm(missing, question) {
      needPerson(missing);
      const prompts = await loadPrompts();
      const yes = answered(
        prompts,
        await prompts.confirm({ message: question, initialValue: false }),
      );
      if (!yes) throw new PromptCancelled();
    },
  };
}

function validate(value: string | undefined): string | undefined {
  return value ? undefined : 'Enter a value.';
}

/** Loaded on first use, because a service never asks. */
function loadPrompts(): Promise<typeof Prompts> {
  return import('@clack/prompts');
}

function answered<T>(prompts: typeof Prompts, value: T): Exclude<T, symbol> {
  if (prompts.isCancel(value)) throw new PromptCancelled();
  return value as Exclude<T, symbol>;
}

/** Reads the first line of standard input: a secret passed there does not show in the process list. */
export async function readSecretLine(stdin: AsyncIterable<unknown>, what: string): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n')) break;
    if (text.length > 10_000) break;
  }
  const line = text.split('\n')[0]?.trim() ?? '';
  if (line === '')
    throw new UsageError(`${what} is missing: pass it on the first line of standard input.`);
  return line;
}

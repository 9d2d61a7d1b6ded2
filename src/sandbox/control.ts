import { ControlError } from './api-error.ts';
import type { Sandbox } from './sandbox.ts';

type Input = Record<string, unknown>;
type Action = (sandbox: Sandbox, input: Input) => unknown;

function required(input: Input, name: string): string | number {
  const value = input[name];
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return value;
  throw new ControlError(`Missing field "${name}".`);
}

export const ACTIONS: Record<string, Action> = {
  'users/create': (sandbox, input) => sandbox.createUser(input),
  'bots/create': (sandbox, input) => {
    const { id, token, username, first_name } = sandbox.createBot(input);
    return { id, token, username, first_name };
  },
  say: (sandbox, input) =>
    sandbox.say(required(input, 'user'), required(input, 'chat'), String(input['text'] ?? '')),
};

export function runAction(sandbox: Sandbox, name: string, input: Input): unknown {
  const action = ACTIONS[name];
  if (!action) throw new ControlError(`There is no action "${name}".`, 404);
  return action(sandbox, input);
}

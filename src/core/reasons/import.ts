import type { AnyReason, Say, Sentences } from './shape.ts';

/** Why a part of another service was not imported, or not completely. */
export const importReasons = {
  bot_registered: ({ bot_id }: { bot_id: number }) =>
    `Already registered as bot ${bot_id}. Its settings stay as they are.`,
  imported_disabled: 'It was disabled there and stays disabled.',
  not_a_bot_token: 'This is not a bot token.',
  secret_left_out:
    'Imported without its secret, which may contain only letters, digits, _ and -. Set a new one here and at the backend.',
  backend_left_out: ({ problem }: { problem: AnyReason }, say: Say) =>
    `Imported without its backend: the address ${say(problem)}.`,
  model_address_wrong: ({ problem }: { problem: AnyReason }, say: Say) =>
    `The address of the model ${say(problem)}.`,
  username_not_usable: 'A username may contain only letters, digits and . _ @ + -.',
  condition_unsupported: ({ type }: { type: string }) =>
    `The condition "${type}" does not exist here.`,
  condition_never_true: 'Its condition has no value, so it never matches.',
  action_unsupported: ({ action }: { action: string }) =>
    `The action "${action}" does not exist here.`,
  chat_out_of_range: 'A chat ID of it is out of range.',
  bots_not_imported: 'One of its bots was not imported.',
} satisfies Sentences;

import { ControlError } from '../api-error.ts';
import { type ControlInput, flag, list, optionalInteger, ref, textField } from './input.ts';
import type { SandboxControls } from '../controls.ts';
import { moveBy } from './time.ts';

const mostLines = 1_000;

function lineOf(value: unknown): ControlInput {
  if (typeof value === 'object' && value !== null) return value as ControlInput;
  throw new ControlError('line_wrong');
}

/** Several people say something in turn, with time passing in between: a past in one call. */
export function talk(sandbox: SandboxControls, input: ControlInput) {
  const lines = list(input, 'lines').map(lineOf);
  if (lines.length > mostLines) throw new ControlError('too_many_lines', { most: mostLines });
  const latest = new Map<number | string, number>();
  const messageIds = lines.map((line) => {
    const chat = ref(line, 'chat');
    const afterSeconds = optionalInteger(line, 'after_seconds') ?? 0;
    if (afterSeconds < 0) throw new ControlError('after_negative');
    if (afterSeconds > 0) moveBy(sandbox, afterSeconds * 1000);
    const replyTo = flag(line, 'reply', false) ? latest.get(chat) : undefined;
    const message = sandbox.say(
      ref(line, 'user'),
      chat,
      textField(line, 'text'),
      replyTo === undefined ? {} : { replyTo },
    );
    latest.set(chat, message.message_id);
    return message.message_id;
  });
  return { message_ids: messageIds };
}

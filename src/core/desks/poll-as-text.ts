import { list, object, text, type Wire } from '../log/wire.ts';

/** A desk shows polls as text: votes in a copy would reach nobody. */
export function pollAsText(message: Wire): Wire {
  const poll = object(message.poll);
  if (!poll) return message;
  const options = list(poll.options).map((option) => `• ${text(object(option)?.text)}`);
  return { text: [`📊 ${text(poll.question)}`, ...options].join('\n') };
}

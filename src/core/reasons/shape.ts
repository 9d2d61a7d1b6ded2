/** A message of the service: a stable code, and what belongs into its sentence. */
export interface AnyReason {
  code: string;
  params: object;
}

/** Words for a reason that is part of another. */
export type Say = (reason: AnyReason) => string;

/** With its full stop, which words of others and ends of sentences lack. */
export const ended = (text: string) => (/[.?…]$/.test(text) ? text : `${text}.`);

/**
 * Entries of a catalogue: a sentence, or how to make one. Sentences begin with a capital letter and end with a
 * full stop, or with an example to copy; ends of sentences have neither. What Telegram words itself is as Telegram has it.
 */
export type Sentences = Record<string, string | ((params: never, say: Say) => string)>;

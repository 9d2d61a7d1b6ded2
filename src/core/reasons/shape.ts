/** A message of the service: a stable code, and the params of its sentence. */
export interface AnyReason {
  code: string;
  params: object;
}

/** Returns the words for a reason that is part of another. */
export type Say = (reason: AnyReason) => string;

/** Adds the full stop that text of others and ends of sentences lack. */
export const ended = (text: string) => (/[.?…。]$/.test(text) ? text : `${text}.`);

/**
 * Entries of a catalogue: a sentence, or a function that makes one. Sentences begin with a capital
 * letter and end with a full stop, or with an example to copy; ends of sentences have neither.
 * Telegram's own sentences stay as they are.
 */
export type Sentences = Record<string, string | ((params: never, say: Say) => string)>;

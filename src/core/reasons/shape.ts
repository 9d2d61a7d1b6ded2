/** A message of the service: a stable code, and what belongs into its sentence. */
export interface AnyReason {
  code: string;
  params: object;
}

/** Words for a reason that is part of another. */
export type Say = (reason: AnyReason) => string;

/** Entries of a catalogue: a sentence, or how to make one. */
export type Sentences = Record<string, string | ((params: never, say: Say) => string)>;

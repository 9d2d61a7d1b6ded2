import { isolated } from './isolate.ts';

/** A sentence of the service, and the same in another language; what the pattern caught is passed on. */
export type Phrase = [pattern: RegExp, words: string | ((...caught: string[]) => string)];

/** The service speaks English: where the reader does not and we know the sentence, in their words. */
export function inWords(sentence: string, phrases: readonly Phrase[]): string {
  for (const [pattern, words] of phrases) {
    const match = pattern.exec(sentence);
    if (match) return typeof words === 'string' ? words : words(...match.slice(1).map(isolated));
  }
  return sentence;
}

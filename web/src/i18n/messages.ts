import type { messages } from './en/index.ts';
import type { ReasonTexts } from './reasons.ts';

/** What the page says. */
export type Messages = typeof messages;

/** What every other language has to say; a missing or extra key does not compile. */
export type Translation = Omit<Messages, 'reasons'> & { reasons: ReasonTexts };

export interface Language {
  /** What it calls itself. */
  label: string;
  dir: 'ltr' | 'rtl';
}

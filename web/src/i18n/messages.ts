import type * as messages from './en/index.ts';
import type { ReasonTexts } from './reasons.ts';

/** The texts of the web UI. */
export type Messages = typeof messages;

/**
 * The texts of another language. A missing text shows in English until it is translated; an extra
 * one does not compile.
 */
export type Translation = PartialTexts<Omit<Messages, 'reasons'>> & {
  reasons?: Partial<ReasonTexts>;
};

export type PartialTexts<T> = {
  [K in keyof T]?: T[K] extends object
    ? T[K] extends readonly unknown[] | ((...given: never[]) => unknown)
      ? T[K]
      : PartialTexts<T[K]>
    : T[K];
};

export interface Language {
  /** The language's own name. */
  label: string;
  dir: 'ltr' | 'rtl';
}

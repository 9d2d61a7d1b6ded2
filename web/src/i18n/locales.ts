/// <reference types="vite/client" />
import * as english from './en/index.ts';
import type { Language, Messages, Translation } from './messages.ts';

/*
 * Each folder next to this file is a language, named by its tag (BCP 47), such as ru or pt-BR:
 * `language.ts` has the language's own name and its direction, `index.ts` has its texts (a
 * `Translation`). To add a language, add a folder.
 */
const languages = import.meta.glob<Language>('./*/language.ts', {
  eager: true,
  import: 'language',
});
const words = import.meta.glob<Translation>('./*/index.ts');

/** The name of a language's folder, such as en. */
export type Locale = string;

export const locales: Record<Locale, Language> = Object.fromEntries(
  Object.entries(languages).map(([path, language]) => [path.split('/')[1] ?? '', language]),
);

export async function loadWords(locale: Locale): Promise<Messages> {
  const load = words[`./${locale}/index.ts`];
  if (!load) throw new Error(`There is no language ${locale}`);
  return completed(english, await load());
}

/** Adds the English texts that a language lacks. */
export function completed<T>(english: T, translated: unknown): T {
  if (translated === undefined) return english;
  if (!isGroup(english) || !isGroup(translated)) return translated as T;
  const names = new Set([...Object.keys(english), ...Object.keys(translated)]);
  return Object.fromEntries(
    [...names].map((name) => [name, completed(english[name], translated[name])]),
  ) as T;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const storageKey = 'relay-locale';

export function chosenLocale(): Locale {
  return readStored() ?? closestLocale(navigator.languages, Object.keys(locales)) ?? 'en';
}

/**
 * Returns the first preferred language that is available: the same tag, or else one of the same
 * language and script. So pt-PT finds pt-BR, and zh-SG finds zh-CN, which zh-TW does not.
 */
export function closestLocale(
  read: readonly string[],
  known: readonly Locale[],
): Locale | undefined {
  for (const tag of read) {
    const wanted = scriptOf(tag);
    const alike = known.filter((one) => wanted !== '' && scriptOf(one) === wanted);
    const found =
      alike.find((one) => one.toLowerCase() === tag.toLowerCase()) ??
      alike.find((one) => tag.toLowerCase().startsWith(`${one.toLowerCase()}-`)) ??
      alike[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns language and script, such as zh-Hans; '' for an invalid tag. */
function scriptOf(tag: string): string {
  try {
    const { language, script = '' } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  } catch {
    return '';
  }
}

export function storeLocale(locale: Locale): void {
  try {
    localStorage.setItem(storageKey, locale);
  } catch {
    // Storage may be disabled; the choice then lasts until the page is closed.
  }
}

function readStored(): Locale | undefined {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored !== null && isLocale(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

function isLocale(text: string): text is Locale {
  return Object.hasOwn(locales, text);
}

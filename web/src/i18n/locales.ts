/// <reference types="vite/client" />
import type { Messages } from './messages.ts';

/*
 * Each folder beside this file is a language: `label.ts` says what it calls itself, `index.ts` has
 * its words. To add one, add a folder.
 */
const labels = import.meta.glob<string>('./*/label.ts', { eager: true, import: 'label' });
const words = import.meta.glob<Messages>('./*/index.ts', { import: 'messages' });

/** By the name of its folder, such as en. */
export type Locale = string;

/** What each language calls itself. */
export const locales: Record<Locale, string> = Object.fromEntries(
  Object.entries(labels).map(([path, label]) => [path.split('/')[1] ?? '', label]),
);

export async function loadWords(locale: Locale): Promise<Messages> {
  const load = words[`./${locale}/index.ts`];
  if (!load) throw new Error(`There is no language ${locale}`);
  return load();
}

const storageKey = 'relay-locale';

export function chosenLocale(): Locale {
  const stored = readStored();
  if (stored !== undefined) return stored;
  for (const language of navigator.languages) {
    const short = language.slice(0, 2);
    if (isLocale(short)) return short;
  }
  return 'en';
}

export function storeLocale(locale: Locale): void {
  try {
    localStorage.setItem(storageKey, locale);
  } catch {
    // Storage may be forbidden; the choice then lasts until the page is closed.
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

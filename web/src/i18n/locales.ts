import { en, type Messages } from './en.ts';

/** To add a language: write its file with the keys of `en.ts` and name it here. */
export const locales = {
  en: { label: 'English', load: () => Promise.resolve(en) },
  ru: { label: 'Русский', load: () => import('./ru.ts').then((file) => file.ru) },
} satisfies Record<string, { label: string; load: () => Promise<Messages> }>;

export type Locale = keyof typeof locales;

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

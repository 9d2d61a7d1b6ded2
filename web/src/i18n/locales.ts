import type { Messages } from './messages.ts';

/*
 * Each folder beside this file is a language: `label.ts` says what it calls itself, `index.ts` has
 * its words. To add one, add a folder.
 */
const labels = import.meta.glob<string>('./*/label.ts', { eager: true, import: 'label' });
const words = import.meta.glob<Messages>('./*/index.ts', { import: 'messages' });

/** By the name of its folder, such as en. */
export type Locale = string;

export const locales: Record<Locale, { label: string; load: () => Promise<Messages> }> =
  Object.fromEntries(
    Object.entries(labels).map(([path, label]) => {
      const [, locale = ''] = path.split('/');
      const load = words[`./${locale}/index.ts`] as () => Promise<Messages>;
      return [locale, { label, load }];
    }),
  );

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

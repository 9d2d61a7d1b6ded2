import { createFormat, dateLocale, type Format } from './format.ts';
import { useLanguage } from './use-t.tsx';

// Creating one costs more than drawing a message, so all components share it.
const made = new Map<string, Format>();

export function useFormat(): Format {
  const { locale } = useLanguage();
  let known = made.get(locale);
  if (!known) {
    known = createFormat(locale, dateLocale(locale, navigator.languages));
    made.set(locale, known);
  }
  return known;
}

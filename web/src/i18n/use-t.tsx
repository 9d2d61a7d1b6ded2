import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { en, type Messages } from './en.ts';
import { type Locale, locales, storeLocale } from './locales.ts';

interface Language {
  locale: Locale;
  messages: Messages;
  choose(locale: Locale): void;
}

const LanguageContext = createContext<Language>({
  locale: 'en',
  messages: en,
  choose: () => undefined,
});

export function LanguageProvider(props: {
  locale: Locale;
  messages: Messages;
  children: ReactNode;
}) {
  const [state, setState] = useState({ locale: props.locale, messages: props.messages });
  useEffect(() => {
    document.documentElement.lang = state.locale;
  }, [state.locale]);
  function choose(locale: Locale): void {
    storeLocale(locale);
    void locales[locale].load().then((messages) => setState({ locale, messages }));
  }
  return <LanguageContext value={{ ...state, choose }}>{props.children}</LanguageContext>;
}

/** The words of the chosen language: `t.bots.title`. */
export function useT(): Messages {
  return useContext(LanguageContext).messages;
}

export function useLanguage(): Language {
  return useContext(LanguageContext);
}

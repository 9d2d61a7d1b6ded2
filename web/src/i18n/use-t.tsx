import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import * as en from './en/index.ts';
import type { Messages } from './messages.ts';
import { isolating } from './isolate.ts';
import { loadWords, type Locale, locales, storeLocale } from './locales.ts';

interface Spoken {
  locale: Locale;
  messages: Messages;
  choose(locale: Locale): void;
}

const LanguageContext = createContext<Spoken>({
  locale: 'en',
  messages: en,
  choose: () => undefined,
});

export function LanguageProvider(props: {
  locale: Locale;
  messages: Messages;
  children: ReactNode;
}) {
  const [state, setState] = useState(() => spoken(props.locale, props.messages));
  useEffect(() => {
    const { documentElement: page } = document;
    page.lang = state.locale;
    page.dir = locales[state.locale]?.dir ?? 'ltr';
  }, [state.locale]);
  const wanted = useRef(props.locale);
  function choose(locale: Locale): void {
    storeLocale(locale);
    wanted.current = locale;
    // Texts that fail to load are loaded at the next visit; the last choice counts.
    void loadWords(locale).then(
      (messages) => wanted.current === locale && setState(spoken(locale, messages)),
      () => undefined,
    );
  }
  return <LanguageContext value={{ ...state, choose }}>{props.children}</LanguageContext>;
}

function spoken(locale: Locale, messages: Messages): Pick<Spoken, 'locale' | 'messages'> {
  return { locale, messages: isolating(messages) };
}

/** The texts of the chosen language: `t.bots.title`. */
export function useT(): Messages {
  return useContext(LanguageContext).messages;
}

export function useLanguage(): Spoken {
  return useContext(LanguageContext);
}

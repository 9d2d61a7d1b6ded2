import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { messages as en } from './en/index.ts';
import type { Messages } from './messages.ts';
import { isolating } from './isolate.ts';
import { loadWords, type Locale, storeLocale } from './locales.ts';

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
  const [state, setState] = useState(() => spoken(props.locale, props.messages));
  useEffect(() => {
    document.documentElement.lang = state.locale;
  }, [state.locale]);
  const wanted = useRef(props.locale);
  function choose(locale: Locale): void {
    storeLocale(locale);
    wanted.current = locale;
    // Words that cannot be had now come with the next visit; the last choice counts.
    void loadWords(locale).then(
      (messages) => wanted.current === locale && setState(spoken(locale, messages)),
      () => undefined,
    );
  }
  return <LanguageContext value={{ ...state, choose }}>{props.children}</LanguageContext>;
}

function spoken(locale: Locale, messages: Messages): Pick<Language, 'locale' | 'messages'> {
  return { locale, messages: isolating(messages) };
}

/** The words of the chosen language: `t.bots.title`. */
export function useT(): Messages {
  return useContext(LanguageContext).messages;
}

export function useLanguage(): Language {
  return useContext(LanguageContext);
}

import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { sessionQuery } from './api/session.ts';
import { colorSchemeManager } from './app/color-scheme.ts';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { cssVariables, theme } from './app/theme.ts';
import * as en from './i18n/en/index.ts';
import { chosenLocale, loadWords } from './i18n/locales.ts';
import { LanguageProvider } from './i18n/use-t.tsx';

async function start(root: HTMLElement): Promise<void> {
  let locale = chosenLocale();
  // The session decides which page is shown, so request it while the texts are loading.
  if (!isEntry(window.location.pathname)) void queryClient.prefetchQuery(sessionQuery);
  const messages = await loadWords(locale).catch(() => {
    locale = 'en';
    return en;
  });
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
      >
        <LanguageProvider locale={locale} messages={messages}>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </LanguageProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

function isEntry(path: string): boolean {
  return path === '/sign-in' || path === '/setup';
}

const root = document.getElementById('root');
if (root) void start(root);

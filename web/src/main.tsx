import '@mantine/core/styles.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { colorSchemeManager } from './app/color-scheme.ts';
import { queryClient } from './app/query-client.ts';
import { cssVariables, theme } from './app/theme.ts';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={queryClient}>
          <main>
            <h1>Bot Relay</h1>
          </main>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

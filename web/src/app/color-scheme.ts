import { localStorageColorSchemeManager } from '@mantine/core';

/** The same key is read by /first.js before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'relay-color-scheme' });

import { localStorageColorSchemeManager } from '@mantine/core';

/** /first.js reads the same key before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'relay-color-scheme' });

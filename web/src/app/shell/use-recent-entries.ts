import { useMemo } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { recentEntries } from '../../shared/stored/recent.ts';
import type { Entry } from './palette-entries.ts';

/** What was opened last from here. */
export function useRecentEntries(): Entry[] {
  const { palette } = useT();
  return useMemo(
    () =>
      (recentEntries() as Entry[]).map((entry) => ({
        ...entry,
        id: `recent-${entry.id}`,
        section: palette.recent,
      })),
    [palette.recent],
  );
}

import { useQuery } from '@tanstack/react-query';
import { guidesAbout } from '../../api/guides.ts';
import { useT } from '../../i18n/use-t.tsx';
import { type Entry, fewestLetters, shortLived } from './palette-entries.ts';

const maxShown = 4;

/** Finds sections of the guides and endpoints of the API. They open in a tab of their own. */
export function usePaletteGuides(typed: string): Entry[] {
  const t = useT();
  const found = useQuery({
    queryKey: ['palette', 'guides', typed],
    queryFn: ({ signal }) => guidesAbout(typed, signal),
    enabled: typed.length > fewestLetters,
    ...shortLived,
  }).data;
  return (found ?? []).slice(0, maxShown).map((hit) => ({
    id: `guide-${hit.url}`,
    section: t.palette.guides,
    label: hit.heading,
    note: hit.page,
    icon: 'link' as const,
    act: () => void window.open(hit.url, '_blank', 'noopener'),
  }));
}

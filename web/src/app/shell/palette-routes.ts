import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../../api/bots.ts';
import { routesQuery, withoutId } from '../../api/routes.ts';
import { useT } from '../../i18n/use-t.tsx';
import { conditionLabel, routeWords } from '../../pages/routes/route-words.ts';
import { useRouteNames } from '../../pages/routes/use-route-names.ts';
import { useMay } from '../../shared/use-session.ts';
import type { Entry } from './palette-entries.ts';

/** Finds routes by note, bots, chats and condition. */
export function usePaletteRoutes(text: string): Entry[] {
  const t = useT();
  const bots = useQuery(botsQuery).data ?? [];
  const all = useQuery({ ...routesQuery, enabled: useMay('bots', 'read') }).data ?? [];
  // While nothing is typed, all routes would hide the actions.
  const routes = text.trim() === '' ? [] : all;
  const names = useRouteNames(bots, routes);
  return routes.map((route) => ({
    id: `route-${route.id}`,
    section: t.palette.routes,
    label: route.description || names.route(route.id),
    note: conditionLabel(withoutId(route), t),
    words: `${routeWords(withoutId(route), names, t)} ${route.description} ${route.condition_value}`,
    icon: 'route',
    act: { to: '/routes', search: { route: route.id }, resetScroll: false },
  }));
}

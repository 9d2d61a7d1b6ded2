import { useQuery } from '@tanstack/react-query';
import { type AlertKind, openAlertsQuery } from '../../api/alerts.ts';
import type { Graph } from '../../api/routing.ts';
import type { Route } from '../../api/client/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { conditionLabel } from './route-words.ts';

/** A route in the drawing: its condition, how much it forwarded, and whether it has a problem. */
export interface DrawnRoute {
  route: Route;
  label: string;
  /** 0 to 1: its share of the busiest route. */
  weight: number;
  hasProblem: boolean;
  /** `dropped` for a route that drops messages. */
  targetId: number;
}

const problemKinds = new Set<AlertKind>(['route_failing', 'route_topic_gone']);

/** Dropped messages end at their own node. */
export const dropped = 0;

export function useDrawnRoutes(routes: Route[], graph: Graph | undefined): DrawnRoute[] {
  const alerts = useQuery(openAlertsQuery).data ?? [];
  const t = useT();
  const format = useFormat();
  const traffic = new Map(graph?.routes.map((route) => [route.id, route.messages_last_day]));
  const most = Math.max(1, ...traffic.values());
  const routesWithAlerts = new Set(graph?.problems.flatMap((problem) => problem.route_ids));
  const failing = new Set(
    alerts.flatMap(({ kind, route_id = 0 }) => (problemKinds.has(kind) ? [route_id] : [])),
  );
  return routes.map((route) => {
    const carried = traffic.get(route.id) ?? 0;
    const fails = failing.has(route.id);
    const words = [
      conditionLabel(route as never, t),
      ...(carried === 0 ? [] : [t.routes.lastDay(format.number(carried))]),
      ...(fails ? [t.routes.failing] : []),
    ];
    return {
      route,
      label: words.join(' · '),
      weight: carried / most,
      hasProblem: routesWithAlerts.has(route.id) || fails,
      targetId: route.action === 'drop' ? dropped : route.target_bot_id,
    };
  });
}

/** Returns attributes for the style of its line: by target, state and problems. */
export function looksOf({ route, hasProblem }: DrawnRoute) {
  return {
    'data-action': route.action,
    'data-off': route.enabled ? undefined : true,
    'data-troubled': hasProblem || undefined,
  };
}

export function thicknessOf({ weight }: DrawnRoute): number {
  return 1.5 + Math.sqrt(weight) * 5;
}

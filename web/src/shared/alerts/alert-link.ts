import { kindOf } from '../../api/alerts.ts';
import { type AnyAlert, paramsOf } from './alert-words.ts';

/** Returns the page with more about an alert. */
export function alertLink(alert: AnyAlert) {
  const { app, desk_id, route_id } = paramsOf(alert);
  const { page } = kindOf(alert.kind);
  if (route_id !== undefined) return { to: '/routes', search: { route: route_id } } as const;
  if (page === 'routes') return { to: '/routes' } as const;
  if (page === 'desks') return { to: '/desks', search: { desk: Number(desk_id) } } as const;
  if (page === 'service') return { to: '/settings' } as const;
  if (page === 'channels') return { to: '/alerts', search: { tab: 'channels' } } as const;
  return {
    to: '/bots/$botId',
    params: { botId: String(alert.bot_id) },
    search: { tab: page, ...(app === undefined ? {} : { app }) },
  } as const;
}

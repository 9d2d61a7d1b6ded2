import type { Bot, Route } from '../../api/client/types.ts';
import { valueOf } from '../../api/routes.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useChatNames } from '../../shared/use-chat-names.ts';
import { type RouteNames, routeNames } from './route-names.ts';

export function useRouteNames(bots: Bot[], routes: Route[]): RouteNames {
  const t = useT();
  // Bots with chats in routes come first.
  const ends = routes
    .toSorted((left, right) => Number(namesChats(right)) - Number(namesChats(left)))
    .flatMap((route) => [route.source_bot_id, route.target_bot_id]);
  return routeNames(t, { bots, routes, titleOf: useChatNames(ends) });
}

function namesChats(route: Route): boolean {
  const { condition_type, source_chat_id, target_chat_id } = route;
  const value = valueOf(condition_type) ?? 'none';
  return source_chat_id !== 0 || target_chat_id !== 0 || ['chat', 'user'].includes(value);
}

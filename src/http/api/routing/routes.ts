import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { RouteService } from '../../../manage/routing/routes.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { AddRouteBody, Route, UpdateRouteBody } from './route-schema.ts';
import { Id, Optional, Query } from '../../schemas.ts';

export function routeEndpoints({ routes }: { routes: RouteService }): Endpoint[] {
  return [
    get('Routes', '/api/routes', {
      scope: 'read',
      chats: 'refused',
      summary: 'List routes',
      description: 'Sorted by source bot, in the order they are evaluated.',
      query: Query({
        bot_id: Optional.Id('Only routes from or to this bot.'),
      }),
      response: Type.Array(Route),
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => routes.list(caller, query.bot_id),
    }),
    post('Routes', '/api/routes/add', {
      audit: {},
      scope: 'manage',
      summary: 'Add a route',
      body: AddRouteBody,
      response: Route,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, body }) => routes.add(caller, body),
    }),
    post('Routes', '/api/routes/update', {
      audit: { before: stateOf.route },
      scope: 'manage',
      summary: 'Update a route',
      description: 'Replaces the route: omitted fields get their defaults.',
      body: UpdateRouteBody,
      response: Route,
      errors: ['route_not_found', 'bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, body: { id, ...route } }) => routes.update(caller, id, route),
    }),
    post('Routes', '/api/routes/delete', {
      audit: { before: stateOf.route, removes: true },
      scope: 'manage',
      summary: 'Delete a route',
      description: 'Returns the deleted route.',
      query: Query({ id: Id('Route ID.') }),
      response: Route,
      errors: ['route_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => routes.delete(caller, query.id),
    }),
  ];
}

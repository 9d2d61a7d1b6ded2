import { queryOptions } from '@tanstack/react-query';
import type { RoutesAddRequest, RoutesSimulateRequest } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import type { Route } from './client/types.ts';
import { refreshOn } from './client/refresh-on.ts';

export {
  type ConditionType,
  type ConditionValue,
  conditionValues,
  valueOf,
} from '../../../src/core/routing/condition-types.ts';

export const routesQuery = queryOptions({
  queryKey: ['routes'],
  meta: refreshOn(['route']),
  queryFn: ({ signal }) => get('/api/routes', {}, signal),
});

export type NewRoute = RoutesAddRequest;

export const addRoute = (body: NewRoute) => post('/api/routes/add', { body });
export const updateRoute = (body: NewRoute & { id: number }) =>
  post('/api/routes/update', { body });
export const deleteRoute = (id: number) => post('/api/routes/delete', { query: { id } });

/** Asks which route would match a message; nothing is sent. */
export const simulateRoutes = (body: RoutesSimulateRequest) =>
  post('/api/routes/simulate', { body });

/** Returns a route for a request: everything but its ID. */
export function withoutId(route: Route): NewRoute {
  const { id: _id, ...rest } = route;
  return rest as NewRoute;
}

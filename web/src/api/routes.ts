import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { AddRouteBody } from '../../../src/http/api/routing/route-schema.ts';
import type { SimulateBody, Simulation } from '../../../src/http/api/routing/routing-schema.ts';
import { get, post } from './client/client.ts';
import type { Route } from './client/types.ts';

export const routesQuery = queryOptions({
  queryKey: ['routes'],
  queryFn: ({ signal }) => get<Route[]>('/api/routes', {}, signal),
});

export type NewRoute = Static<typeof AddRouteBody>;

export const addRoute = (body: NewRoute) => post<Route>('/api/routes/add', { body });
export const updateRoute = (body: NewRoute & { id: number }) =>
  post<Route>('/api/routes/update', { body });
export const deleteRoute = (id: number) => post<Route>('/api/routes/delete', { query: { id } });

/** Which rule would take a message; nothing is sent. */
export const simulateRoutes = (body: Static<typeof SimulateBody>) =>
  post<Static<typeof Simulation>>('/api/routes/simulate', { body });

/** A route as it is sent: everything but its number. */
export function withoutId(route: Route): NewRoute {
  const { id: _id, ...rest } = route;
  return rest as NewRoute;
}

import { queryOptions } from '@tanstack/react-query';
import type { Alert, ReadyzResponse, ServiceStatus } from '../../../src/api-types.ts';
import { get } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { Alert };
export type Service = ServiceStatus;

/** Alerts, the most urgent first. */
export const alertsQuery = queryOptions({
  queryKey: ['attention'],
  meta: refreshOn(['bot', 'delivery', 'route']),
  queryFn: ({ signal }) => get('/api/attention', {}, signal),
  refetchInterval: 10_000,
});

export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: ({ signal }) => get('/api/service', {}, signal),
  refetchInterval: 10_000,
});

export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => get('/api/version', {}, signal),
});

export const readyQuery = queryOptions({
  queryKey: ['ready'],
  // A 503 response has the details, too.
  queryFn: async ({ signal }) => {
    const response = await fetch('/readyz', { signal });
    return (await response.json()) as ReadyzResponse;
  },
  refetchInterval: 10_000,
  retry: false,
});

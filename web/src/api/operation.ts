import { queryOptions } from '@tanstack/react-query';
import type { ReadyzResponse, ServiceStatus } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';

export type Service = ServiceStatus;

export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: ({ signal }) => get('/api/service', {}, signal),
  refetchInterval: 10_000,
});

export const backUpNow = () => post('/api/service/backup', {});

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

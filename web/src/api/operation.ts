import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { AlertAnswer } from '../../../src/http/api/ops/alert-schema.ts';
import type { ServiceAnswer } from '../../../src/http/api/ops/service-schema.ts';
import { get } from './client/client.ts';

export type Alert = Static<typeof AlertAnswer>;
export type Service = Static<typeof ServiceAnswer>;

/** What needs a person, the most urgent first. */
export const alertsQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => get<Alert[]>('/api/attention', {}, signal),
  refetchInterval: 10_000,
});

export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: ({ signal }) => get<Service>('/api/service', {}, signal),
  refetchInterval: 10_000,
});

export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => get<{ version: string }>('/api/version', {}, signal),
});

export const readyQuery = queryOptions({
  queryKey: ['ready'],
  // Also an answer of 503 says what is the matter.
  queryFn: async ({ signal }) => {
    const response = await fetch('/readyz', { signal });
    return (await response.json()) as { status: string; reasons: string[] };
  },
  refetchInterval: 10_000,
  retry: false,
});

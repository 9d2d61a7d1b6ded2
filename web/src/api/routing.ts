import { queryOptions } from '@tanstack/react-query';
import type {
  Gets,
  LlmConfig,
  LlmConfigRequest,
  RouteGraph,
  RoutingDecision,
} from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { LlmConfig };
export type Decision = RoutingDecision;
export type Graph = RouteGraph;

export const graphQuery = queryOptions({
  queryKey: ['routes', 'graph'],
  meta: refreshOn(['route']),
  queryFn: ({ signal }) => get('/api/routes/graph', {}, signal),
  refetchInterval: 30_000,
});

type Outcome = NonNullable<Gets['/api/routes/decisions']['query']>['outcome'];

export const decisionsOf = (
  query: {
    bot_id?: number;
    outcome?: string;
    failed?: boolean;
    q?: string;
    before_id?: number | undefined;
    limit: number;
  },
  signal?: AbortSignal,
) => get('/api/routes/decisions', { ...query, outcome: query.outcome as Outcome }, signal);

export const llmConfigQuery = queryOptions({
  queryKey: ['llm-config'],
  queryFn: ({ signal }) => get('/api/llm-config', {}, signal),
});

export const updateLlmConfig = (body: LlmConfigRequest) => post('/api/llm-config', { body });

import { queryOptions } from '@tanstack/react-query';
import type {
  Gets,
  LlmConfig,
  LlmConfigRequest,
  RouteGraph,
  RoutingDecision,
} from '../../../src/api-types.ts';
import { get, getWithHeaders, post } from './client/client.ts';
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

/** Returns a page of decisions; a search that ended early says where to continue. */
export async function decisionsOf(
  query: {
    bot_id?: number;
    outcome?: string;
    failed?: boolean;
    q?: string;
    before_id?: number | undefined;
    limit: number;
  },
  signal?: AbortSignal,
) {
  const asked = { ...query, outcome: query.outcome as Outcome };
  const { answer, headers } = await getWithHeaders('/api/routes/decisions', asked, signal);
  return {
    decisions: answer,
    next: Number(headers.get('x-next-before-id') ?? 0),
    searchedBackTo: headers.get('x-searched-back-to') ?? '',
  };
}

export const llmConfigQuery = queryOptions({
  queryKey: ['llm-config'],
  queryFn: ({ signal }) => get('/api/llm-config', {}, signal),
});

export const updateLlmConfig = (body: LlmConfigRequest) => post('/api/llm-config', { body });

import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type {
  Decision as DecisionSchema,
  LlmConfig as LlmConfigSchema,
  RouteGraph as RouteGraphSchema,
  UpdateLlmConfigBody,
} from '../../../src/http/api/routing/routing-schema.ts';
import { get, post } from './client/client.ts';

export type Decision = Static<typeof DecisionSchema>;
export type LlmConfig = Static<typeof LlmConfigSchema>;
export type Graph = Static<typeof RouteGraphSchema>;

export const graphQuery = queryOptions({
  queryKey: ['routes', 'graph'],
  queryFn: ({ signal }) => get<Graph>('/api/routes/graph', {}, signal),
  refetchInterval: 30_000,
});

export const decisionsOf = (
  query: {
    bot_id?: number;
    outcome?: string;
    failed?: boolean;
    before_id?: number | undefined;
    limit: number;
  },
  signal?: AbortSignal,
) => get<Decision[]>('/api/routes/decisions', { ...query }, signal);

export const llmConfigQuery = queryOptions({
  queryKey: ['llm-config'],
  queryFn: ({ signal }) => get<LlmConfig>('/api/llm-config', {}, signal),
});

export const updateLlmConfig = (body: Static<typeof UpdateLlmConfigBody>) =>
  post<LlmConfig>('/api/llm-config', { body });

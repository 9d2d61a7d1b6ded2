import { Type } from 'typebox';
import { requireEveryBot } from '../../../core/access/access.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { LlmConfigService } from '../../../manage/routing/llm-config.ts';
import type { RoutingService } from '../../../relay/routing/routing-service.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import {
  Decision,
  DecisionsQuery,
  LlmConfig,
  RouteGraph,
  SimulateBody,
  Simulation,
  UpdateLlmConfigBody,
} from './routing-schema.ts';

interface RoutingApi {
  routing: RoutingService;
  llmConfig: LlmConfigService;
}

export function routingEndpoints({ routing, llmConfig }: RoutingApi): Endpoint[] {
  return [
    post('Routes', '/api/routes/simulate', {
      audit: 'none',
      scope: 'read',
      chats: 'refused',
      summary: 'Test a message against the routes',
      description:
        'Shows which route would match, and why. Nothing is sent. Where the language model would decide, it is called once if the key has the scope `manage`; otherwise the offline ranking decides.',
      body: SimulateBody,
      response: Simulation,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, body, signal }) =>
        routing.simulate(
          caller,
          body.bot_id,
          {
            text: body.text,
            chatId: body.chat_id ?? body.user_id ?? 0,
            threadId: body.message_thread_id,
            userId: body.user_id ?? 0,
            mediaType: body.media_type || null,
          },
          signal,
        ),
    }),
    get('Routes', '/api/routes/decisions', {
      scope: 'read',
      chats: 'reads',
      summary: 'List routing decisions',
      description:
        'Newest first, with the results of what was sent. A search by `q` looks at 5,000 decisions at most, for a second. If it ends before the limit is reached, the response has the headers `X-Next-Before-Id`, the `before_id` to continue with, and `X-Searched-Back-To`, the time of the last decision that it looked at.',
      query: DecisionsQuery,
      response: Type.Array(Decision),
      errors: ['bot_not_allowed'],
      async handler({ caller, query, raw: { reply } }) {
        const { decisions, stoppedAt } = await routing.decisions(caller, {
          limit: query.limit ?? 50,
          ...(query.bot_id === undefined ? {} : { botId: query.bot_id }),
          ...(query.chat_id === undefined ? {} : { chatId: query.chat_id }),
          ...(query.outcome === undefined ? {} : { outcome: query.outcome }),
          ...(query.failed ? { failed: true } : {}),
          ...(query.q === undefined ? {} : { q: query.q }),
          ...(query.before_id === undefined ? {} : { beforeId: query.before_id }),
        });
        if (stoppedAt) {
          reply.header('x-next-before-id', stoppedAt.id);
          reply.header('x-searched-back-to', isoTime(stoppedAt.createdAt));
        }
        return decisions;
      },
    }),
    get('Routes', '/api/routes/graph', {
      scope: 'read',
      chats: 'refused',
      summary: 'Get the route graph',
      description: 'Bots, routes with their traffic of the last day, loops and unreachable routes.',
      response: RouteGraph,
      handler: ({ caller }) => routing.graph(caller),
    }),
    get('Language model', '/api/llm-config', {
      scope: 'admin',
      summary: 'Get language model settings',
      description: 'The settings cover all bots: a key limited to some bots gets 403.',
      response: LlmConfig,
      errors: ['bot_not_allowed'],
      async handler({ caller }) {
        requireEveryBot(caller);
        return llmConfig.show();
      },
    }),
    post('Language model', '/api/llm-config', {
      audit: { before: stateOf.llmConfig },
      scope: 'admin',
      summary: 'Update language model settings',
      description:
        'Omitted fields keep their value. The settings cover all bots: a key limited to some bots gets 403.',
      body: UpdateLlmConfigBody,
      response: LlmConfig,
      errors: ['bot_not_allowed'],
      async handler({ caller, body }) {
        requireEveryBot(caller);
        return llmConfig.update(body);
      },
    }),
  ];
}

import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { BotService } from '../../../manage/bots/bots.ts';
import { type Endpoint, endpoint, type EndpointRequest } from '../../endpoint.ts';
import { createCachedText } from '../../cached-text.ts';
import {
  AddBotBody,
  Bot,
  BotHealth,
  RestoredWebhook,
  RestoreWebhookBody,
  TokenCheck,
  UpdateBotBody,
  ValidateBotBody,
} from './bot-schema.ts';
import { Id, Query } from '../../schemas.ts';

const BotQuery = Query({ id: Id('The bot ID.') });
const named = { tag: 'Bots', query: BotQuery } as const;

export function botEndpoints({ bots }: { bots: BotService }): Endpoint[] {
  const listed = createCachedText();
  return [
    endpoint({
      method: 'GET',
      path: '/api/bots',
      scope: 'read',
      tag: 'Bots',
      summary: 'List all bots',
      description: 'Tokens and secrets are masked below the scope `manage`.',
      response: Type.Array(Bot),
      handler: async ({ caller, raw }) => listed.of(raw.reply, await bots.list(caller)),
    }),
    endpoint({
      method: 'POST',
      path: '/api/bots/add',
      audit: { subject: 'bot' },
      scope: 'manage',
      tag: 'Bots',
      summary: 'Create a bot',
      description:
        'Asks the platform whose token it is, for at most 3 s. A refused token is not stored; where the platform cannot be reached the bot is stored, `last_error` says why it does not run, and it is tried again.',
      body: AddBotBody,
      response: Bot,
      errors: ['token_refused', 'token_taken', 'bot_not_allowed'],
      handler: ({ caller, body, raw }) => bots.add(caller, body, sourceOf(raw.request.headers)),
    }),
    endpoint({
      method: 'POST',
      path: '/api/bots/update',
      audit: { subject: 'bot', before: stateOf.bot },
      scope: 'manage',
      tag: 'Bots',
      summary: 'Update bot configuration',
      description: 'A field left out keeps its value.',
      body: UpdateBotBody,
      response: Bot,
      errors: ['bot_not_found', 'bot_not_allowed', 'token_refused', 'token_taken'],
      handler: ({ caller, body: { id, ...patch } }) => bots.update(caller, id, patch),
    }),
    endpoint({
      ...named,
      method: 'POST',
      path: '/api/bots/toggle-disabled',
      audit: { subject: 'bot', before: stateOf.bot },
      scope: 'manage',
      summary: 'Flip the disabled state of a bot',
      description:
        'Answers once a disabled bot has stopped. An enabled one goes on where it stopped.',
      response: Bot,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => bots.toggleDisabled(caller, query.id),
    }),
    endpoint({
      ...named,
      method: 'POST',
      path: '/api/bots/delete',
      audit: { subject: 'bot', before: stateOf.bot, removes: true },
      scope: 'manage',
      summary: 'Delete a bot',
      description:
        'Stops it and removes its webhook, routes in both directions, log and messages; tags stay with their chats. Answers with the bot that is gone.',
      response: Bot,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => bots.delete(caller, query.id),
    }),
    endpoint({
      method: 'POST',
      path: '/api/bots/validate',
      audit: 'none',
      scope: 'manage',
      tag: 'Bots',
      summary: 'Ask the platform about a token',
      description: 'Stores nothing.',
      body: ValidateBotBody,
      response: TokenCheck,
      errors: ['platform_rate_limited', 'platform_unreachable', 'platform_timeout'],
      handler: ({ caller, body }) => bots.validate(caller, body.token),
    }),
    endpoint({
      ...named,
      method: 'GET',
      path: '/api/bots/health',
      scope: 'read',
      summary: 'Tell how a bot is doing',
      description: 'Asks the platform, for at most 3 s.',
      response: BotHealth,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => bots.health(caller, query.id),
    }),
    endpoint({
      ...named,
      method: 'POST',
      path: '/api/bots/restore-webhook',
      audit: { subject: 'bot', before: stateOf.bot },
      scope: 'manage',
      summary: 'Give a bot back the webhook it had before',
      description:
        'For a bot whose webhook the relay removed to poll it: GET /api/bots/health shows it. A token has one receiver, so the bot is disabled here first; then the webhook is set at the platform with its former kinds and connections, and nothing pending is dropped. When the platform refuses, the bot is left as it was.',
      body: RestoreWebhookBody,
      response: RestoredWebhook,
      errors: [
        'bot_not_found',
        'bot_not_allowed',
        'no_previous_webhook',
        'platform_refused',
        'platform_rate_limited',
        'platform_unreachable',
        'platform_timeout',
      ],
      handler: ({ caller, query, body }) =>
        bots.restoreWebhook(caller, query.id, body.secret_token ?? ''),
    }),
  ];
}

/** The command names itself; whatever else calls is the web in the contract's words. */
function sourceOf(headers: EndpointRequest['raw']['request']['headers']): 'cli' | 'web' {
  return headers['user-agent']?.startsWith('bot-relay-cli') ? 'cli' : 'web';
}

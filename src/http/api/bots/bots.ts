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
      summary: 'List bots',
      description: 'Tokens and secrets are masked unless the key has the scope `manage`.',
      response: Type.Array(Bot),
      handler: async ({ caller, raw }) => listed.of(raw.reply, await bots.list(caller)),
    }),
    endpoint({
      method: 'POST',
      path: '/api/bots/add',
      audit: { subject: 'bot' },
      scope: 'manage',
      tag: 'Bots',
      summary: 'Add a bot',
      description:
        'Checks the token with Telegram, for at most 3 seconds. A refused token is not stored. If Telegram cannot be reached, the bot is stored, `last_error` says why it is not running, and the relay retries.',
      body: AddBotBody,
      response: Bot,
      errors: ['token_refused', 'token_taken', 'bot_exists', 'bot_not_allowed'],
      handler: ({ caller, body, raw }) => bots.add(caller, body, sourceOf(raw.request.headers)),
    }),
    endpoint({
      method: 'POST',
      path: '/api/bots/update',
      audit: { subject: 'bot', before: stateOf.bot },
      scope: 'manage',
      tag: 'Bots',
      summary: 'Update a bot',
      description: 'Omitted fields keep their value.',
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
      summary: 'Disable or enable a bot',
      description:
        'Responds once the bot has stopped or started. An enabled bot continues where it stopped.',
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
        'Stops the bot and removes its webhook, its routes in both directions, its update log and its messages. Tags stay. Returns the deleted bot.',
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
      summary: 'Validate a token',
      description: 'Asks Telegram and stores nothing.',
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
      summary: 'Check the health of a bot',
      description: 'Asks Telegram, for at most 3 seconds.',
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
      summary: 'Restore the previous webhook',
      description:
        'Restores the webhook that the relay removed when it started polling; `GET /api/bots/health` shows it. A token can have only one receiver, so this disables the bot here first. The webhook gets its previous update kinds and connection limit, and no pending update is dropped. If Telegram refuses, nothing changes.',
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

/** The CLI names itself; the contract calls every other client `web`. */
function sourceOf(headers: EndpointRequest['raw']['request']['headers']): 'cli' | 'web' {
  return headers['user-agent']?.startsWith('bot-relay-cli') ? 'cli' : 'web';
}

import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { BotService } from '../../../manage/bots/bots.ts';
import { type Endpoint, type EndpointRequest, get, post } from '../../endpoint.ts';
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

export function botEndpoints({ bots }: { bots: BotService }): Endpoint[] {
  const listed = createCachedText();
  return [
    get('Bots', '/api/bots', {
      scope: 'read',
      // Chats are shown with the names of their bots.
      area: 'chats',
      chats: 'none',
      summary: 'List bots',
      description: 'Tokens and secrets are masked unless the key has the scope `manage`.',
      response: Type.Array(Bot),
      handler: async ({ caller, raw }) => listed.of(raw.reply, await bots.list(caller)),
    }),
    post('Bots', '/api/bots/add', {
      audit: { subject: 'bot' },
      scope: 'manage',
      summary: 'Add a bot',
      description:
        'Checks the token with Telegram, for at most 3 seconds. A refused token is not stored. If Telegram cannot be reached, the bot is stored, `last_error` says why it is not running, and the relay retries.',
      body: AddBotBody,
      response: Bot,
      errors: ['token_refused', 'token_taken', 'bot_exists', 'bot_not_allowed'],
      handler: ({ caller, body, raw }) => bots.add(caller, body, sourceOf(raw.request.headers)),
    }),
    post('Bots', '/api/bots/update', {
      audit: { subject: 'bot', before: stateOf.bot },
      scope: 'manage',
      summary: 'Update a bot',
      description: 'Omitted fields keep their value.',
      body: UpdateBotBody,
      response: Bot,
      errors: ['bot_not_found', 'bot_not_allowed', 'token_refused', 'token_taken'],
      handler: ({ caller, body: { id, ...patch } }) => bots.update(caller, id, patch),
    }),
    post('Bots', '/api/bots/toggle-disabled', {
      query: BotQuery,
      audit: { subject: 'bot', before: stateOf.bot },
      scope: 'manage',
      summary: 'Disable or enable a bot',
      description:
        'Responds once the bot has stopped or started. An enabled bot continues where it stopped.',
      response: Bot,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => bots.toggleDisabled(caller, query.id),
    }),
    post('Bots', '/api/bots/delete', {
      query: BotQuery,
      audit: { subject: 'bot', before: stateOf.bot, removes: true },
      scope: 'manage',
      summary: 'Delete a bot',
      description:
        'Stops the bot and removes its webhook, its routes in both directions, its update log and its messages. Tags stay. Returns the deleted bot.',
      response: Bot,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => bots.delete(caller, query.id),
    }),
    post('Bots', '/api/bots/validate', {
      audit: 'none',
      scope: 'manage',
      summary: 'Validate a token',
      description: 'Asks Telegram and stores nothing.',
      body: ValidateBotBody,
      response: TokenCheck,
      errors: ['platform_rate_limited', 'platform_unreachable', 'platform_timeout'],
      handler: ({ caller, body }) => bots.validate(caller, body.token),
    }),
    get('Bots', '/api/bots/health', {
      query: BotQuery,
      scope: 'read',
      chats: 'none',
      summary: 'Check the health of a bot',
      description: 'Asks Telegram, for at most 3 seconds.',
      response: BotHealth,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => bots.health(caller, query.id),
    }),
    post('Bots', '/api/bots/restore-webhook', {
      query: BotQuery,
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

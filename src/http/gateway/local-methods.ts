/*
 * The methods the relay answers itself. The platform's own webhook and queue belong to the relay, so
 * to a program the relay is the platform: its backend is the webhook, its log is the queue.
 */
import type { Clock } from '../../clock.ts';
import { limits } from '../../core/limits.ts';
import { RelayError } from '../../errors.ts';
import { readAllowedUpdates } from '../../relay/pull/consumer-state.ts';
import { isConsumerName, type Pullers } from '../../relay/pull/pullers.ts';
import type { BotPatch, BotRecord } from '../../store/bots.ts';
import type { WebhookRepository, WebhookWishes } from '../../store/webhooks.ts';
import { badRequest, type Envelope, failure, success, successOf } from './envelope.ts';
import { flag, integer, type Params, text } from './params.ts';

export interface LocalCall {
  bot: BotRecord;
  params: Params;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
}

export interface LocalMethodDeps {
  clock: Clock;
  pullers: Pullers;
  webhooks: WebhookRepository;
  /** Stores new settings and puts them in force; throws invalid_request. */
  updateBot(
    botId: number,
    patch: Pick<BotPatch, 'backend_url' | 'proxy_enabled' | 'secret_token'>,
  ): Promise<unknown>;
  /** Forgets what waits to be forwarded. */
  dropPush(botId: number): Promise<void>;
}

export type LocalMethod = (call: LocalCall) => Promise<Envelope>;

const defaultMaxConnections = 40;

/** By lower-case name. */
export function createLocalMethods(deps: LocalMethodDeps): ReadonlyMap<string, LocalMethod> {
  const { pullers, webhooks, clock } = deps;

  async function getUpdates({ bot, params, signal }: LocalCall): Promise<Envelope> {
    if (!bot.long_poll_enabled) {
      return failure(
        409,
        `Conflict: long polling is switched off for this bot in the relay; switch it on with long_poll_enabled in POST /api/bots/update (bot ${bot.id})`,
      );
    }
    const consumer = text(params.consumer);
    if (!isConsumerName(consumer)) {
      return badRequest('consumer must be at most 64 of A-Z a-z 0-9 _ . -');
    }
    const updates = await pullers.poll({
      botId: bot.id,
      consumer,
      offset: integer(params.offset, 0),
      limit: integer(params.limit, 100),
      timeoutSeconds: integer(params.timeout, 0),
      allowedUpdates: params.allowed_updates,
      signal,
    });
    return successOf(`[${updates.join(',')}]`);
  }

  async function setWebhook(call: LocalCall): Promise<Envelope> {
    const { bot, params } = call;
    const given = text(params.url).trim();
    if (given === '') return deleteWebhook(call);
    const secret = text(params.secret_token);
    if (secret.length > limits.secretTokenLength) return badRequest('secret token is too long');
    if (!/^[\w-]*$/.test(secret)) return badRequest('secret token contains unallowed characters');
    const url = webhookUrl(given);
    if (url === undefined) return badRequest('bad webhook: Failed to parse URL');

    const before = await webhooks.get(bot.id);
    const allowed = readAllowedUpdates(params.allowed_updates);
    const wishes: WebhookWishes = {
      maxConnections: Math.min(
        Math.max(integer(params.max_connections, defaultMaxConnections), 1),
        100,
      ),
      allowedUpdates: allowed === undefined ? (before?.allowedUpdates ?? null) : allowed,
    };
    const drops = flag(params.drop_pending_updates);
    const same =
      bot.proxy_enabled &&
      bot.backend_url === url &&
      bot.secret_token === secret &&
      JSON.stringify(before) === JSON.stringify(wishes);
    if (same && !drops) return success(true, 'Webhook is already set');
    // Stored before they come into force, so that the first delivery keeps to them.
    if (!same) {
      await webhooks.save(bot.id, wishes, clock.now());
      try {
        await deps.updateBot(bot.id, {
          backend_url: url,
          proxy_enabled: true,
          secret_token: secret,
        });
      } catch (error) {
        if (before) await webhooks.save(bot.id, before, clock.now());
        else await webhooks.remove(bot.id);
        if (error instanceof RelayError && error.code === 'invalid_request') {
          return badRequest(`bad webhook: ${error.message}`);
        }
        throw error;
      }
    }
    if (drops) await deps.dropPush(bot.id);
    return success(true, 'Webhook was set');
  }

  async function deleteWebhook({ bot, params }: LocalCall): Promise<Envelope> {
    if (flag(params.drop_pending_updates)) {
      // A program that turns to polling means the queue it is about to read, too.
      await deps.dropPush(bot.id);
      if (bot.long_poll_enabled) await pullers.drop(bot.id);
    }
    const wasSet = bot.proxy_enabled || bot.backend_url !== '';
    if (!wasSet) return success(true, 'Webhook is already deleted');
    await deps.updateBot(bot.id, { backend_url: '', proxy_enabled: false });
    await webhooks.remove(bot.id);
    return success(true, 'Webhook was deleted');
  }

  async function getWebhookInfo({ bot }: LocalCall): Promise<Envelope> {
    if (!bot.proxy_enabled) {
      return success({
        url: '',
        has_custom_certificate: false,
        pending_update_count: bot.long_poll_enabled ? await pullers.pending(bot.id) : 0,
      });
    }
    const wishes = await webhooks.get(bot.id);
    const { pending, lastErrorAt, lastError } = await webhooks.situation(bot.id);
    return success({
      url: bot.backend_url,
      has_custom_certificate: false,
      pending_update_count: Math.max(0, pending),
      ...(lastErrorAt === 0
        ? {}
        : { last_error_date: Math.floor(lastErrorAt / 1000), last_error_message: lastError }),
      max_connections: wishes?.maxConnections ?? defaultMaxConnections,
      ...(wishes?.allowedUpdates ? { allowed_updates: wishes.allowedUpdates } : {}),
    });
  }

  /** Passed on, either would take the bot away from the relay and all who use it. */
  const keepRunning = async () =>
    success(true, 'The relay keeps the bot: disable or delete it there to let it go');

  return new Map<string, LocalMethod>([
    ['getupdates', getUpdates],
    ['setwebhook', setWebhook],
    ['deletewebhook', deleteWebhook],
    ['getwebhookinfo', getWebhookInfo],
    ['logout', keepRunning],
    ['close', keepRunning],
  ]);
}

/** As the platform does, an address without a scheme is taken for https. */
function webhookUrl(given: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  if (!URL.canParse(address)) return undefined;
  return ['http:', 'https:'].includes(new URL(address).protocol) ? address : undefined;
}

/*
 * The methods the relay answers itself. The platform's webhook and queue belong to the relay; a client
 * gets the relay's own: its backend is the webhook, its log is the queue.
 */
import { isIP } from 'node:net';
import type { Clock } from '../../clock.ts';
import { readCertificates } from '../../core/access/certificates.ts';
import { limits } from '../../core/limits.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import { RelayError } from '../../errors.ts';
import { readAllowedUpdates } from '../../relay/pull/consumer-state.ts';
import { isConsumerName, type Pullers } from '../../relay/pull/pullers.ts';
import type { BotPatch, BotRecord } from '../../store/bots/bots.ts';
import type {
  StoredWebhook,
  WebhookOptions,
  WebhookRemoval,
} from '../../store/delivery/webhooks.ts';
import type { Store } from '../../store/store.ts';
import { badRequest, type Envelope, failure, success, successOf } from './envelope.ts';
import { flag, integerParam, type Params, textParam } from './params.ts';

export interface LocalCall {
  bot: BotRecord;
  params: Params;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

export interface LocalMethodDeps {
  clock: Clock;
  pullers: Pullers;
  store: Pick<Store, 'webhooks'>;
  /**
   * Stores new settings, all or none, and applies them; throws invalid_request. With `webhook`,
   * pending updates move from long polling to push, or back.
   */
  updateBot(
    botId: number,
    patch: Pick<BotPatch, 'backend_url' | 'proxy_enabled' | 'secret_token'>,
    webhook: WebhookOptions | WebhookRemoval,
  ): Promise<unknown>;
  /** The default of `max_connections`. */
  pushConnections: number;
  /** Drops pending updates. */
  dropPush(botId: number): Promise<void>;
}

export type LocalMethod = (call: LocalCall) => Promise<Envelope>;

/** By lower-case name. */
export function createLocalMethods(deps: LocalMethodDeps): ReadonlyMap<string, LocalMethod> {
  const { pullers } = deps;
  const { webhooks } = deps.store;

  async function getUpdates({ bot, params, signal }: LocalCall): Promise<Envelope> {
    if (!bot.long_poll_enabled) {
      // Not 409: libraries take that for a webhook and remove it.
      return failure(
        403,
        `Forbidden: getUpdates is off for bot ${bot.id} in the relay; turn on "Let apps call getUpdates" in its settings, or long_poll_enabled with POST /api/bots/update`,
      );
    }
    const consumer = textParam(params.consumer);
    if (!isConsumerName(consumer)) {
      return badRequest('consumer must be at most 64 of A-Z a-z 0-9 _ . -');
    }
    const updates = await pullers.poll({
      botId: bot.id,
      consumer,
      offset: integerParam(params.offset, 0),
      limit: integerParam(params.limit, 100),
      timeoutSeconds: integerParam(params.timeout, 0),
      allowedUpdates: params.allowed_updates,
      signal,
    });
    return successOf(`[${updates.join(',')}]`);
  }

  async function setWebhook(call: LocalCall): Promise<Envelope> {
    const { bot, params } = call;
    const given = textParam(params.url).trim();
    if (given === '') return deleteWebhook(call);
    const secret = textParam(params.secret_token);
    if (secret.length > limits.secretTokenLength) return badRequest('secret token is too long');
    if (!/^[\w-]*$/.test(secret)) return badRequest('secret token contains unallowed characters');
    const url = webhookUrl(given);
    if (url === undefined) {
      return badRequest(
        'bad webhook: Failed to parse URL; it must look like https://example.com/hook',
      );
    }

    const certificate = await certificateOf(params.certificate);
    if (certificate === undefined) {
      return badRequest('bad webhook: the certificate must be a PEM file of at most 64 KB');
    }

    const before = await webhooks.get(bot.id, pushReader);
    const options = { ...optionsOf(params), certificate };
    const drops = flag(params.drop_pending_updates);
    const same =
      bot.proxy_enabled &&
      bot.backend_url === url &&
      bot.secret_token === secret &&
      before !== undefined &&
      isSame(before, options);
    if (same && !drops) return success(true, 'Webhook is already set');
    if (same) await deps.dropPush(bot.id);
    else {
      const patch = { backend_url: url, proxy_enabled: true, secret_token: secret };
      try {
        await deps.updateBot(bot.id, patch, {
          ...options,
          ...(drops ? { dropsPending: true } : {}),
        });
      } catch (error) {
        if (error instanceof RelayError && error.code === 'invalid_request') {
          return badRequest(`bad webhook: ${error.message}`);
        }
        throw error;
      }
    }
    return success(true, 'Webhook was set');
  }

  async function deleteWebhook({ bot, params }: LocalCall): Promise<Envelope> {
    const dropsPending = flag(params.drop_pending_updates);
    if (bot.proxy_enabled || bot.backend_url !== '') {
      const patch = { backend_url: '', proxy_enabled: false };
      await deps.updateBot(bot.id, patch, { isRemoved: true, dropsPending });
      return success(true, 'Webhook was deleted');
    }
    if (dropsPending) {
      await deps.dropPush(bot.id);
      await pullers.drop(bot.id);
    }
    return success(true, 'Webhook is already deleted');
  }

  async function getWebhookInfo({ bot }: LocalCall): Promise<Envelope> {
    if (!bot.proxy_enabled) {
      const polled = await pullers.pending(bot.id);
      return success({
        url: '',
        has_custom_certificate: false,
        pending_update_count:
          polled ?? (await webhooks.unasked(bot.id, pushReader, deps.clock.now())),
      });
    }
    const webhook = await webhooks.get(bot.id, pushReader);
    // Without setWebhook every kind is delivered, while a missing list would mean the default kinds.
    const allowed = webhook ? webhook.allowedUpdates : updateKinds;
    const { pending, lastErrorAt, lastError } = await webhooks.situation(bot.id, pushReader);
    const { hostname = '' } = URL.parse(bot.backend_url) ?? {};
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return success({
      url: bot.backend_url,
      has_custom_certificate: webhook !== undefined && webhook.certificate !== '',
      pending_update_count: Math.max(0, pending),
      ...(lastErrorAt === 0
        ? {}
        : { last_error_date: Math.floor(lastErrorAt / 1000), last_error_message: lastError }),
      max_connections: webhook?.maxConnections || deps.pushConnections,
      // A host name is resolved for each connection.
      ...(isIP(host) === 0 ? {} : { ip_address: host }),
      ...(allowed ? { allowed_updates: allowed } : {}),
    });
  }

  /** Passed through, either would take the bot away from the relay and all its clients. */
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

/** Without a list the former one stays; without a number the relay's default applies. */
function optionsOf(params: Params): WebhookOptions {
  const allowedUpdates = readAllowedUpdates(params.allowed_updates);
  const isGiven = textParam(params.max_connections).trim() !== '';
  return {
    maxConnections: isGiven
      ? Math.min(Math.max(integerParam(params.max_connections, 0), 1), 100)
      : 0,
    ...(allowedUpdates === undefined ? {} : { allowedUpdates }),
  };
}

function isSame(
  stored: StoredWebhook,
  { maxConnections, allowedUpdates, certificate }: WebhookOptions,
): boolean {
  return (
    stored.maxConnections === maxConnections &&
    stored.certificate === certificate &&
    (allowedUpdates === undefined ||
      JSON.stringify(stored.allowedUpdates) === JSON.stringify(allowedUpdates))
  );
}

/** The uploaded certificate, '' without one; undefined when it is invalid. */
async function certificateOf(given: unknown): Promise<string | undefined> {
  // The platform accepts it only as an upload, and ignores a file id or URL.
  if (!(given instanceof File)) return '';
  return given.size > largestCertificate ? undefined : readCertificates(await given.text());
}

const largestCertificate = 64 * 1024;

/** As on the platform, a URL without a scheme is https. */
function webhookUrl(given: string): string | undefined {
  const hasScheme = /^https?:\/\/[^/]/i.test(given);
  if (!(hasScheme || bareAddress.test(given)) || /[\s\\]/.test(given)) return undefined;
  const url = URL.parse(hasScheme ? given : `https://${given}`);
  // A second scheme in front makes the first one the host: `https://http://example.com`.
  if (!url || /^https?$/.test(url.hostname)) return undefined;
  return hasScheme ? given : `https://${given}`;
}

const bareAddress = /^(?:localhost|(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]+)(?::\d+)?(?:[/?#]|$)/iu;

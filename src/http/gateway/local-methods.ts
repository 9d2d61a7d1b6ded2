/*
 * The methods that the relay answers itself. Telegram's webhook and queue belong to the relay. A
 * client gets those of the relay: its backend is the webhook, its log is the queue.
 */
import { isIP } from 'node:net';
import type { AppRecord } from '../../core/apps/app.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import { RelayError } from '../../errors.ts';
import { isConsumerName } from '../../relay/pull/pullers.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { badRequest, EarlyReply, type Envelope, failure, success, successOf } from './envelope.ts';
import { flag, integerParam, type Params, textParam } from './params.ts';
import {
  appReceiver,
  botReceiver,
  type DroppedUpdates,
  type Receiver,
  type ReceiverDeps,
} from './receivers.ts';
import { hasOptions, readWebhook } from './webhook-params.ts';

export interface LocalCall {
  bot: BotRecord;
  /** Undefined for the default app. */
  app: AppRecord | undefined;
  params: Params;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

export interface LocalMethodDeps extends ReceiverDeps {
  /** The default of `max_connections`. */
  pushConnections: number;
}

export type LocalMethod = (call: LocalCall) => Promise<Envelope>;

/** Methods by their lower-case name. */
export function createLocalMethods(deps: LocalMethodDeps): ReadonlyMap<string, LocalMethod> {
  const { pullers } = deps;
  const { webhooks } = deps.store;
  const receiverOf = ({ bot, app }: LocalCall) =>
    app ? appReceiver(deps, app) : botReceiver(deps, bot);

  async function getUpdates(call: LocalCall): Promise<Envelope> {
    const { bot, app, params, signal } = call;
    const updates = await pullers.poll({
      botId: bot.id,
      consumer: consumerOf(call),
      ...(app ? { appId: app.id } : {}),
      offset: integerParam(params.offset, 0),
      limit: integerParam(params.limit, 100),
      timeoutSeconds: integerParam(params.timeout, 0),
      keepsPending: bot.keep_pending,
      allowedUpdates: params.allowed_updates,
      signal,
    });
    return successOf(`[${updates.join(',')}]`);
  }

  async function setWebhook(call: LocalCall): Promise<Envelope> {
    const { bot, params } = call;
    if (textParam(params.url).trim() === '') return deleteWebhook(call);
    const asked = await readWebhook(params);
    const receiver = receiverOf(call);
    const before = await webhooks.get(bot.id, receiver.reader);
    const asksToDrop = flag(params.drop_pending_updates);
    const drops = asksToDrop && !keepsPending(call);
    const isNew = !(
      receiver.isForwarding &&
      receiver.url === asked.url &&
      receiver.secret === asked.secret &&
      before !== undefined &&
      hasOptions(before, asked.options)
    );
    if (!isNew && !asksToDrop) return success(true, 'Webhook is already set');
    const dropped = drops ? await pendingOf(call, receiver) : 0;
    try {
      if (isNew || drops) await receiver.setWebhook(asked, { isNew, drops });
    } catch (error) {
      if (error instanceof RelayError && error.code === 'invalid_request') {
        const isForbidden = error.details?.some((one) => one.reason_code === 'address_not_allowed');
        const why = isForbidden
          ? 'this relay does not allow the address (setting RELAY_BACKENDS)'
          : error.message;
        return badRequest(`bad webhook: ${why}`);
      }
      throw error;
    }
    await noteDropped(call, 'setWebhook', dropped);
    return success(true, 'Webhook was set');
  }

  async function deleteWebhook(call: LocalCall): Promise<Envelope> {
    const receiver = receiverOf(call);
    const drops = flag(call.params.drop_pending_updates) && !keepsPending(call);
    const dropped = drops ? await pendingOf(call, receiver) : 0;
    const wasSet = await receiver.deleteWebhook(drops);
    await noteDropped(call, 'deleteWebhook', dropped);
    return success(true, wasSet ? 'Webhook was deleted' : 'Webhook is already deleted');
  }

  async function pendingOf({ bot }: LocalCall, receiver: Receiver): Promise<number> {
    if (!receiver.isForwarding) return receiver.pending();
    return Math.max(0, (await webhooks.situation(bot.id, receiver.reader)).pending);
  }

  async function noteDropped(
    { bot, app }: LocalCall,
    method: DroppedUpdates['method'],
    count: number,
  ): Promise<void> {
    if (count > 0) await deps.noteDropped({ botId: bot.id, app: app?.name, method, count });
  }

  async function getWebhookInfo(call: LocalCall): Promise<Envelope> {
    const { bot } = call;
    const receiver = receiverOf(call);
    if (!receiver.isForwarding) {
      return success({
        url: '',
        has_custom_certificate: false,
        pending_update_count: await receiver.pending(),
      });
    }
    const webhook = await webhooks.get(bot.id, receiver.reader);
    // Without setWebhook every kind is delivered, while a missing list would mean the default
    // kinds.
    const allowed = webhook ? webhook.allowedUpdates : updateKinds;
    const { pending, lastErrorAt, lastError } = await webhooks.situation(bot.id, receiver.reader);
    const { hostname = '' } = URL.parse(receiver.url) ?? {};
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return success({
      url: receiver.url,
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

  /**
   * Answers logOut and close. Passed through, either would take the bot away from the relay and all
   * its clients.
   */
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

const keepsPending = ({ bot, app }: LocalCall): boolean => (app ?? bot).keep_pending;

/** The consumer that a client polls with; '' is the one that bot libraries use. */
function consumerOf({ bot, app, params }: LocalCall): string {
  const given = textParam(params.consumer);
  // Retention waits for an app without a token only while the bot's own clients may poll.
  if (!app?.hasToken && !bot.long_poll_enabled) {
    const orToken = app ? `; or give app ${app.name} a token with POST /api/bots/apps/rotate` : '';
    // The status is not 409: libraries take that for a webhook and remove it.
    throw new EarlyReply(
      failure(
        403,
        `Forbidden: getUpdates is off for bot ${bot.id} in the relay; turn on "Let apps call getUpdates" in its settings, or long_poll_enabled with POST /api/bots/update${orToken}`,
      ),
    );
  }
  if (app) {
    if (given === '' || given === app.name) return app.name;
    throw new EarlyReply(badRequest(`consumer must be left out or ${app.name} for this app`));
  }
  if (isConsumerName(given)) return given;
  throw new EarlyReply(badRequest('consumer must be at most 64 of A-Z a-z 0-9 _ . -'));
}

import type { Clock } from '../../clock.ts';
import type { AppRecord } from '../../core/apps/app.ts';
import { pushReader, readerOf } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { Pullers } from '../../relay/pull/pullers.ts';
import type { AppChange } from '../../store/apps/app-changes.ts';
import type { BotPatch, BotRecord } from '../../store/bots/bots.ts';
import type { WebhookOptions, WebhookRemoval } from '../../store/delivery/webhooks.ts';
import type { Store } from '../../store/store.ts';
import type { AskedWebhook } from './webhook-params.ts';

/** The queue that a call is about, of the bot itself or of an app. A call never changes another queue. */
export interface Receiver {
  /** The name of the reader under which its backend is stored. */
  reader: string;
  isForwarding: boolean;
  url: string;
  secret: string;
  /** Throws invalid_request. `isNew` is false if only pending updates are dropped. */
  setWebhook(asked: AskedWebhook, how: { isNew: boolean; drops: boolean }): Promise<unknown>;
  /** Returns false if there was no webhook. */
  deleteWebhook(drops: boolean): Promise<boolean>;
  /** The number of updates that wait while there is no webhook. */
  pending(): Promise<number>;
}

export interface ReceiverDeps {
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
  /** Changes an app in the same way. */
  changeApp(appId: number, change: AppChange): Promise<unknown>;
  /** Drops pending updates. */
  dropPush(botId: number): Promise<void>;
  /** Records that a client dropped updates. */
  noteDropped(dropped: DroppedUpdates): Promise<unknown>;
}

export interface DroppedUpdates {
  botId: number;
  /** Undefined for the default app. */
  app: string | undefined;
  method: 'setWebhook' | 'deleteWebhook';
  count: number;
}

export function botReceiver(
  { pullers, store, clock, ...deps }: ReceiverDeps,
  bot: BotRecord,
): Receiver {
  return {
    reader: pushReader,
    isForwarding: bot.proxy_enabled,
    url: bot.backend_url,
    secret: bot.secret_token,
    setWebhook({ url, secret, options }, { isNew, drops }) {
      if (!isNew) return deps.dropPush(bot.id);
      const patch = { backend_url: url, proxy_enabled: true, secret_token: secret };
      return deps.updateBot(bot.id, patch, {
        ...options,
        ...(drops ? { dropsPending: true } : {}),
      });
    },
    async deleteWebhook(drops) {
      if (bot.proxy_enabled || bot.backend_url !== '') {
        const patch = { backend_url: '', proxy_enabled: false };
        await deps.updateBot(bot.id, patch, { isRemoved: true, dropsPending: drops });
        return true;
      }
      if (drops) {
        await deps.dropPush(bot.id);
        await pullers.drop(bot.id);
      }
      return false;
    },
    async pending() {
      const polled = await pullers.pending(bot.id);
      return polled ?? store.webhooks.unasked(bot.id, pushReader, clock.now());
    },
  };
}

export function appReceiver({ pullers, changeApp }: ReceiverDeps, app: AppRecord): Receiver {
  return {
    reader: readerOf('push', app.name),
    isForwarding: app.mode === 'webhook',
    url: app.backend_url,
    secret: app.secret_token,
    async setWebhook({ url, secret, options }, { drops }) {
      // The administrator set this app to receive nothing.
      if (app.mode === 'send') {
        throw new RelayError('app_forbidden', reason('app_sends', { app: app.name }));
      }
      await changeApp(app.id, {
        patch: { mode: 'webhook', backend_url: url, secret_token: secret },
        options,
        dropsPending: drops,
      });
    },
    async deleteWebhook(drops) {
      if (app.mode === 'webhook') {
        await changeApp(app.id, { patch: { mode: 'poll', backend_url: '' }, dropsPending: drops });
        return true;
      }
      if (drops && app.mode === 'poll') await pullers.drop(app.bot_id, app.name);
      return false;
    },
    pending: async () => (await pullers.pending(app.bot_id, app.name)) ?? 0,
  };
}

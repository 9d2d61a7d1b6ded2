import type { Update } from '@grammyjs/types';
import type { Dispatcher } from 'undici';
import { conflict } from '../api-error.ts';
import type { SandboxClock } from '../clock.ts';
import type { Call, Transport } from '../methods/call.ts';
import type { BotRecord, UpdateKind } from '../world/bot-records.ts';
import type { World } from '../world/world.ts';
import { readAllowedUpdates } from './kinds.ts';
import { createPolling } from './polling.ts';
import { enqueue, isWanted } from './queue.ts';
import { startWebhook, type WebhookDelivery } from './webhook.ts';

export interface TransportOptions {
  world: World;
  /** The real clock. */
  callersClock: SandboxClock;
  dispatcher: Dispatcher;
  execute(bot: BotRecord, contentType: string, body: Buffer): Promise<void>;
}

export interface BotTransport extends Transport {
  publish<K extends UpdateKind>(
    bot: BotRecord,
    kind: K,
    payload: () => NonNullable<Update[K]>,
    queue: string,
  ): void;
  isPolled(botId: number): boolean;
  stop(): void;
}

/** Delivers a bot's updates: to a queue read by getUpdates, or to its webhook. */
export function createTransport(options: TransportOptions): BotTransport {
  const { world, callersClock, dispatcher, execute } = options;
  const polling = createPolling(world.clock, callersClock);
  const webhooks = new Map<number, WebhookDelivery>();

  function stopWebhook(bot: BotRecord): void {
    webhooks.get(bot.id)?.stop();
    webhooks.delete(bot.id);
  }

  return {
    publish(bot, kind, payload, queue) {
      if (!isWanted(bot, kind)) return;
      const update = enqueue({
        bot,
        kind,
        payload: payload(),
        queue,
        now: world.now(),
        random: world.random,
        limit: world.limits.updatesPerBot,
      });
      const delivery = webhooks.get(bot.id);
      if (delivery) delivery.add(update);
      else polling.wake(bot);
    },
    getUpdates(call: Call) {
      const { params } = call;
      return polling.getUpdates(call.bot, {
        offset: params.integer('offset'),
        limit: params.integer('limit', 100, 1, 100),
        timeoutSeconds: params.integer('timeout', 0, 0, 50),
        ...(params.has('allowed_updates') && {
          allowedUpdates: { value: readAllowedUpdates(params.json('allowed_updates')) },
        }),
        signal: call.signal,
      });
    },
    setWebhook(bot) {
      stopWebhook(bot);
      const delivery = startWebhook(bot, {
        clock: world.clock,
        random: world.random,
        dispatcher,
        execute: (target, contentType, body) =>
          // If a method call in the response fails, the delivery still succeeded.
          execute(target, contentType, body).catch(() => undefined),
      });
      webhooks.set(bot.id, delivery);
    },
    deleteWebhook: stopWebhook,
    stopPolling: (bot, reason) => polling.terminate(bot.id, conflict(reason)),
    isPolled: (botId) => polling.isWaiting(botId),
    stop() {
      polling.stop();
      for (const delivery of webhooks.values()) delivery.stop();
      webhooks.clear();
    },
  };
}

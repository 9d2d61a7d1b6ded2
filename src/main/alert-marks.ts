/* Records on open alerts what people do about them, wherever they do it: page, API, CLI or chat. */
import type { Caller } from '../core/access/access.ts';
import type { AlertAction } from '../core/alerts/alerts.ts';
import { defaultApp } from '../core/apps/app.ts';
import type { BotService } from '../manage/bots/bots.ts';
import type { DeliveryService } from '../relay/delivery/delivery-service.ts';

/** Never fails, because the action itself succeeded. */
export type Acted = (
  caller: Caller,
  what: { action: AlertAction; botId: number; app?: string },
) => Promise<void>;

/** A call of the backend counts as a retry, because it ends the alert if the backend answers. */
export function markDeliveries(service: DeliveryService, acted: Acted): DeliveryService {
  return {
    ...service,
    async check(caller, botId, deliver, app = defaultApp) {
      const result = await service.check(caller, botId, deliver, app);
      await acted(caller, { action: 'retry', botId, app });
      return result;
    },
    async retryNow(caller, botId, queue, app = defaultApp) {
      const queues = await service.retryNow(caller, botId, queue, app);
      await acted(caller, { action: 'retry', botId, app });
      return queues;
    },
    async replay(caller, request) {
      const queued = await service.replay(caller, request);
      const { app = defaultApp, bot_id: botId } = request;
      await acted(caller, { action: 'replay', botId, app });
      return queued;
    },
  };
}

export function markBots(service: BotService, acted: Acted): BotService {
  return {
    ...service,
    async toggleDisabled(caller, botId) {
      const bot = await service.toggleDisabled(caller, botId);
      if (bot.disabled) return bot;
      await acted(caller, { action: 'enable_bot', botId });
      await acted(caller, { action: 'enable_target', botId });
      return bot;
    },
  };
}

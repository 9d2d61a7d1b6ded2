import type { QueueSettings } from '../../core/log/reader-queues.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { DeliveryTarget } from './delivery-executor.ts';

/** The settings of a bot that push needs. */
export type PushBot = Pick<
  BotRecord,
  'id' | 'backend_url' | 'secret_token' | 'proxy_enabled' | 'disabled'
> &
  QueueSettings &
  Pick<DeliveryTarget, 'app'>;

/** A reader of a bot, with the bot as this reader delivers it. */
export interface PushTarget {
  reader: string;
  bot: PushBot;
}

export function forwards(bot: PushBot): boolean {
  return bot.proxy_enabled && !bot.disabled && bot.backend_url !== '';
}

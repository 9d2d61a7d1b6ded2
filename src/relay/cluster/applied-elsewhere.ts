import type { Clock } from '../../clock.ts';
import type { BotRepository } from '../../store/bots/bots.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';
import { askOthers } from './ask-others.ts';

interface AppliedElsewhereOptions {
  bots: Pick<BotRepository, 'get'>;
  notifications: Notifications;
  clock: Clock;
}

/**
 * Waits until the node that runs the bot has applied the stored settings. Whatever they end, such
 * as forwarding, has then ended there. A node that does not answer delays the change by a few
 * seconds only.
 */
export async function appliedElsewhere(
  { bots, ...others }: AppliedElsewhereOptions,
  botId: number,
  closing: AbortSignal,
): Promise<void> {
  await askOthers(
    others,
    {
      ask: () => others.notifications.publish('bot', { botId }),
      answer: 'applied',
      // The answer may be about an earlier change.
      isEnough: async (said) =>
        said.botId === botId && (await bots.get(botId))?.updated_at === said.updatedAt,
      times: 3,
    },
    closing,
  );
}

import type { Clock } from '../../clock.ts';
import type { BotRepository } from '../../store/bots/bots.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';

interface AppliedElsewhereOptions {
  bots: Pick<BotRepository, 'get'>;
  notifications: Notifications;
  clock: Clock;
}

const askEveryMs = 1_000;
const asks = 3;

/**
 * Waits until the node that runs the bot works by the settings stored by now: what they end, such as
 * forwarding, has then ended there. A node that does not answer delays the change by a few seconds only.
 */
export async function appliedElsewhere(
  { bots, notifications, clock }: AppliedElsewhereOptions,
  botId: number,
  closing: AbortSignal,
): Promise<void> {
  const heard = new AbortController();
  const ended = AbortSignal.any([heard.signal, closing]);
  const unsubscribe = notifications.subscribe('applied', (said) => {
    if (said.botId !== botId) return;
    // It may tell of an earlier change.
    bots.get(botId).then(
      (bot) => bot?.updated_at === said.updatedAt && heard.abort(),
      () => {},
    );
  });
  for (let asked = 0; asked < asks && !ended.aborted; asked++) {
    notifications.publish('bot', { botId });
    await clock.sleep(askEveryMs, ended).catch(() => {});
  }
  unsubscribe();
}

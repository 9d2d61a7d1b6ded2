import type { Clock } from '../../clock.ts';
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { Store } from '../../store/store.ts';

/** A channel that failed is tried again with the first alert after this time. */
const coolDownMs = 10 * 60_000;

/** Finds the channels that cannot be used at the moment, and why. */
export async function brokenChannels(
  { clock, store }: { clock: Clock; store: Pick<Store, 'bots' | 'runtime'> },
  channels: readonly AlertChannel[],
): Promise<ReadonlyMap<number, Reason>> {
  const now = clock.now();
  const botIds = [...new Set(channels.map(({ bot_id }) => bot_id).filter((id) => id !== 0))];
  const [bots, states] = await Promise.all([store.bots.list(botIds), store.runtime.get(botIds)]);
  const disabled = new Set(bots.filter((bot) => bot.disabled).map(({ id }) => id));
  const refused = new Set(
    states
      .filter(({ state, lastError }) => state === 'refused' && isTokenRefused(lastError))
      .map(({ botId }) => botId),
  );
  const broken = new Map<number, Reason>();
  for (const { id, bot_id, error, failedAt } of channels) {
    if (disabled.has(bot_id)) broken.set(id, reason('alert_bot_disabled', { bot_id }));
    else if (refused.has(bot_id)) broken.set(id, reason('alert_bot_refused', { bot_id }));
    else if (error !== '' && now - failedAt < coolDownMs) {
      broken.set(id, unpackReason(error).detail ?? reason('verbatim', { text: error }));
    }
  }
  return broken;
}

const isTokenRefused = (lastError: string) =>
  unpackReason(lastError).detail?.code === 'intake_token_refused';

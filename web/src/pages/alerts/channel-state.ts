import type { AlertChannel } from '../../api/alerts.ts';
import type { Bot } from '../../api/client/types.ts';
import { conditionOf } from '../../shared/bot-condition.ts';

export const channelTones = {
  disabled: 'idle',
  botDisabled: 'bad',
  botStopped: 'bad',
  failing: 'bad',
  unused: 'idle',
  ok: 'ok',
} as const;

/** Returns the known state: a channel that nothing was sent to is neither good nor bad. */
export function channelState(
  channel: Pick<AlertChannel, 'disabled' | 'error' | 'sent_at'>,
  bot: Bot | undefined,
): keyof typeof channelTones {
  if (channel.disabled) return 'disabled';
  if (bot?.disabled) return 'botDisabled';
  if (bot && conditionOf(bot) === 'stuck') return 'botStopped';
  if (channel.error !== '') return 'failing';
  return channel.sent_at === '' ? 'unused' : 'ok';
}

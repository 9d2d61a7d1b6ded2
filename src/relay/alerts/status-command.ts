import type { Clock } from '../../clock.ts';
import { type AlertChannel, wants } from '../../core/alerts/alert-channel.ts';
import type { PayloadFacts } from '../../core/apps/filter-facts.ts';
import { alertAuthor } from '../../core/messages/author.ts';
import { topicParam } from '../../core/messages/topics.ts';
import type { Store } from '../../store/store.ts';
import { statusMessage } from './alert-message.ts';

const statusEveryMs = 3_000;
const mostShown = 1_000;

/**
 * Answers `/status` with the open alerts of a channel, to everyone in its chat: they see its alerts
 * anyway.
 */
export function createStatusCommand(deps: {
  clock: Clock;
  store: Pick<Store, 'alertLog' | 'outbox'>;
  onQueued(botIds: ReadonlySet<number>): void;
}) {
  const { clock, store } = deps;
  const answeredAt = new Map<number, number>();

  return async (
    channel: AlertChannel,
    facts: PayloadFacts,
    position: number,
    username: string,
  ): Promise<void> => {
    const [command, name] = /^\/status(?:@(\w+))?\s*$/.exec(facts.text) ?? [];
    if (command === undefined) return;
    if (name !== undefined && name.toLowerCase() !== username) return;
    const last = answeredAt.get(channel.id) ?? Number.NEGATIVE_INFINITY;
    if (clock.monotonic() - last < statusEveryMs) return;
    answeredAt.set(channel.id, clock.monotonic());
    const { bot_id: botId, bot_ids: botIds, chat_id: chatId, kinds, min_severity } = channel;
    const open = await store.alertLog.list({
      botIds: botIds.length === 0 ? null : botIds,
      kinds,
      minSeverity: min_severity,
      state: 'open',
      isBySeverity: true,
      limit: mostShown,
    });
    await store.outbox.enqueue(
      {
        botId,
        chatId,
        method: 'sendMessage',
        params: {
          chat_id: chatId,
          ...topicParam(facts.threadId ?? 0),
          ...statusMessage(open.filter((alert) => wants(channel, alert))),
        },
        origin: 'sent',
        intentKey: `alert:status:${botId}:${position}`,
        priority: 'interactive',
        author: alertAuthor,
      },
      clock.now(),
    );
    deps.onQueued(new Set([botId]));
  };
}

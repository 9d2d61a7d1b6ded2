import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';

export interface PredictDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  /** True if the bot was ever in the chat. */
  knowsChat(botId: number, chatId: number): Promise<boolean>;
  /** True if Telegram said that the bot cannot write into the topic. */
  isTopicGone(botId: number, chatId: number, threadId: number): Promise<boolean>;
}

/**
 * Predicts what will keep a routed message from arriving, or return it to its writer; null if
 * nothing can be predicted. `chatId` is the source chat, 0 if any.
 */
export async function predictObstacles(
  { bots, isTopicGone, knowsChat }: PredictDeps,
  sourceBotId: number,
  route: { target_bot_id: number; target_chat_id: number; target_thread_id: number },
  chatId: number,
): Promise<Reason | null> {
  const { target_bot_id: botId, target_chat_id: targetChatId, target_thread_id: topic } = route;
  const target = await bots.get(botId);
  if (!target) return reason('not_sent_gone');
  if (target.disabled) return reason('not_sent_disabled');
  const isSameChat = targetChatId === 0 || targetChatId === chatId;
  if (isSameChat && botId === sourceBotId) return reason('returns_to_chat');
  const arrivalChatId = targetChatId || chatId;
  if (arrivalChatId === 0) {
    return reason('arrives_if_started', { bot_id: botId });
  }
  if (topic !== 0 && (await isTopicGone(botId, arrivalChatId, topic))) {
    return reason('target_topic_gone', { bot_id: botId, message_thread_id: topic });
  }
  if (await knowsChat(botId, arrivalChatId)) return null;
  return arrivalChatId > 0
    ? reason('bot_not_started', { bot_id: botId })
    : reason('bot_not_seen', { bot_id: botId, chat_id: arrivalChatId });
}

import type { BotRecord } from '../../store/bots/bots.ts';

export interface PredictDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  /** Whether the bot was ever in the chat. */
  knowsChat(botId: number, chatId: number): Promise<boolean>;
}

/**
 * What will keep a routed message from arriving, or makes it come back to its writer; '' for
 * nothing that can be told beforehand. `chatId` is where it comes from, 0 where that is open.
 */
export async function predictObstacles(
  { bots, knowsChat }: PredictDeps,
  sourceBotId: number,
  route: { target_bot_id: number; target_chat_id: number },
  chatId: number,
): Promise<string> {
  const { target_bot_id: botId, target_chat_id: targetChatId } = route;
  const target = await bots.get(botId);
  if (!target) return 'not sent: the target bot is gone';
  if (target.disabled) return 'not sent: the target bot is disabled';
  const isSameChat = targetChatId === 0 || targetChatId === chatId;
  if (isSameChat && botId === sourceBotId) return 'It goes back into the chat it came from.';
  const arrivalChatId = targetChatId || chatId;
  if (arrivalChatId === 0) {
    return `In a private chat it arrives only if the person has started bot ${botId}; in a group, only if bot ${botId} is a member.`;
  }
  if (await knowsChat(botId, arrivalChatId)) return '';
  return arrivalChatId > 0
    ? `It will not arrive: this person has not started bot ${botId}.`
    : `It may not arrive: bot ${botId} was not seen in chat ${arrivalChatId}.`;
}

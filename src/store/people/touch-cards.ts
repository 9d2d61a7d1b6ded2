import { raw, type Step } from '../engine.ts';

/**
 * What the pinned cards of a customer show has changed, at one bot or at all; they are edited soon.
 * Cards that are marked already are marked again: on PostgreSQL, a refresh that is not committed yet
 * may have read what they showed before.
 */
export function* touchCards(chatId: number, botId = 0): Step<void> {
  yield* raw(
    `update desk_topics set card_stale = 1
     where chat_id = $1 and card_id > 0 and (bot_id = $2 or $2 = 0)`,
    [chatId, botId],
  );
}

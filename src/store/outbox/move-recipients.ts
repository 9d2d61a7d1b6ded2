import { raw, type Step } from '../engine.ts';

/** Sends the rest of a broadcast to the ID that a group has since it is a supergroup. */
export function* moveRecipients(botId: number, fromChatId: number, toChatId: number): Step<void> {
  yield* raw(
    `update broadcast_recipients set chat_id = $1
     where chat_id = $2 and state = 'waiting'
       and broadcast_id in (select id from broadcasts where bot_id = $3)
       and not exists (select 1 from broadcast_recipients other
         where other.broadcast_id = broadcast_recipients.broadcast_id and other.chat_id = $1)`,
    [toChatId, fromChatId, botId],
  );
}

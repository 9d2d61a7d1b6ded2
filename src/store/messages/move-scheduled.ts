import { raw, type Step } from '../engine.ts';

/** Moves what is scheduled for a group to the ID that the group has since it is a supergroup. */
export function* moveScheduledSends(
  { botId, fromChatId, toChatId }: { botId: number; fromChatId: number; toChatId: number },
  nowMs: number,
): Step<void> {
  const rows = yield* raw<{ id: number; params: string; following: string; request: string }>(
    `select id, params, following, request from outbox
     where state = 'scheduled' and bot_id = $1 and chat_id = $2`,
    [botId, fromChatId],
  );
  const there = (params: object) => ({ ...params, chat_id: toChatId });
  for (const { id, params, following, request } of rows) {
    yield* raw(
      `update outbox set chat_id = $2, params = $3, following = $4, request = $5, updated_at = $6
       where id = $1`,
      [
        id,
        toChatId,
        JSON.stringify(there(JSON.parse(params))),
        following && JSON.stringify((JSON.parse(following) as object[]).map(there)),
        request && JSON.stringify(there(JSON.parse(request))),
        nowMs,
      ],
    );
  }
}

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

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

import { raw, type Step } from '../engine.ts';

/** Takes out of the queue what was to be done in topics of customers who are no longer the desk's. */
export function* withdrawSteps(
  ofDesk: 'desk_id' | 'bot_id',
  id: number,
  chatId?: number,
): Step<void> {
  const some = chatId === undefined ? '' : 'and chat_id = $2';
  yield* raw(
    `delete from outbox where state = 'queued' and intent_key in (
       select doing from desk_topics where ${ofDesk} = $1 ${some} and doing <> '')`,
    chatId === undefined ? [id] : [id, chatId],
  );
}

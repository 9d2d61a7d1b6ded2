/* Queues the sends of a broadcast, a few at a time. */
import { broadcastCall, broadcastKey } from '../../core/messages/broadcast.ts';
import { raw, type Step } from '../engine.ts';
import { excluded } from './broadcast-audience.ts';
import type { BroadcastRecord } from './broadcast-rows.ts';
import { enqueueIntent } from './outbox.ts';

interface Fed {
  queued: number;
  /** The last chat of a task on what was sent. */
  passed: number;
  /** Nothing is left to be queued. */
  isLast: boolean;
}

/** Queues the next sends. Who opted out or was found to be gone since the start is left out. */
export function* feed(
  broadcast: BroadcastRecord,
  passed: number,
  wanted: number,
  nowMs: number,
): Step<Fed> {
  const { botId, counts, id, task, taskNumber } = broadcast;
  if (wanted === 0) return { queued: 0, passed, isLast: false };
  let queued = 0;
  if (task === 'send') {
    const rows = yield* raw<{ chatId: number; isOut: number | null; mark: string | null }>(
      `select r.chat_id as "chatId", case when ${excluded} then 1 else 0 end as "isOut",
         (select m.mark from broadcast_marks m where m.bot_id = $2 and m.chat_id = r.chat_id) as mark
       from broadcast_recipients r left join chats c on c.bot_id = $2 and c.chat_id = r.chat_id
       where r.broadcast_id = $1 and r.state = 'waiting' order by r.chat_id limit $3`,
      [id, botId, wanted],
    );
    for (const { chatId, isOut, mark } of rows) {
      const out = mark === 'opted_out' ? 'opted_out' : chatId > 0 ? 'blocked' : 'gone';
      const sendId = isOut ? 0 : yield* enqueue(broadcast, chatId, 0, nowMs);
      const state = isOut ? out : 'queued';
      yield* raw(
        `update broadcast_recipients set state = $3, send_id = $4, updated_at = $5
         where broadcast_id = $1 and chat_id = $2`,
        [id, chatId, state, sendId, nowMs],
      );
      counts.waiting--;
      counts[state]++;
      if (!isOut) queued++;
    }
    broadcast.inOutbox += queued;
    // Chats may have been forgotten since they were counted.
    if (rows.length === 0) counts.waiting = 0;
    return { queued, passed, isLast: rows.length < wanted };
  }
  const rows = yield* raw<{ chatId: number; messageId: number }>(
    `select chat_id as "chatId", message_id as "messageId" from broadcast_recipients
     where broadcast_id = $1 and state = 'sent' and chat_id > $2
       and (task_number < $3 or task_state = '')
     order by chat_id limit $4`,
    [id, passed, taskNumber, wanted],
  );
  for (const { chatId, messageId } of rows) {
    const sendId = yield* enqueue(broadcast, chatId, messageId, nowMs);
    yield* raw(
      `update broadcast_recipients set task_number = $3, task_state = 'queued', task_error = '',
         send_id = $4, updated_at = $5 where broadcast_id = $1 and chat_id = $2`,
      [id, chatId, taskNumber, sendId, nowMs],
    );
    queued++;
  }
  broadcast.inOutbox += queued;
  return { queued, passed: rows.at(-1)?.chatId ?? passed, isLast: rows.length < wanted };
}

function* enqueue(
  broadcast: BroadcastRecord,
  chatId: number,
  messageId: number,
  nowMs: number,
): Step<number> {
  const { author, botId, id, taskNumber } = broadcast;
  const intentKey = broadcastKey(id, taskNumber, chatId);
  const call = broadcastCall(broadcast, chatId, messageId);
  const intent = { botId, chatId, origin: 'sent', priority: 'broadcast', intentKey } as const;
  const sendId = yield* enqueueIntent(
    { ...intent, ...call, author: { kind: 'broadcast', id, name: author.name } },
    nowMs,
  );
  if (sendId !== undefined) return sendId;
  const [row] = yield* raw<{ id: number }>('select id from outbox where intent_key = $1', [
    intentKey,
  ]);
  return row?.id ?? 0;
}

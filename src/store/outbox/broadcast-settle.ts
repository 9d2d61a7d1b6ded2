/* Records how the sends of a broadcast ended, and takes back those that wait. */
import type { RecipientState } from '../../core/messages/broadcast.ts';
import { changes, raw, type Step } from '../engine.ts';
import { type BroadcastRecord, type BroadcastRow, readBroadcast } from './broadcast-rows.ts';

/** How the send to a chat ended. */
export interface BroadcastOutcome {
  chatId: number;
  state: Exclude<RecipientState, 'queued' | 'opted_out'>;
  messageId: number;
  error: string;
}

/** Records how sends ended, also in the counts of the broadcast. */
export function* settle(
  broadcast: BroadcastRecord,
  outcomes: readonly BroadcastOutcome[],
  nowMs: number,
): Step<void> {
  const { botId, counts, id, task, taskCounts } = broadcast;
  for (const { chatId, error, messageId, state } of outcomes) {
    if (task !== 'send') {
      const ended = state === 'sent' ? 'done' : state === 'unknown' ? 'unknown' : 'failed';
      const settled = yield* changes(
        `update broadcast_recipients set task_state = $3, task_error = $4, updated_at = $5
         where broadcast_id = $1 and chat_id = $2 and task_state = 'queued'`,
        [id, chatId, ended, error, nowMs],
      );
      taskCounts[ended] += settled;
      broadcast.inOutbox -= settled;
      continue;
    }
    const settled = yield* changes(
      `update broadcast_recipients set state = $3, message_id = $4, error = $5, updated_at = $6
       where broadcast_id = $1 and chat_id = $2 and state = 'queued'`,
      [id, chatId, state, messageId, error, nowMs],
    );
    counts.queued -= settled;
    broadcast.inOutbox -= settled;
    counts[state] += settled;
    if (state !== 'blocked' && state !== 'gone') continue;
    yield* raw(
      `insert into broadcast_marks (bot_id, chat_id, mark, at) values ($1, $2, $3, $4)
       on conflict (bot_id, chat_id) do update set at = excluded.at,
         mark = case when broadcast_marks.mark = 'opted_out' then 'opted_out' else excluded.mark end`,
      [botId, chatId, state, nowMs],
    );
  }
}

/** Takes what is still queued out of the outbox; what is being sent ends. */
export function* takeBackQueued(row: BroadcastRow, nowMs: number): Step<void> {
  const { counts, taskNumber } = readBroadcast(row);
  const isTask = row.task !== 'send';
  const taken = yield* raw<{ chatId: number }>(
    `delete from outbox where state = 'queued' and id in (
       select send_id from broadcast_recipients where broadcast_id = $1
         and ${isTask ? `task_state = 'queued' and task_number = $2` : `state = 'queued'`})
     returning chat_id as "chatId"`,
    isTask ? [row.id, taskNumber] : [row.id],
  );
  for (const { chatId } of taken) {
    yield* raw(
      `update broadcast_recipients set ${isTask ? 'task_state' : 'state'} = $3, send_id = 0,
         updated_at = $4 where broadcast_id = $1 and chat_id = $2`,
      [row.id, chatId, isTask ? '' : 'waiting', nowMs],
    );
  }
  if (!isTask) {
    counts.queued -= taken.length;
    counts.waiting += taken.length;
  }
  const first = Math.min(row.passed_chat, ...taken.map(({ chatId }) => chatId - 1));
  yield* raw(
    `update broadcasts set counts = $2, in_outbox = in_outbox - $3, passed_chat = $4 where id = $1`,
    [row.id, JSON.stringify(counts), taken.length, isTask ? first : row.passed_chat],
  );
}

/* Records how the sends of a broadcast ended, and takes back those that wait. */
import { broadcastKey, type RecipientState } from '../../core/messages/broadcast.ts';
import { changes, raw, type Step } from '../engine.ts';
import { type BroadcastRecord, type BroadcastRow, readBroadcast } from './broadcast-rows.ts';

/** How the send to a chat ended. */
export interface BroadcastOutcome {
  chatId: number;
  /** `waiting` if Telegram refused the token, so that it refuses all others as well. */
  state: Exclude<RecipientState, 'queued' | 'opted_out'> | 'waiting';
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
    if (state === 'waiting') {
      yield* waitAgain(broadcast, chatId, nowMs);
      continue;
    }
    if (task !== 'send') {
      const ended = state === 'sent' ? 'done' : state === 'unknown' ? 'unknown' : 'failed';
      const settled = yield* changes(
        `update broadcast_recipients set task_state = $3, task_error = $4, updated_at = $5
         where broadcast_id = $1 and chat_id = $2 and task_state = 'queued'`,
        [id, chatId, ended, error, nowMs],
      );
      taskCounts[ended] += settled;
      continue;
    }
    const settled = yield* changes(
      `update broadcast_recipients set state = $3, message_id = $4, error = $5, updated_at = $6
       where broadcast_id = $1 and chat_id = $2 and state = 'queued'`,
      [id, chatId, state, messageId, error, nowMs],
    );
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

/** Forgets the send, so that the chat gets another one once the broadcast goes on. */
function* waitAgain(
  { counts, id, task, taskNumber }: BroadcastRecord,
  chatId: number,
  nowMs: number,
): Step<void> {
  yield* raw('delete from outbox where intent_key = $1', [broadcastKey(id, taskNumber, chatId)]);
  const [state, waits] = task === 'send' ? ['state', 'waiting'] : ['task_state', ''];
  const settled = yield* changes(
    `update broadcast_recipients set ${state} = $3, send_id = 0, updated_at = $4
     where broadcast_id = $1 and chat_id = $2 and ${state} = 'queued'`,
    [id, chatId, waits, nowMs],
  );
  if (task === 'send') counts.waiting += settled;
}

/** Counts what is in the outbox: chats that were forgotten meanwhile left without an outcome. */
export function* recount(broadcast: BroadcastRecord): Step<void> {
  const { id, task, taskNumber } = broadcast;
  const isTask = task !== 'send';
  const rows = yield* raw(
    `select chat_id from broadcast_recipients where broadcast_id = $1
       and ${isTask ? `task_state = 'queued' and task_number = $2` : `state = 'queued'`}`,
    isTask ? [id, taskNumber] : [id],
  );
  broadcast.inOutbox = rows.length;
  if (!isTask) broadcast.counts.queued = rows.length;
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

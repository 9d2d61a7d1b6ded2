/*
 * The steps by which a broadcast goes out. Each is one transaction of the node that runs the bot.
 *
 * Invariant: a recipient, its send in the outbox and the counts change together, so after a crash
 * each chat either waits or has one send, and the outbox knows what became of it.
 */
import {
  broadcastCall,
  broadcastKey,
  type RecipientState,
  tooManyBlocked,
} from '../../core/messages/broadcast.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { reason } from '../../core/reasons/reason.ts';
import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { requireEpoch } from '../cluster/leases.ts';
import { changes, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter } from '../sql/filter.ts';
import { audienceFilters, excluded } from './broadcast-audience.ts';
import { type BroadcastRecord, type BroadcastRow, readBroadcast } from './broadcast-rows.ts';
import { enqueueIntent } from './outbox.ts';
import type { OutboxState } from './outbox-record.ts';

/** A send of a broadcast in the outbox. */
export interface BroadcastSend {
  chatId: number;
  state: OutboxState;
  error: string;
  errorDetail: Reason | null;
  messageId: number;
  /** It was put off until then. */
  notBefore: number;
}

/** How the send to a chat ended. */
export interface BroadcastOutcome {
  chatId: number;
  state: Exclude<RecipientState, 'queued' | 'opted_out'>;
  messageId: number;
  error: string;
}

interface Running {
  id: number;
  botId: number;
  leaseEpoch: number;
}

export interface BroadcastSteps {
  /** Returns the sends of the running task that are not settled. */
  sends(broadcast: Pick<BroadcastRecord, 'id' | 'task' | 'taskNumber'>): Promise<BroadcastSend[]>;
  /** Adds a portion of the audience; true if all of it is there. */
  addAudience(running: Running, nowMs: number): Promise<boolean>;
  /**
   * Records outcomes, and queues sends until there are `most` in the outbox. Returns how many it
   * queued; undefined if the broadcast ended or paused.
   */
  advance(
    running: Running,
    outcomes: readonly BroadcastOutcome[],
    most: number,
    nowMs: number,
  ): Promise<number | undefined>;
}

/** Chat IDs have up to 52 bits. */
export const beforeAllChats = -(2 ** 52);
/** Chats looked at in one transaction, so that no writer waits long. */
const portion = 1_000;

export function createBroadcastSteps(engine: Engine): BroadcastSteps {
  const { dialect } = engine;
  const { lock } = wordsOf[dialect];

  function* lockOwn({ id, botId, leaseEpoch }: Running): Step<BroadcastRow | undefined> {
    yield* requireEpoch(dialect, botId, leaseEpoch);
    const [row] = yield* raw<BroadcastRow>(
      `select * from broadcasts where id = $1 ${lock('for update')}`,
      [id],
    );
    return row;
  }

  return {
    async sends({ id, task, taskNumber }) {
      const isQueued =
        task === 'send' ? `r.state = 'queued'` : `r.task_state = 'queued' and r.task_number = $2`;
      // A send that retention removed before anybody saw its outcome may have gone out.
      const rows = await engine.readRaw<Omit<BroadcastSend, 'errorDetail'>>(
        `select r.chat_id as "chatId", coalesce(o.state, 'unknown') as state,
           coalesce(o.error, '') as error, coalesce(o.message_id, 0) as "messageId",
           coalesce(o.not_before, 0) as "notBefore"
         from broadcast_recipients r left join outbox o on o.id = r.send_id
         where r.broadcast_id = $1 and ${isQueued} order by r.chat_id`,
        task === 'send' ? [id] : [id, taskNumber],
      );
      return rows.map((row) => ({ ...row, errorDetail: unpackReason(row.error).detail }));
    },

    addAudience: (running, nowMs) =>
      engine.write(function* () {
        const row = yield* lockOwn(running);
        if (!row || row.state !== 'running' || row.is_filled === 1) return true;
        const broadcast = readBroadcast(row);
        const window = yield* raw<{ chat_id: number }>(
          `select chat_id from chats where bot_id = $1 and chat_id > $2 order by chat_id limit $3`,
          [row.bot_id, row.passed_chat, portion],
        );
        const last = window.at(-1)?.chat_id ?? row.passed_chat;
        const { where, parameters } = filter([
          ...audienceFilters(dialect, { ...broadcast, nowMs }),
          ['c.chat_id > ? and c.chat_id <= ?', row.passed_chat, last],
          [`not ${excluded}`],
        ]);
        const added = yield* changes(
          `insert into broadcast_recipients (broadcast_id, chat_id, state, updated_at)
           select cast($${parameters.push(row.id)} as bigint), c.chat_id, 'waiting',
             cast($${parameters.push(nowMs)} as bigint)
           from chats c ${where}`,
          parameters,
        );
        broadcast.counts.waiting += added;
        const isFilled = window.length < portion;
        yield* raw(
          `update broadcasts set passed_chat = $2, is_filled = $3, counts = $4, updated_at = $5
           where id = $1`,
          [row.id, last, isFilled ? 1 : 0, JSON.stringify(broadcast.counts), nowMs],
        );
        return isFilled;
      }),

    advance: (running, outcomes, most, nowMs) =>
      engine.write(function* () {
        const row = yield* lockOwn(running);
        if (!row) return undefined;
        const broadcast = readBroadcast(row);
        yield* settle(broadcast, outcomes, nowMs);
        let { state, reason: why } = row;
        let queued = 0;
        let passed = row.passed_chat;
        if (state === 'running' && broadcast.task === 'send' && tooManyBlocked(broadcast)) {
          const { stop_at_blocked_percent: percent } = broadcast.options;
          state = 'paused';
          why = packReason(reason('too_many_blocked', { percent }));
        } else if (state === 'running') {
          const wanted = Math.max(0, most - broadcast.inOutbox);
          const fed = yield* feed(broadcast, passed, wanted, nowMs);
          queued = fed.queued;
          passed = fed.passed;
          if (fed.isLast && broadcast.inOutbox === 0) state = 'done';
        }
        yield* raw(
          `update broadcasts set state = $2, reason = $3, counts = $4, task_counts = $5,
             passed_chat = $6, in_outbox = $7, updated_at = $8, ended_at = $9 where id = $1`,
          [
            row.id,
            state,
            why,
            JSON.stringify(broadcast.counts),
            JSON.stringify(broadcast.taskCounts),
            passed,
            broadcast.inOutbox,
            nowMs,
            state === 'done' ? nowMs : row.ended_at,
          ],
        );
        if (state === 'paused' && row.state === 'running') {
          yield* takeBackQueued({ ...row, ...written(broadcast) }, nowMs);
        }
        return state === 'running' || broadcast.inOutbox > 0 ? queued : undefined;
      }),
  };
}

const written = ({ counts, inOutbox }: BroadcastRecord) => ({
  counts: JSON.stringify(counts),
  in_outbox: inOutbox,
});

/** Records how sends ended, also in the counts of the broadcast. */
function* settle(
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

interface Fed {
  queued: number;
  /** The last chat of a task on what was sent. */
  passed: number;
  /** Nothing is left to be queued. */
  isLast: boolean;
}

/** Queues the next sends. Who opted out or was found to be gone since the start is left out. */
function* feed(
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

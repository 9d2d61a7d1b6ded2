/*
 * The steps by which a broadcast goes out. Each is one transaction of the node that runs the bot.
 *
 * Invariant: a recipient, its send in the outbox and the counts change together, so after a crash
 * each chat either waits or has one send, and the outbox knows what became of it.
 */
import { tooManyBlocked } from '../../core/messages/broadcast.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { reason } from '../../core/reasons/reason.ts';
import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { requireEpoch } from '../cluster/leases.ts';
import { changes, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter } from '../sql/filter.ts';
import { audienceFilters, excluded } from './broadcast-audience.ts';
import { type BroadcastRecord, type BroadcastRow, readBroadcast } from './broadcast-rows.ts';
import { feed } from './broadcast-feed.ts';
import { type BroadcastOutcome, recount, settle, takeBackQueued } from './broadcast-settle.ts';
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

/** Chats looked at in one transaction, so that no writer waits long. */
const portion = 1_000;

/** What was canceled before it had listed its recipients goes to no more of them. */
export const needsAudience = ({ isFilled, state, task }: BroadcastRecord): boolean =>
  state === 'running' && task === 'send' && !isFilled;

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
        if (!row || !needsAudience(readBroadcast(row))) return true;
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
           from chats c ${where} on conflict do nothing`,
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
        yield* recount(broadcast);
        let { state, reason: why } = row;
        const refused = outcomes.filter((outcome) => outcome.state === 'waiting');
        const [first] = refused;
        let queued = 0;
        // A task goes through the chats in order, and returns to those that get another send.
        let passed = Math.min(row.passed_chat, ...refused.map(({ chatId }) => chatId - 1));
        if (state === 'running' && first) {
          state = 'paused';
          why = first.error;
        } else if (state === 'running' && broadcast.task === 'send' && tooManyBlocked(broadcast)) {
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
          yield* takeBackQueued({ ...row, ...written(broadcast), passed_chat: passed }, nowMs);
        }
        return state === 'running' || broadcast.inOutbox > 0 ? queued : undefined;
      }),
  };
}

const written = ({ counts, inOutbox }: BroadcastRecord) => ({
  counts: JSON.stringify(counts),
  in_outbox: inOutbox,
});

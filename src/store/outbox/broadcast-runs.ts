/* Starts, pauses and ends broadcasts, and the tasks on what they sent. */
import type { BroadcastState, BroadcastTask } from '../../core/messages/broadcast.ts';
import { packReason } from '../../core/reasons/stored.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import {
  beforeAllChats,
  type BroadcastRow,
  noTaskCounts,
  readBroadcast,
} from './broadcast-rows.ts';
import { takeBackQueued } from './broadcast-settle.ts';

export interface BroadcastRuns {
  /** Lists those that run or have sends in the outbox, on any node. */
  active(): Promise<{ id: number; botId: number }[]>;
  /**
   * Lets a draft or a paused one run, or a new task on what was sent; false if its state does not
   * allow it, `busy` if another one of the bot runs, `forgotten` if retention removed what was sent.
   */
  run(
    id: number,
    from: readonly BroadcastState[],
    nowMs: number,
    task?: { task: BroadcastTask; params: Record<string, unknown> },
  ): Promise<boolean | 'busy' | 'forgotten'>;
  /** Sends nothing more. What is being sent ends. False if its state does not allow it. */
  halt(id: number, to: 'paused' | 'canceled', nowMs: number, why?: Reason): Promise<boolean>;
  /** Pauses those whose bot is disabled. */
  pauseDisabled(nowMs: number): Promise<void>;
}

export function createBroadcastRuns(engine: Engine): BroadcastRuns {
  const { dialect } = engine;
  const { lock } = wordsOf[dialect];
  const one = (id: number): Step<BroadcastRow[]> =>
    raw<BroadcastRow>(`select * from broadcasts where id = $1 ${lock('for update')}`, [id]);

  function* knowsSent(id: number): Step<boolean> {
    const sent = yield* raw(
      `select 1 as one from broadcast_recipients where broadcast_id = $1 and state = 'sent' limit 1`,
      [id],
    );
    return sent.length > 0;
  }

  function* haltOne(
    row: BroadcastRow,
    to: 'paused' | 'canceled',
    nowMs: number,
    why?: Reason,
  ): Step<void> {
    if (row.state === 'running') yield* takeBackQueued(row, nowMs);
    yield* raw(
      `update broadcasts set state = $2, reason = $3, updated_at = $4,
         ended_at = case when $2 = 'canceled' then $4 else ended_at end
       where id = $1`,
      [row.id, to, why ? packReason(why) : '', nowMs],
    );
  }

  return {
    active: () =>
      engine.readRaw(
        `select id, bot_id as "botId" from broadcasts where state = 'running' or in_outbox > 0
         order by id`,
        [],
      ),
    run: (id, from, nowMs, task) =>
      engine.write(function* () {
        // Two of a bot that start at once wait for each other.
        yield* raw(
          `select id from broadcasts where bot_id = (select bot_id from broadcasts where id = $1)
           order by id ${lock('for update')}`,
          [id],
        );
        const [row] = yield* one(id);
        if (!row || !from.includes(row.state)) return false;
        const busy = yield* raw(
          `select id from broadcasts where bot_id = $1 and state = 'running' limit 1`,
          [row.bot_id],
        );
        if (busy.length > 0) return 'busy';
        const total = readBroadcast(row).counts.sent;
        if (task && total > 0 && !(yield* knowsSent(id))) return 'forgotten';
        yield* raw(
          `update broadcasts set state = 'running', reason = '', updated_at = $2,
             started_at = case when started_at = 0 then $2 else started_at end
           where id = $1`,
          [id, nowMs],
        );
        if (!task) return true;
        yield* raw(
          `update broadcasts set task = $2, task_number = task_number + 1, task_params = $3,
             task_counts = $4, passed_chat = $5 where id = $1`,
          [
            id,
            task.task,
            JSON.stringify(task.params),
            JSON.stringify({ ...noTaskCounts, total }),
            beforeAllChats,
          ],
        );
        return true;
      }),
    halt: (id, to, nowMs, why) =>
      engine.write(function* () {
        const [row] = yield* one(id);
        const from = to === 'paused' ? ['running'] : ['draft', 'running', 'paused'];
        if (!row || !from.includes(row.state)) return false;
        yield* haltOne(row, to, nowMs, why);
        return true;
      }),
    async pauseDisabled(nowMs) {
      await engine.write(function* () {
        const rows = yield* raw<BroadcastRow>(
          `select broadcasts.* from broadcasts join bots on bots.id = bot_id
           where state = 'running' and bots.disabled = 1 order by broadcasts.id
           ${lock('for update of broadcasts')}`,
          [],
        );
        for (const row of rows) {
          yield* haltOne(row, 'paused', nowMs, reason('bot_disabled', { bot_id: row.bot_id }));
        }
      });
    },
  };
}

import type {
  BroadcastOptions,
  BroadcastState,
  BroadcastTask,
  RecipientState,
} from '../../core/messages/broadcast.ts';
import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots } from '../sql/filter.ts';
import { insertInto } from '../sql/write-row.ts';
import { type Asked, audienceFilters, excluded } from './broadcast-audience.ts';
import {
  type BroadcastRecord,
  type BroadcastRow,
  noTaskCounts,
  readBroadcast,
  type RecipientRecord,
} from './broadcast-rows.ts';
import { beforeAllChats, takeBackQueued } from './broadcast-steps.ts';

export type NewBroadcast = Pick<
  BroadcastRecord,
  'botId' | 'name' | 'message' | 'audience' | 'options' | 'author' | 'recipients'
>;

export interface BroadcastRepository {
  add(broadcast: NewBroadcast, nowMs: number): Promise<number>;
  get(id: number): Promise<BroadcastRecord | undefined>;
  /** Newest first. */
  list(query: {
    botIds: readonly number[] | null;
    beforeId?: number | undefined;
    limit: number;
  }): Promise<BroadcastRecord[]>;
  /** Counts the chats that would get it, and those that are left out of the audience. */
  countAudience(asked: Asked): Promise<{ recipients: number; left_out: number }>;
  /** Lists those that run or have sends in the outbox, on any node. */
  active(): Promise<{ id: number; botId: number }[]>;
  /**
   * Lets a draft or a paused one run, or a new task on what was sent; false if its state does not
   * allow it, `busy` if another one of the bot runs.
   */
  run(
    id: number,
    from: readonly BroadcastState[],
    nowMs: number,
    task?: { task: BroadcastTask; params: Record<string, unknown> },
  ): Promise<boolean | 'busy'>;
  /** Sends nothing more. What is being sent ends. False if its state does not allow it. */
  halt(id: number, to: 'paused' | 'canceled', nowMs: number, why?: Reason): Promise<boolean>;
  /** Pauses those whose bot is disabled. */
  pauseDisabled(nowMs: number): Promise<void>;
  results(query: {
    id: number;
    state?: RecipientState | undefined;
    afterChat?: number | undefined;
    limit: number;
  }): Promise<RecipientRecord[]>;
  /** The words by which people opt out, by bot, and the answers to them. */
  optOuts(): Promise<{ botId: number; word: string; reply: string }[]>;
  /** False if it changes nothing. */
  mark(botId: number, chatId: number, isOut: boolean, nowMs: number): Promise<boolean>;
}

export function createBroadcastRepository(engine: Engine): BroadcastRepository {
  const { dialect } = engine;
  const { lock } = wordsOf[dialect];
  const one = (id: number): Step<BroadcastRow[]> =>
    raw<BroadcastRow>(`select * from broadcasts where id = $1 ${lock('for update')}`, [id]);

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
    async add({ botId, name, message, audience, options, author, recipients }, nowMs) {
      const [row] = await engine.write(() =>
        insertInto<{ id: number }>(
          'broadcasts',
          {
            bot_id: botId,
            name,
            state: 'draft',
            message: JSON.stringify(message),
            audience: JSON.stringify(audience),
            options: JSON.stringify(options),
            author: JSON.stringify(author),
            recipients,
            passed_chat: beforeAllChats,
            created_at: nowMs,
            updated_at: nowMs,
          },
          'returning id',
        ),
      );
      return (row as { id: number }).id;
    },
    async get(id) {
      const [row] = await engine.readRaw<BroadcastRow>('select * from broadcasts where id = $1', [
        id,
      ]);
      return row && readBroadcast(row);
    },
    async list({ botIds, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ofBots(dialect, botIds),
        beforeId !== undefined && ['id < ?', beforeId],
      ]);
      const rows = await engine.readRaw<BroadcastRow>(
        `select * from broadcasts ${where} order by id desc limit $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map(readBroadcast);
    },
    async countAudience(asked) {
      const { where, parameters } = filter(audienceFilters(dialect, asked));
      const [row] = await engine.readHeavy<{ all: number; out: number }>(
        `select count(*) as "all", coalesce(sum(case when ${excluded} then 1 else 0 end), 0) as "out"
         from chats c ${where}`,
        parameters,
      );
      const { all = 0, out = 0 } = row ?? {};
      return { recipients: Number(all) - Number(out), left_out: Number(out) };
    },
    active: () =>
      engine.readRaw(
        `select id, bot_id as "botId" from broadcasts where state = 'running' or in_outbox > 0
         order by id`,
        [],
      ),
    run: (id, from, nowMs, task) =>
      engine.write(function* () {
        const [row] = yield* one(id);
        if (!row || !from.includes(row.state)) return false;
        const busy = yield* raw(
          `select id from broadcasts where bot_id = $1 and state = 'running' limit 1`,
          [row.bot_id],
        );
        if (busy.length > 0) return 'busy';
        yield* raw(
          `update broadcasts set state = 'running', reason = '', updated_at = $2,
             started_at = case when started_at = 0 then $2 else started_at end
           where id = $1`,
          [id, nowMs],
        );
        if (!task) return true;
        const total = readBroadcast(row).counts.sent;
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
    async results({ id, state, afterChat, limit }) {
      const { where, parameters } = filter([
        ['r.broadcast_id = ?', id],
        state === 'queued' && [`r.state in ('waiting', 'queued')`],
        state !== undefined && state !== 'queued' && ['r.state = ?', state],
        afterChat !== undefined && ['r.chat_id > ?', afterChat],
      ]);
      const rows = await engine.readHeavy<
        Omit<RecipientRecord, 'errorDetail'> & { taskError: string }
      >(
        `select r.chat_id as "chatId", coalesce(nullif(c.title, ''), p.first_name, '') as title,
           r.state, r.message_id as "messageId", r.error, r.task_state as "taskState",
           r.task_error as "taskError"
         from broadcast_recipients r join broadcasts b on b.id = r.broadcast_id
           left join chats c on c.bot_id = b.bot_id and c.chat_id = r.chat_id
           left join people p on p.user_id = r.chat_id
         ${where} order by r.chat_id limit $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map((row) => {
        const { text, detail } = unpackReason(row.error);
        const taskError = unpackReason(row.taskError).text;
        return { ...row, error: text, errorDetail: detail, taskError };
      });
    },
    async optOuts() {
      const rows = await engine.readRaw<{ botId: number; options: string }>(
        `select distinct bot_id as "botId", options from broadcasts where state <> 'draft'`,
        [],
      );
      return rows.map(({ botId, options }) => {
        const { opt_out_word, opt_out_reply } = JSON.parse(options) as BroadcastOptions;
        return { botId, word: opt_out_word, reply: opt_out_reply };
      });
    },
    mark: (botId, chatId, isOut, nowMs) =>
      engine.write(function* () {
        const changed = yield* isOut
          ? raw(
              `insert into broadcast_marks (bot_id, chat_id, mark, at) values ($1, $2, 'opted_out', $3)
               on conflict (bot_id, chat_id) do update set mark = 'opted_out', at = excluded.at
               returning 1 as one`,
              [botId, chatId, nowMs],
            )
          : raw(
              `delete from broadcast_marks where bot_id = $1 and chat_id = $2 returning 1 as one`,
              [botId, chatId],
            );
        return changed.length > 0;
      }),
  };
}

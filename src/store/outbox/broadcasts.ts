import type { RecipientState } from '../../core/messages/broadcast.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { Engine } from '../engine.ts';
import { filter, ofBots } from '../sql/filter.ts';
import { insertInto } from '../sql/write-row.ts';
import { type Asked, audienceFilters, excluded } from './broadcast-audience.ts';
import {
  beforeAllChats,
  type BroadcastRecord,
  type BroadcastRow,
  readBroadcast,
  type RecipientRecord,
} from './broadcast-rows.ts';
import { type BroadcastRuns, createBroadcastRuns } from './broadcast-runs.ts';
import { createOptOutRepository, type OptOutRepository } from './opt-outs.ts';

export type NewBroadcast = Pick<
  BroadcastRecord,
  'botId' | 'name' | 'message' | 'audience' | 'options' | 'author' | 'recipients'
>;

export interface BroadcastRepository extends BroadcastRuns, OptOutRepository {
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
  results(query: {
    id: number;
    state?: RecipientState | undefined;
    afterChat?: number | undefined;
    limit: number;
  }): Promise<RecipientRecord[]>;
}

export function createBroadcastRepository(engine: Engine): BroadcastRepository {
  const { dialect } = engine;
  return {
    ...createBroadcastRuns(engine),
    ...createOptOutRepository(engine),
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
  };
}

import { makesMessages } from '../../core/messages/answer-facts.ts';
import type { Engine } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots, ofChats } from '../sql/filter.ts';
import { filePart } from './kept-files.ts';
import { headOfEachLine } from './outbox-lines.ts';
import {
  outboxColumns,
  type OutboxRecord,
  type OutboxRow,
  type OutboxState,
  type SendInFlight,
  toRecord,
} from './outbox-record.ts';

export interface OutboxFilter {
  botIds: readonly number[] | null;
  chatIds?: readonly number[] | null;
  state?: OutboxState;
  beforeId?: number;
  limit: number;
}

export interface OutboxReads {
  /**
   * Lists the head of each line: the send in flight, or else the next one. Those that may be tried
   * at once come first, by priority and age.
   */
  queued(botId: number, limit: number, nowMs: number): Promise<OutboxRecord[]>;
  /** Lists the bots for which anything is queued. */
  waiting(): Promise<number[]>;
  inFlight(): Promise<SendInFlight[]>;
  /** Lists sends, newest first, without those that are not due yet. */
  list(filter: OutboxFilter): Promise<OutboxRecord[]>;
  /** Returns a part of a kept file; undefined after the last one. */
  filePart(fileId: string, part: number): Promise<Uint8Array | undefined>;
  get(id: number): Promise<OutboxRecord | undefined>;
  /** Returns the state of intents, by their keys. */
  byKeys(intentKeys: readonly string[]): Promise<Map<string, OutboxRecord>>;
  /** True if this bot, or any, has a message into this chat in flight whose ID is not known yet. */
  isSendingTo(chatId: number, botId?: number): Promise<boolean>;
}

export function createOutboxReads(engine: Engine): OutboxReads {
  const { isIn, list } = wordsOf[engine.dialect];
  const headOfLines = headOfEachLine(engine.dialect);
  return {
    async queued(botId, limit, nowMs) {
      const rows = await engine.readRaw<OutboxRow>(
        `select ${outboxColumns} from outbox where id in (${headOfLines})
         order by case when not_before > $3 or state = 'sending' then 1 else 0 end, priority, id
         limit $2`,
        [botId, limit, nowMs],
      );
      return rows.map(toRecord);
    },
    async waiting() {
      const rows = await engine.readRaw<{ botId: number }>(
        `select distinct bot_id as "botId" from outbox where state = 'queued'`,
        [],
      );
      return rows.map((row) => row.botId);
    },
    inFlight: () =>
      engine.readRaw<SendInFlight>(
        `select id, node, updated_at as since from outbox where state = 'sending'`,
        [],
      ),
    async byKeys(intentKeys) {
      if (intentKeys.length === 0) return new Map();
      const rows = await engine.readRaw<OutboxRow>(
        `select ${outboxColumns} from outbox where ${isIn('intent_key', '$1', 'text')}`,
        [list(intentKeys)],
      );
      return new Map(rows.map((row) => [row.intentKey ?? '', toRecord(row)]));
    },
    async isSendingTo(chatId, botId) {
      const rows = await engine.readRaw<{ botId: number; method: string }>(
        `select distinct bot_id as "botId", method from outbox
         where state = 'sending' and chat_id = $1`,
        [chatId],
      );
      return rows.some(
        (row) => makesMessages(row.method) && (botId === undefined || row.botId === botId),
      );
    },
    filePart: (fileId, part) => filePart(engine, fileId, part),
    async get(id) {
      const [record] = await engine.readRaw<OutboxRow>(
        `select ${outboxColumns} from outbox where id = $1`,
        [id],
      );
      return record && toRecord(record);
    },
    async list({ botIds, chatIds = null, state, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ofBots(engine.dialect, botIds),
        ofChats(engine.dialect, chatIds),
        [`state <> 'scheduled'`],
        state !== undefined && ['state = ?', state],
        beforeId !== undefined && ['id < ?', beforeId],
      ]);
      const rows = await engine.readRaw<OutboxRow>(
        `select ${outboxColumns} from outbox ${where} order by id desc limit $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map(toRecord);
    },
  };
}

/*
 * Scheduled sends are rows of the outbox that are not due. They become queued when they are due, in
 * one statement that any node may run, so they are sent once like all others.
 *
 * A scheduled send with an error is never released: the error says why it needs a person.
 */
import type { Author } from '../../core/messages/author.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots, ofChats } from '../sql/filter.ts';
import { keepFor } from './kept-files.ts';
import { enqueueIntent, type OutboxIntent } from './outbox.ts';
import { outboxColumns, type OutboxRow, toRecord } from './outbox-record.ts';

export interface ScheduledSend {
  id: number;
  botId: number;
  chatId: number;
  method: string;
  params: string;
  state: string;
  sendAt: number;
  /** What was asked for, as JSON, so that it can be shown and changed. */
  request: string;
  author: Author | undefined;
  createdAt: number;
  /** Why it is not sent when it is due; '' if it is. */
  error: string;
  errorDetail: Reason | null;
}

/** What a person may change of it. */
export interface ScheduledContent {
  sendAt: number;
  request: string;
  params: Record<string, unknown>;
  method: string;
  following: readonly Record<string, unknown>[];
  /** The kept files among the parameters. */
  fileIds: readonly string[];
}

/** A send that was due longer ago is not expected any more: it is only listed. */
export const mostOverdueMs = 24 * 3_600_000;

export interface ScheduledSendRepository {
  /** Returns the ID; undefined if the chat has that many already. */
  add(
    intent: Omit<OutboxIntent, 'params' | 'method' | 'following'>,
    content: ScheduledContent,
    mostPerChat: number,
    nowMs: number,
  ): Promise<number | undefined>;
  get(id: number): Promise<ScheduledSend | undefined>;
  /** Lists the first due ones, after the one with that time and ID. */
  list(query: {
    botIds: readonly number[] | null;
    chatIds: readonly number[] | null;
    after?: { sendAt: number; id: number } | undefined;
    limit: number;
  }): Promise<ScheduledSend[]>;
  /** False if it is being sent, or was sent or canceled. */
  change(id: number, content: ScheduledContent, nowMs: number): Promise<boolean>;
  cancel(id: number): Promise<boolean>;
  /**
   * Queues what is due, a portion at a time, so that no other writer waits long. Returns the bots of
   * these sends, and when to queue the next one: Infinity if there is none.
   */
  release(nowMs: number): Promise<{ botIds: number[]; nextAt: number }>;
}

/** After a long stop, all that people scheduled may be due at once. */
const releasedAtOnce = 500;

/** Until it is taken for its first attempt, nothing of it can have gone out. */
const isChangeable = `send_at > 0 and (state = 'scheduled' or (state = 'queued' and attempts = 0))`;

export function createScheduledSendRepository(engine: Engine): ScheduledSendRepository {
  const { dialect } = engine;
  const columns = `${outboxColumns}, request`;
  const read = (row: OutboxRow & { request: string }): ScheduledSend => ({
    ...toRecord(row),
    request: row.request,
  });

  return {
    add: (intent, content, mostPerChat, nowMs) =>
      engine.write(function* () {
        const { botId, chatId } = intent;
        const waiting = yield* raw(
          `select id from outbox where state = 'scheduled' and bot_id = $1 and chat_id = $2 limit $3`,
          [botId, chatId, mostPerChat],
        );
        if (waiting.length >= mostPerChat) return undefined;
        const { sendAt, request } = content;
        const start = { state: 'scheduled', sendAt, request } as const;
        const id = yield* enqueueIntent({ ...intent, ...content }, nowMs, start);
        if (id !== undefined) yield* keepFor(id, content.fileIds);
        return id;
      }),
    async get(id) {
      const [row] = await engine.readRaw<OutboxRow & { request: string }>(
        `select ${columns} from outbox where id = $1 and send_at > 0`,
        [id],
      );
      return row && read(row);
    },
    async list({ botIds, chatIds, after, limit }) {
      if (botIds?.length === 0 || chatIds?.length === 0) return [];
      const { where, parameters } = filter([
        [isChangeable],
        ofBots(dialect, botIds),
        ofChats(dialect, chatIds),
        after && ['(send_at, id) > (?, ?)', after.sendAt, after.id],
      ]);
      const rows = await engine.readRaw<OutboxRow & { request: string }>(
        `select ${columns} from outbox ${where} order by send_at, id
         limit $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map(read);
    },
    change: (id, { sendAt, request, params, method, following, fileIds }, nowMs) =>
      engine.write(function* () {
        const changed = yield* raw(
          `update outbox set state = 'scheduled', error = '', not_before = 0, send_at = $2,
             request = $3, params = $4, method = $5, following = $6, updated_at = $7
           where id = $1 and ${isChangeable} returning id`,
          [
            id,
            sendAt,
            request,
            JSON.stringify(params),
            method,
            following.length === 0 ? '' : JSON.stringify(following),
            nowMs,
          ],
        );
        if (changed.length === 0) return false;
        const { isNotIn, list } = wordsOf[dialect];
        yield* keepFor(id, fileIds);
        yield* raw(`delete from kept_files where send_id = $1 and ${isNotIn('id', '$2', 'text')}`, [
          id,
          list(fileIds),
        ]);
        return true;
      }),
    cancel: (id) =>
      engine.write(function* () {
        const gone = yield* raw(
          `delete from outbox where id = $1 and ${isChangeable} returning id`,
          [id],
        );
        return gone.length > 0;
      }),
    release: (nowMs) =>
      engine.write(function* () {
        const released = yield* raw<{ botId: number }>(
          `update outbox set state = 'queued', updated_at = $1
           where state = 'scheduled' and id in (
             select o.id from outbox o join bots b on b.id = o.bot_id
             where o.state = 'scheduled' and o.error = '' and o.send_at <= $1 and o.send_at > $2
               and b.disabled = 0
             order by o.send_at, o.id limit $3)
           returning bot_id as "botId"`,
          [nowMs, nowMs - mostOverdueMs, releasedAtOnce],
        );
        const botIds = [...new Set(released.map(({ botId }) => botId))];
        if (released.length === releasedAtOnce) return { botIds, nextAt: nowMs };
        const [next] = yield* raw<{ at: number | null }>(
          `select min(send_at) as at from outbox
           where state = 'scheduled' and error = '' and send_at > $1`,
          [nowMs],
        );
        return { botIds, nextAt: next?.at ?? Number.POSITIVE_INFINITY };
      }),
  };
}

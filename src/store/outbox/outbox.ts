import { packReason } from '../../core/reasons/stored.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { AnswerFacts } from '../../core/messages/answer-facts.ts';
import { type SendPriority, sendPriorities } from '../../core/messages/send-class.ts';
import { type Author, packAuthor } from '../../core/messages/author.ts';
import { rememberSenderIfAsked } from '../apps/app-messages.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { requireEpoch } from '../cluster/leases.ts';
import { markTopicGone, type TopicOfBot } from '../messages/save-topics.ts';
import { createOutboxReads, type OutboxReads } from './outbox-reads.ts';
import {
  outboxColumns,
  type OutboxOrigin,
  type OutboxRecord,
  type OutboxRow,
  type SendInFlight,
  toRecord,
} from './outbox-record.ts';
import { authorship, type ShowAnswers, storeAnswers } from './store-answers.ts';

/** A send that the relay intends to make. */
export interface OutboxIntent {
  botId: number;
  chatId: number;
  method: string;
  params: Record<string, unknown>;
  origin: OutboxOrigin;
  /** The same key is never accepted twice, which makes a route act once. */
  intentKey: string | null;
  priority: SendPriority;
  /** The message that the send carries, for the code that made the intent. */
  context?: unknown;
  /** The app that makes the call; left out or 0 for the bot itself. */
  appId?: number;
  /** The parameters of sends by the same method, each made once the one before was sent. */
  following?: readonly Record<string, unknown>[] | undefined;
  /** Left out only for sends that follow one of an earlier version. */
  author: Author | undefined;
}

export interface FailedSend {
  id: number;
  node: string;
  /** The topic that Telegram refused, because the bot cannot write into it. */
  goneTopic?: TopicOfBot | undefined;
}

export interface OutboxRepository extends OutboxReads {
  enqueue(intent: OutboxIntent, nowMs: number): Promise<number | undefined>;
  /** Records a send that goes out at once; undefined if its key was used before. */
  begin(intent: OutboxIntent, node: string, nowMs: number): Promise<number | undefined>;
  /**
   * Takes a queued send for this node; false if someone else did, or if it was changed since it was
   * read. With an epoch, throws LeaseLost
   * if another node runs the bot.
   */
  take(
    send: { id: number; botId: number; updatedAt?: number },
    node: string,
    nowMs: number,
    epoch?: number,
  ): Promise<boolean>;
  /**
   * Puts a send that certainly did not go out back into the queue. Like `fail`, it changes only
   * rows that this node still owns, not a send that was considered lost and taken again. An error
   * of null keeps the stored one.
   */
  requeue(
    send: { id: number; node: string },
    error: string | null,
    notBefore: number,
    nowMs: number,
  ): Promise<void>;
  succeed(
    /** `note` is what people should know about it although it was sent. */
    record: Pick<OutboxRecord, 'id' | 'botId' | 'method' | 'origin' | 'author'> & {
      intentKey?: string | null;
      appId?: number;
      note?: string;
    },
    answer: AnswerFacts,
    nowMs: number,
    /** Adds to the commit of a success. */
    also?: () => Step<void>,
  ): Promise<void>;
  fail(send: FailedSend, state: 'failed' | 'unknown', error: string, nowMs: number): Promise<void>;
  /** Marks sends that no node is sending as `unknown`. */
  abandon(sends: readonly SendInFlight[], nowMs: number): Promise<void>;
  /** Queues a send again that failed or may not have arrived; undefined if it is neither. */
  sendAgain(id: number, nowMs: number): Promise<OutboxRecord | undefined>;
}

type IntentStart =
  | { state: 'queued' }
  | { state: 'sending'; node: string }
  /** The request is kept for people who change it. */
  | { state: 'scheduled'; sendAt: number; request: string }
  /** The send is never made; people see why. */
  | { state: 'failed'; error: string };

/**
 * Stores an intent; undefined if its key was used before. Run it in the transaction that moves a
 * cursor.
 */
export function* enqueueIntent(
  intent: OutboxIntent,
  nowMs: number,
  start: IntentStart = { state: 'queued' },
): Step<number | undefined> {
  const [row] = yield* raw<{ id: number }>(
    `insert into outbox (bot_id, chat_id, method, params, origin, intent_key, priority, state,
       node, context, app_id, error, created_at, updated_at, author, following, send_at, request)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $15, $16, $17)
     on conflict (intent_key) do nothing returning id`,
    [
      intent.botId,
      intent.chatId,
      intent.method,
      JSON.stringify(intent.params),
      intent.origin,
      intent.intentKey,
      sendPriorities.indexOf(intent.priority),
      start.state,
      start.state === 'sending' ? start.node : '',
      intent.context === undefined ? '' : JSON.stringify(intent.context),
      intent.appId ?? 0,
      start.state === 'failed' ? start.error : '',
      nowMs,
      packAuthor(intent.author),
      intent.following?.length ? JSON.stringify(intent.following) : '',
      ...(start.state === 'scheduled' ? [start.sendAt, start.request] : [0, '']),
    ],
  );
  return row?.id;
}

/** The key of the send that follows another one. */
export const followingKey = (id: number): string => `after:${id}`;

/** Queues the next send. It shares the commit of the one before, so it is neither lost nor repeated. */
export function* enqueueFollowing(
  id: number,
  [params = {}, ...following]: readonly Record<string, unknown>[],
  nowMs: number,
): Step<void> {
  const [row] = yield* raw<OutboxRow>(`select ${outboxColumns} from outbox where id = $1`, [id]);
  if (!row) return;
  const { botId, chatId, method, origin, appId, author } = toRecord(row);
  const intentKey = followingKey(id);
  const intent = { botId, chatId, method, origin, appId, params, following, intentKey } as const;
  const priority = sendPriorities[row.priority] ?? 'bulk';
  yield* enqueueIntent({ ...intent, priority, author }, nowMs);
}

const abandonedWords = packReason(reason('abandoned'));
/** SQL: a send that the node took. Others may mark it as lost meanwhile, but nothing else. */
const stillOf = (id: string, node: string) =>
  `id = ${id} and node = ${node} and state in ('sending', 'unknown')`;

/** What others add to the commit that says that a send failed, or may have arrived. */
export type SendEnded = (
  send: OutboxRecord,
  end: { state: 'failed' | 'unknown'; error: string },
  nowMs: number,
) => Step<void>;

/** Adds to the commit that records a send, for the topics above. */
export type OnSent = (
  send: Pick<OutboxRecord, 'author'> & { intentKey?: string | null },
  messageId: number | null,
  nowMs: number,
) => Step<void>;

/** What topics above add to the commits of sends. */
interface SendParts {
  onSent?: OnSent;
  ended?: SendEnded;
  show?: ShowAnswers;
}

export function createOutboxRepository(
  engine: Engine,
  { ended, onSent, show }: SendParts = {},
): OutboxRepository {
  const changed = (step: () => Step<{ id: number }[]>) => engine.write(step);
  function* tellEnd(row: OutboxRow, end: Parameters<SendEnded>[1], nowMs: number): Step<void> {
    if (ended && row.context !== '') yield* ended(toRecord(row), end, nowMs);
  }

  return {
    ...createOutboxReads(engine),
    enqueue: (intent, nowMs) => engine.write(() => enqueueIntent(intent, nowMs)),
    begin: (intent, node, nowMs) =>
      engine.write(() => enqueueIntent(intent, nowMs, { state: 'sending', node })),
    take: ({ id, botId, updatedAt = 0 }, node, nowMs, epoch) =>
      engine.write(function* () {
        if (epoch !== undefined) yield* requireEpoch(engine.dialect, botId, epoch);
        const rows = yield* raw(
          `update outbox set state = 'sending', node = $1, attempts = attempts + 1, updated_at = $2
           where id = $3 and state = 'queued'
             and (cast($4 as bigint) = 0 or updated_at = $4) returning id`,
          [node, nowMs, id, updatedAt],
        );
        return rows.length > 0;
      }),
    async requeue({ id, node }, error, notBefore, nowMs) {
      await changed(() =>
        raw(
          `update outbox set state = 'queued', error = coalesce($1, error), not_before = $2, updated_at = $3
           where ${stillOf('$4', '$5')} returning id`,
          [error, notBefore, nowMs, id, node],
        ),
      );
    },
    succeed: (record, answer, nowMs, also) =>
      engine.write(function* () {
        const { id, botId, method, origin, appId = 0, note = '' } = record;
        const [row] = yield* raw<{ following: string }>(
          `update outbox set state = 'sent', error = $1, message_id = $2, updated_at = $3
           where id = $4 returning following`,
          [note, answer.messageId, nowMs, id],
        );
        if (row && row.following !== '')
          yield* enqueueFollowing(
            id,
            JSON.parse(row.following) as Record<string, unknown>[],
            nowMs,
          );
        const stored = origin === 'routed' || origin === 'gateway' ? origin : 'sent';
        const made = { botId, answer, ...authorship(record) };
        yield* storeAnswers(engine.dialect, [made], stored, nowMs, show);
        if (appId !== 0) {
          const { messages } = answer.archive;
          yield* rememberSenderIfAsked(engine.dialect, { botId, appId, method, messages }, nowMs);
        }
        if (also) yield* also();
        if (onSent) yield* onSent(record, answer.messageId, nowMs);
      }),
    async fail({ id, node, goneTopic }, state, error, nowMs) {
      await changed(function* () {
        if (goneTopic) yield* markTopicGone(goneTopic, nowMs);
        const rows = yield* raw<OutboxRow>(
          `update outbox set state = $1, error = $2, updated_at = $3
           where ${stillOf('$4', '$5')} returning ${outboxColumns}`,
          [state, error, nowMs, id, node],
        );
        for (const row of rows) yield* tellEnd(row, { state, error }, nowMs);
        return rows;
      });
    },
    abandon: (sends, nowMs) =>
      engine.write(function* () {
        for (const { id, node, since } of sends) {
          const rows = yield* raw<OutboxRow>(
            `update outbox set state = 'unknown', updated_at = $1, error = $2
             where id = $3 and state = 'sending' and node = $4 and updated_at = $5
             returning ${outboxColumns}`,
            [nowMs, abandonedWords, id, node, since],
          );
          const end = { state: 'unknown', error: abandonedWords } as const;
          for (const row of rows) yield* tellEnd(row, end, nowMs);
        }
      }),
    sendAgain: (id, nowMs) =>
      engine.write(function* () {
        const [record] = yield* raw<OutboxRow>(
          `update outbox set state = 'queued', error = '', not_before = 0, updated_at = $2
           where id = $1 and state in ('failed', 'unknown') returning ${outboxColumns}`,
          [id, nowMs],
        );
        return record && toRecord(record);
      }),
  };
}

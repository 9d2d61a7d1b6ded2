import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { type AnswerFacts, makesMessages } from '../../core/messages/answer-facts.ts';
import { type SendPriority, sendPriorities } from '../../core/messages/send-class.ts';
import { type Author, packAuthor, readAuthor } from '../../core/messages/author.ts';
import { rememberSenderIfAsked } from '../apps/app-messages.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { requireEpoch } from '../cluster/leases.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots, ofChats } from '../sql/filter.ts';
import { markTopicGone, type TopicOfBot } from '../messages/save-topics.ts';
import { filePart } from './kept-files.ts';
import { headOfEachLine } from './outbox-lines.ts';
import { authorship, type ShowAnswers, storeAnswers } from './store-answers.ts';

export type OutboxOrigin = 'sent' | 'routed' | 'answer' | 'hook' | 'gateway';
export type OutboxState = 'scheduled' | 'queued' | 'sending' | 'sent' | 'failed' | 'unknown';

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

export interface OutboxRecord {
  id: number;
  botId: number;
  chatId: number;
  method: string;
  params: string;
  context: string;
  origin: OutboxOrigin;
  /** 0 for the bot itself. */
  appId: number;
  /** When it is due; 0 if it was to be sent at once. */
  sendAt: number;
  intentKey: string | null;
  state: OutboxState;
  /** An index of `sendPriorities`. */
  priority: number;
  notBefore: number;
  attempts: number;
  /** The error as a sentence; '' if there is none. */
  error: string;
  errorDetail: Reason | null;
  messageId: number | null;
  createdAt: number;
  updatedAt: number;
  /** Undefined for sends of earlier versions. */
  author: Author | undefined;
}

/** A record as it is stored. */
export type OutboxRow = Omit<OutboxRecord, 'author' | 'errorDetail'> & { author: string | null };

export const outboxColumns = `id, bot_id as "botId", chat_id as "chatId", method, params, context, origin,
  app_id as "appId", send_at as "sendAt", intent_key as "intentKey", state, priority, not_before as "notBefore", attempts, error,
  message_id as "messageId", created_at as "createdAt", updated_at as "updatedAt", author`;

/** A send in the state `sending`, with the node that took it. */
export interface SendInFlight {
  id: number;
  node: string;
  /** The time by the clock of that node. */
  since: number;
}

export interface OutboxFilter {
  botIds: readonly number[] | null;
  chatIds?: readonly number[] | null;
  state?: OutboxState;
  beforeId?: number;
  limit: number;
}

export interface OutboxRepository {
  enqueue(intent: OutboxIntent, nowMs: number): Promise<number | undefined>;
  /** Records a send that goes out at once; undefined if its key was used before. */
  begin(intent: OutboxIntent, node: string, nowMs: number): Promise<number | undefined>;
  /**
   * Takes a queued send for this node; false if someone else did. With an epoch, throws LeaseLost
   * if another node runs the bot.
   */
  take(
    send: { id: number; botId: number },
    node: string,
    nowMs: number,
    epoch?: number,
  ): Promise<boolean>;
  /**
   * Lists the head of each line: the send in flight, or else the next one. Those that may be tried
   * at once come first, by priority and age.
   */
  queued(botId: number, limit: number, nowMs: number): Promise<OutboxRecord[]>;
  /** Lists the bots for which anything is queued. */
  waiting(): Promise<number[]>;
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
  inFlight(): Promise<SendInFlight[]>;
  /** Marks sends that no node is sending as `unknown`. */
  abandon(sends: readonly SendInFlight[], nowMs: number): Promise<void>;
  /** Lists sends, newest first, without those that are not due yet. */
  list(filter: OutboxFilter): Promise<OutboxRecord[]>;
  /** Returns a part of a kept file; undefined after the last one. */
  filePart(fileId: string, part: number): Promise<Uint8Array | undefined>;
  get(id: number): Promise<OutboxRecord | undefined>;
  /** Queues a send again that failed or may not have arrived; undefined if it is neither. */
  sendAgain(id: number, nowMs: number): Promise<OutboxRecord | undefined>;
  /** Returns the state of intents, by their keys. */
  byKeys(intentKeys: readonly string[]): Promise<Map<string, OutboxRecord>>;
  /** True if this bot, or any, has a message into this chat in flight whose ID is not known yet. */
  isSendingTo(chatId: number, botId?: number): Promise<boolean>;
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

export function toRecord(row: OutboxRow): OutboxRecord {
  const { text, detail } = unpackReason(row.error);
  return { ...row, error: text, errorDetail: detail, author: readAuthor(row.author) };
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
  const { isIn, list } = wordsOf[engine.dialect];
  const headOfLines = headOfEachLine(engine.dialect);
  function* tellEnd(row: OutboxRow, end: Parameters<SendEnded>[1], nowMs: number): Step<void> {
    if (ended && row.context !== '') yield* ended(toRecord(row), end, nowMs);
  }

  return {
    enqueue: (intent, nowMs) => engine.write(() => enqueueIntent(intent, nowMs)),
    begin: (intent, node, nowMs) =>
      engine.write(() => enqueueIntent(intent, nowMs, { state: 'sending', node })),
    take: ({ id, botId }, node, nowMs, epoch) =>
      engine.write(function* () {
        if (epoch !== undefined) yield* requireEpoch(engine.dialect, botId, epoch);
        const rows = yield* raw(
          `update outbox set state = 'sending', node = $1, attempts = attempts + 1, updated_at = $2
           where id = $3 and state = 'queued' returning id`,
          [node, nowMs, id],
        );
        return rows.length > 0;
      }),
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
    inFlight: () =>
      engine.readRaw<SendInFlight>(
        `select id, node, updated_at as since from outbox where state = 'sending'`,
        [],
      ),
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
    sendAgain: (id, nowMs) =>
      engine.write(function* () {
        const [record] = yield* raw<OutboxRow>(
          `update outbox set state = 'queued', error = '', not_before = 0, updated_at = $2
           where id = $1 and state in ('failed', 'unknown') returning ${outboxColumns}`,
          [id, nowMs],
        );
        return record && toRecord(record);
      }),
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

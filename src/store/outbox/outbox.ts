import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { type AnswerFacts, makesMessages } from '../../core/messages/answer-facts.ts';
import { rememberSenderIfAsked } from '../apps/app-messages.ts';
import { archive, type MessageOrigin } from '../messages/archive.ts';
import { type DialectName, effect, type Engine, raw, type Step } from '../engine.ts';
import { markDeleted } from '../messages/mark-deleted.ts';
import { requireEpoch } from '../cluster/leases.ts';
import { headOfEachLine } from './outbox-lines.ts';

export type OutboxState = 'queued' | 'sending' | 'sent' | 'failed' | 'unknown';
export type OutboxOrigin = 'sent' | 'routed' | 'answer' | 'hook';

/** Something the relay means to send. */
export interface OutboxIntent {
  botId: number;
  chatId: number;
  method: string;
  params: Record<string, unknown>;
  origin: OutboxOrigin;
  /** The same key is never taken twice: that is what makes a route act once. */
  intentKey: string | null;
  priority: 'interactive' | 'bulk';
  /** Whose message it carries, for the code that made the intent. */
  context?: unknown;
  /** The app whose call it is; left out or 0 for the bot's own. */
  appId?: number;
}

export interface OutboxRecord {
  id: number;
  botId: number;
  chatId: number;
  method: string;
  params: string;
  context: string;
  origin: OutboxOrigin;
  /** 0 for none but the bot itself. */
  appId: number;
  intentKey: string | null;
  state: OutboxState;
  /** 0 is interactive, 1 is bulk. */
  priority: number;
  notBefore: number;
  attempts: number;
  /** In words; '' for none. */
  error: string;
  errorDetail: Reason | null;
  messageId: number | null;
  createdAt: number;
  updatedAt: number;
}

const columns = `id, bot_id as "botId", chat_id as "chatId", method, params, context, origin,
  app_id as "appId", intent_key as "intentKey", state, priority, not_before as "notBefore", attempts, error,
  message_id as "messageId", created_at as "createdAt", updated_at as "updatedAt"`;

/** A send in the state `sending`, as its node took it up. */
export interface SendInFlight {
  id: number;
  node: string;
  /** By the clock of that node. */
  since: number;
}

export interface OutboxFilter {
  botIds: readonly number[] | null;
  state?: OutboxState;
  beforeId?: number;
  limit: number;
}

export interface OutboxRepository {
  enqueue(intent: OutboxIntent, nowMs: number): Promise<number | undefined>;
  /** Records a send that goes out at once; undefined when its key was taken before. */
  begin(intent: OutboxIntent, node: string, nowMs: number): Promise<number | undefined>;
  /**
   * Takes a queued send for this node; false when someone else did. With an epoch, throws LeaseLost
   * once another node runs the bot.
   */
  claim(
    send: { id: number; botId: number },
    node: string,
    nowMs: number,
    epoch?: number,
  ): Promise<boolean>;
  /**
   * The head of each line: what is being sent from it, or else what is next. First those that may
   * be tried now, by priority and age.
   */
  queued(botId: number, limit: number, nowMs: number): Promise<OutboxRecord[]>;
  /** The bots for which anything is queued. */
  waiting(): Promise<number[]>;
  /**
   * Puts a send that surely did not go out back into the queue. It and `fail` change only what the
   * node still has a say in: not what was taken up anew after it was held for lost. An error of null
   * leaves what is stored.
   */
  requeue(
    send: { id: number; node: string },
    error: string | null,
    notBefore: number,
    nowMs: number,
  ): Promise<void>;
  succeed(
    /** `note` is what people should know of it although it was sent. */
    record: Pick<OutboxRecord, 'id' | 'botId' | 'method' | 'origin'> & {
      appId?: number;
      note?: string;
    },
    answer: AnswerFacts,
    nowMs: number,
    /** What else belongs into the commit of a success. */
    also?: () => Step<void>,
  ): Promise<void>;
  fail(
    send: { id: number; node: string },
    state: 'failed' | 'unknown',
    error: string,
    nowMs: number,
  ): Promise<void>;
  inFlight(): Promise<SendInFlight[]>;
  /** No node is sending these, and their outcome is unknown. */
  abandon(sends: readonly SendInFlight[], nowMs: number): Promise<void>;
  list(filter: OutboxFilter): Promise<OutboxRecord[]>;
  get(id: number): Promise<OutboxRecord | undefined>;
  /** Queues what failed, or may not have arrived, once more; undefined when it is neither. */
  sendAgain(id: number, nowMs: number): Promise<OutboxRecord | undefined>;
  /** What became of intents, by their keys. */
  byKeys(intentKeys: readonly string[]): Promise<Map<string, OutboxRecord>>;
  /** Whether a message into this chat is in flight whose id is not known yet, by this bot or any. */
  isSendingTo(chatId: number, botId?: number): Promise<boolean>;
}

type IntentStart =
  | { state: 'queued' }
  | { state: 'sending'; node: string }
  /** It is never sent; people see why. */
  | { state: 'failed'; error: string };

/** Takes an intent; undefined when its key was taken before. To be combined with a cursor's move. */
export function* enqueueIntent(
  intent: OutboxIntent,
  nowMs: number,
  start: IntentStart = { state: 'queued' },
): Step<number | undefined> {
  const [row] = yield* raw<{ id: number }>(
    `insert into outbox (bot_id, chat_id, method, params, origin, intent_key, priority, state,
       node, context, app_id, error, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
     on conflict (intent_key) do nothing returning id`,
    [
      intent.botId,
      intent.chatId,
      intent.method,
      JSON.stringify(intent.params),
      intent.origin,
      intent.intentKey,
      intent.priority === 'interactive' ? 0 : 1,
      start.state,
      start.state === 'sending' ? start.node : '',
      intent.context === undefined ? '' : JSON.stringify(intent.context),
      intent.appId ?? 0,
      start.state === 'failed' ? start.error : '',
      nowMs,
    ],
  );
  return row?.id;
}

/** Stores what answers of the platform say, all at once: so rows are locked in the order of archive. */
export function* storeAnswers(
  dialect: DialectName,
  answers: readonly { botId: number; answer: AnswerFacts }[],
  origin: MessageOrigin,
  nowMs: number,
): Step<void> {
  const entries = answers.map(({ botId, answer }) => ({
    botId,
    facts: answer.archive,
    origin,
    position: 0,
  }));
  yield* archive(dialect, entries, nowMs);
  for (const { botId, answer } of answers) {
    if (answer.deleted) yield* markDeleted(botId, answer.deleted, nowMs);
  }
}

function unpackError(row: OutboxRecord): OutboxRecord {
  const { text, detail } = unpackReason(row.error);
  return { ...row, error: text, errorDetail: detail };
}

const abandonedWords = packReason(reason('abandoned'));
/** A send that the node was at; others may hold it for lost meanwhile, and only that. */
const stillOf = (id: string, node: string) =>
  `id = ${id} and node = ${node} and state in ('sending', 'unknown')`;

export function createOutboxRepository(engine: Engine): OutboxRepository {
  const changed = (step: () => Step<{ id: number }[]>) => engine.write(step);
  const headOfLines = headOfEachLine(engine.dialect);

  return {
    enqueue: (intent, nowMs) => engine.write(() => enqueueIntent(intent, nowMs)),
    begin: (intent, node, nowMs) =>
      engine.write(() => enqueueIntent(intent, nowMs, { state: 'sending', node })),
    claim: ({ id, botId }, node, nowMs, epoch) =>
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
      const rows = await engine.readRaw<OutboxRecord>(
        `select ${columns} from outbox where id in (${headOfLines})
         order by case when not_before > $3 or state = 'sending' then 1 else 0 end, priority, id
         limit $2`,
        [botId, limit, nowMs],
      );
      return rows.map(unpackError);
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
    succeed: ({ id, botId, method, origin, appId = 0, note = '' }, answer, nowMs, also) =>
      engine.write(function* () {
        yield* effect(
          `update outbox set state = 'sent', error = $1, message_id = $2, updated_at = $3
           where id = $4`,
          [note, answer.messageId, nowMs, id],
        );
        const stored = origin === 'routed' ? 'routed' : 'sent';
        yield* storeAnswers(engine.dialect, [{ botId, answer }], stored, nowMs);
        if (appId !== 0) {
          const { messages } = answer.archive;
          yield* rememberSenderIfAsked(engine.dialect, { botId, appId, method, messages }, nowMs);
        }
        if (also) yield* also();
      }),
    async fail({ id, node }, state, error, nowMs) {
      await changed(() =>
        raw(
          `update outbox set state = $1, error = $2, updated_at = $3
           where ${stillOf('$4', '$5')} returning id`,
          [state, error, nowMs, id, node],
        ),
      );
    },
    inFlight: () =>
      engine.readRaw<SendInFlight>(
        `select id, node, updated_at as since from outbox where state = 'sending'`,
        [],
      ),
    abandon: (sends, nowMs) =>
      engine.write(function* () {
        for (const { id, node, since } of sends) {
          yield* raw(
            `update outbox set state = 'unknown', updated_at = $1, error = $2
             where id = $3 and state = 'sending' and node = $4 and updated_at = $5`,
            [nowMs, abandonedWords, id, node, since],
          );
        }
      }),
    async byKeys(intentKeys) {
      if (intentKeys.length === 0) return new Map();
      const rows = await engine.readRaw<OutboxRecord>(
        `select ${columns} from outbox where intent_key ${
          engine.dialect === 'sqlite' ? 'in (select value from json_each($1))' : '= any($1::text[])'
        }`,
        [engine.dialect === 'sqlite' ? JSON.stringify(intentKeys) : intentKeys],
      );
      return new Map(rows.map((row) => [row.intentKey ?? '', unpackError(row)]));
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
    async get(id) {
      const [record] = await engine.readRaw<OutboxRecord>(
        `select ${columns} from outbox where id = $1`,
        [id],
      );
      return record && unpackError(record);
    },
    sendAgain: (id, nowMs) =>
      engine.write(function* () {
        const [record] = yield* raw<OutboxRecord>(
          `update outbox set state = 'queued', error = '', not_before = 0, updated_at = $2
           where id = $1 and state in ('failed', 'unknown') returning ${columns}`,
          [id, nowMs],
        );
        return record && unpackError(record);
      }),
    async list({ botIds, state, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      let query = engine.sql
        .selectFrom('outbox')
        .select([
          'id',
          'bot_id as botId',
          'chat_id as chatId',
          'method',
          'params',
          'context',
          'origin',
          'app_id as appId',
          'intent_key as intentKey',
          'state',
          'priority',
          'not_before as notBefore',
          'attempts',
          'error',
          'message_id as messageId',
          'created_at as createdAt',
          'updated_at as updatedAt',
        ])
        .orderBy('id', 'desc')
        .limit(limit);
      if (botIds) query = query.where('bot_id', 'in', [...botIds]);
      if (state) query = query.where('state', '=', state);
      if (beforeId) query = query.where('id', '<', beforeId);
      return ((await engine.read(query)) as OutboxRecord[]).map(unpackError);
    },
  };
}

import { packAuthor } from '../../core/messages/author.ts';
import {
  type CallbackState,
  type Question,
  questionLimits,
  type QuestionState,
} from '../../core/questions/question.ts';
import { changes, type DialectName, type Engine, raw, type Step } from '../engine.ts';
import type { OutboxState } from '../outbox/outbox-record.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots, ofChats } from '../sql/filter.ts';
import { type QuestionRow, questionColumns, questionOf } from './question-row.ts';
import {
  countOpen,
  type Ending,
  endQuestion,
  forgetQuestions,
  lockLog,
  queueQuestion,
  withdrawSend,
} from './question-steps.ts';

export type NewQuestion = Pick<
  Question,
  | 'botId'
  | 'chatId'
  | 'threadId'
  | 'text'
  | 'options'
  | 'userIds'
  | 'askedBy'
  | 'nonce'
  | 'expiresAt'
  | 'callbackUrl'
>;

/** An idempotency key: within a day, the same request asks once. */
export interface QuestionKey {
  key: string;
  hash: string;
}

const keyLifetimeMs = 24 * 3_600_000;
/** Longer than any pause between calls: a call that is due later was put off before the clock was set back. */
const longestPauseMs = 3_600_000;

/** A question with the state of its send. */
export interface SentQuestion extends Question {
  sendState: OutboxState;
  sendError: string;
  sendErrorDetail: Reason | null;
}

export interface QuestionFilter {
  botIds: readonly number[] | null;
  chatIds: readonly number[] | null;
  chatId?: number | undefined;
  state?: QuestionState | undefined;
  beforeId?: number | undefined;
  limit: number;
}

/** What became of a call of a callback URL. */
export interface CallResult {
  state: Exclude<CallbackState, ''>;
  /** When to call again; 0 for never. */
  nextAt: number;
  error: string;
}

/** The questions of a bot whose calls failed, with the message of the first. */
export interface FailedCalls {
  botId: number;
  count: number;
  since: number;
  error: string;
  chatId: number;
  messageId: number;
}

export interface QuestionRepository {
  /**
   * Stores a question and queues its message; `full` if the bot has as many open ones as it may. The
   * key shares the commit: if it was used, the ID of its question is returned, or `mismatch`.
   */
  ask(
    question: NewQuestion,
    once: QuestionKey | undefined,
    nowMs: number,
  ): Promise<Question | number | 'full' | 'mismatch'>;
  /** The question of a key that was used, or `mismatch`. */
  askedBefore(once: QuestionKey, nowMs: number): Promise<number | 'mismatch' | undefined>;
  get(id: number): Promise<SentQuestion | undefined>;
  /** Newest first. */
  list(filter: QuestionFilter): Promise<SentQuestion[]>;
  /** Ends a question without an answer; undefined if it is not open. */
  end(ending: Omit<Ending, 'answer'>): Promise<Question | undefined>;
  /** The questions that updates at these positions answered. */
  answeredAt(botId: number, positions: readonly number[]): Promise<Question[]>;
  /** Open questions whose time is over, the oldest first. */
  overdue(nowMs: number, limit: number): Promise<{ id: number }[]>;
  /** When the next open question expires or the next call is due; 0 if nothing is. */
  nextAt(): Promise<number>;
  /** Queues the questions of groups that moved; returns the bot of each. */
  askMoved(nowMs: number, limit: number): Promise<number[]>;
  /** Counts by bot the calls that failed after all retries since then, with the error of one. */
  failedCalls(sinceMs: number): Promise<FailedCalls[]>;
  /**
   * Takes calls that are due, at most `ofBot` of each bot and none of the busy ones; other nodes leave
   * them alone until that time.
   */
  takeCalls(
    nowMs: number,
    untilMs: number,
    most: { limit: number; ofBot: number; busy: readonly number[] },
  ): Promise<Question[]>;
  called(question: Question, result: CallResult): Promise<void>;
  forgetChat(botId: number, chatId: number, nowMs: number): Promise<void>;
  /** A refusal said that a group became a supergroup. */
  follow(fromChatId: number, toChatId: number): Promise<void>;
}

const sent = `(select state from outbox o where o.intent_key = q.intent) as "sendState",
  coalesce((select error from outbox o where o.intent_key = q.intent), '') as "sendError"`;

type SentRow = QuestionRow & { sendState: OutboxState | null; sendError: string };

/** Retention removes sends before a question that waits for weeks. */
function withSend({ sendState, sendError, ...row }: SentRow): SentQuestion {
  const { text, detail } = unpackReason(sendError);
  const gone = row.messageId === 0 ? 'unknown' : 'sent';
  return {
    ...questionOf(row),
    sendState: row.intent === '' ? 'queued' : (sendState ?? gone),
    sendError: text,
    sendErrorDetail: detail,
  };
}

export function createQuestionRepository(engine: Engine): QuestionRepository {
  const { isIn, list: listed } = wordsOf[engine.dialect];
  const read = async (sql: string, parameters: unknown[]) =>
    (await engine.readRaw<QuestionRow>(sql, parameters)).map(questionOf);

  return {
    ask: (question, once, nowMs) =>
      engine.write(() => askStep(engine.dialect, question, once, nowMs)),
    askedBefore: async (once, nowMs) =>
      askedBy(await engine.readRaw<UsedKey>(usedKeySql, usedKeyOf(once, nowMs)), once),
    async get(id) {
      const [row] = await engine.readRaw<SentRow>(
        `select ${questionColumns}, ${sent} from questions q where id = $1`,
        [id],
      );
      return row && withSend(row);
    },
    async list({ botIds, chatIds, chatId, state, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ofBots(engine.dialect, botIds),
        ofChats(engine.dialect, chatIds),
        chatId !== undefined && ['chat_id = ?', chatId],
        state !== undefined && ['state = ?', state],
        beforeId !== undefined && ['id < ?', beforeId],
      ]);
      const rows = await engine.readRaw<SentRow>(
        `select ${questionColumns}, ${sent} from questions q ${where}
         order by id desc limit $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map(withSend);
    },
    end: (ending) =>
      engine.write(function* () {
        const [found] = yield* raw<{ botId: number; intent: string }>(
          `select bot_id as "botId", intent from questions where id = $1 and state = 'open'`,
          [ending.id],
        );
        if (!found) return undefined;
        yield* lockLog(engine.dialect, found.botId);
        const [open] = yield* raw(
          `select 1 as one from questions where id = $1 and state = 'open'`,
          [ending.id],
        );
        if (!open) return undefined;
        yield* withdrawSend(found.intent, ending.nowMs);
        const ended = yield* endQuestion(ending);
        yield* countOpen(found.botId);
        return ended;
      }),
    answeredAt: (botId, positions) =>
      read(
        `select ${questionColumns} from questions
         where bot_id = $1 and position > 0 and ${isIn('position', '$2')}`,
        [botId, listed(positions)],
      ),
    overdue: (nowMs, limit) =>
      engine.readRaw(
        `select id from questions where state = 'open' and expires_at <= $1
         order by expires_at limit $2`,
        [nowMs, limit],
      ),
    async nextAt() {
      const [row] = await engine.readRaw<{ expires: number | null; calls: number | null }>(
        `select (select min(expires_at) from questions where state = 'open') as expires,
           (select min(callback_at) from questions where callback_at > 0) as calls`,
      );
      const due = [row?.expires ?? 0, row?.calls ?? 0].filter((at) => at > 0);
      return due.length === 0 ? 0 : Math.min(...due);
    },
    askMoved: (nowMs, limit) =>
      engine.write(function* () {
        const rows = yield* raw<QuestionRow>(
          `select ${questionColumns} from questions where intent = '' and state = 'open'
           order by id limit $1 ${wordsOf[engine.dialect].lock('for update')}`,
          [limit],
        );
        for (const row of rows) yield* queueQuestion(questionOf(row), nowMs);
        return rows.map(({ botId }) => botId);
      }),
    failedCalls: (sinceMs) =>
      engine.readRaw(
        `select f.bot_id as "botId", f.count, f.since, f.error, q.chat_id as "chatId",
           q.message_id as "messageId"
         from (
           select bot_id, count(*) as count, min(ended_at) as since, max(callback_error) as error,
             min(id) as first
           from questions where callback_state = 'failed' and ended_at >= $1 group by bot_id
         ) as f join questions q on q.id = f.first`,
        [sinceMs],
      ),
    takeCalls: (nowMs, untilMs, { busy, limit, ofBot }) =>
      engine.write(function* () {
        const isDue = 'callback_at > 0 and (callback_at <= $1 or callback_at > $4)';
        const rows = yield* raw<QuestionRow>(
          `update questions set callback_at = $2, callback_attempts = callback_attempts + 1
           where id in (select id from questions where ${isDue} and id in (
             select id from (
               select id, callback_at as due_at,
                 row_number() over (partition by bot_id order by callback_at, id) as turn
               from questions where ${isDue} and not ${isIn('bot_id', '$6')}
             ) due where turn <= $5 order by due_at limit $3
           ) ${wordsOf[engine.dialect].lock('for update skip locked')})
           returning ${questionColumns}`,
          [nowMs, untilMs, limit, nowMs + longestPauseMs, ofBot, listed(busy)],
        );
        return rows.map(questionOf);
      }),
    async called({ id, callbackAttempts }, { state, nextAt, error }) {
      await engine.write(() =>
        changes(
          `update questions set callback_state = $3, callback_at = $4, callback_error = $5
           where id = $1 and callback_attempts = $2`,
          [id, callbackAttempts, state, nextAt, error],
        ),
      );
    },
    async forgetChat(botId, chatId, nowMs) {
      await engine.write(() => forgetQuestions(engine.dialect, { botId, chatId }, nowMs));
    },
    async follow(fromChatId, toChatId) {
      await engine.write(() => changes(followSql, [toChatId, fromChatId]));
    },
  };
}

function* askStep(
  dialect: DialectName,
  ...[question, once, nowMs]: Parameters<QuestionRepository['ask']>
): Step<Awaited<ReturnType<QuestionRepository['ask']>>> {
  const { botId } = question;
  yield* lockLog(dialect, botId);
  const used = once ? yield* raw<UsedKey>(usedKeySql, usedKeyOf(once, nowMs)) : [];
  const before = askedBy(used, once);
  if (before !== undefined) return before;
  const [head] = yield* raw<{ open: number }>(
    'select open_questions as open from log_heads where bot_id = $1',
    [botId],
  );
  if ((head?.open ?? 0) >= questionLimits.openPerBot) return 'full';
  const values = [
    botId,
    question.chatId,
    question.threadId,
    question.text,
    JSON.stringify(question.options),
    JSON.stringify(question.userIds),
    packAuthor(question.askedBy),
    question.nonce,
    nowMs,
    question.expiresAt,
    question.callbackUrl,
    once?.key ?? '',
    once?.hash ?? '',
  ];
  for (;;) {
    const [row] = yield* raw<QuestionRow>(insertSql, [...values, nowMs]);
    // Another bot's question may get the same number at this moment.
    if (!row) continue;
    const stored = questionOf(row);
    yield* queueQuestion(stored, nowMs);
    yield* countOpen(botId);
    return stored;
  }
}

interface UsedKey {
  id: number;
  hash: string;
}

const usedKeySql = `select id, request_hash as hash from questions
  where request_key <> '' and request_key = $1 and created_at > $2 order by id desc limit 1`;
const usedKeyOf = ({ key }: QuestionKey, nowMs: number) => [key, nowMs - keyLifetimeMs];

function askedBy([used]: UsedKey[], once: QuestionKey | undefined) {
  return used && (used.hash === once?.hash ? used.id : ('mismatch' as const));
}

/**
 * Numbers never repeat, not even after a restore from a backup: who waits for the answer to a
 * question that the backup does not have must not get that of another one. So they are at least
 * the time in milliseconds.
 */
const insertSql = `insert into questions (id, bot_id, chat_id, thread_id, text, options, user_ids,
    asked_by, nonce, created_at, expires_at, callback_url, request_key, request_hash)
  select case when coalesce(max(id), 0) < $14 then $14 else max(id) + 1 end,
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 from questions where true
  on conflict (id) do nothing returning ${questionColumns}`;

const followSql = `update questions set chat_id = $1, message_id = 0, intent = ''
  where chat_id = $2 and state = 'open'`;

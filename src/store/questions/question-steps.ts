/*
 * The steps that change questions.
 *
 * Invariants: a question ends once, because its end is an update of an open row, in the transaction
 * that also queues what tells it; opening or ending one needs the lock of the bot's log, so an
 * append knows which are open. Rows are locked in the order log, outbox, chat, question.
 */
import { packReason } from '../../core/reasons/stored.ts';
import { reason } from '../../core/reasons/reason.ts';
import { askAuthor, type Question, type QuestionEnd } from '../../core/questions/question.ts';
import { askParams, outcomeParams } from '../../core/questions/question-message.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { enqueueIntent, type OnSent } from '../outbox/outbox.ts';
import { takeLock } from '../sql/dialect.ts';
import { type QuestionRow, questionColumns, questionOf } from './question-row.ts';

/** Locks the log of a bot; the row is created if the bot never received anything. */
export function* lockLog(dialect: DialectName, botId: number): Step<void> {
  yield* raw(
    `insert into log_heads (bot_id) select id from bots where id = $1 on conflict do nothing`,
    [botId],
  );
  yield* takeLock(dialect, 'select 1 from log_heads where bot_id = $1 for update', [botId]);
}

/** Counts the open questions again, which tells appends whether they have to look for any. */
export function* countOpen(botId: number): Step<void> {
  yield* raw(
    `update log_heads set open_questions =
       (select count(*) from questions where bot_id = $1 and state = 'open')
     where bot_id = $1`,
    [botId],
  );
}

export interface Ending {
  id: number;
  state: QuestionEnd;
  nowMs: number;
  answer?: { text: string; userId: number; name: string; messageId: number; position: number };
}

/** Ends an open question and queues the edit that shows it; undefined if it is not open. */
export function* endQuestion({ id, state, nowMs, answer }: Ending): Step<Question | undefined> {
  const [row] = yield* raw<QuestionRow>(
    `update questions set state = $2, ended_at = $3, answer = $4, answered_by = $5,
       answerer_name = $6, position = $7,
       message_id = case when message_id = 0 then cast($8 as bigint) else message_id end,
       callback_state = case when callback_url = '' then '' else 'waiting' end,
       callback_at = case when callback_url = '' then 0 else cast($3 as bigint) end
     where id = $1 and state = 'open' returning ${questionColumns}`,
    [
      id,
      state,
      nowMs,
      answer?.text ?? '',
      answer?.userId ?? 0,
      answer?.name ?? '',
      answer?.position ?? 0,
      answer?.messageId ?? 0,
    ],
  );
  if (!row) return undefined;
  const question = questionOf(row);
  if (question.messageId !== 0) yield* queueOutcome(question, nowMs);
  return question;
}

function* queueOutcome(question: Question, nowMs: number): Step<void> {
  const { botId, chatId, id } = question;
  const intentKey = `ask:${id}:${question.messageId}:end`;
  const intent = { botId, chatId, intentKey, params: outcomeParams(question) };
  const method = 'editMessageText';
  const how = { origin: 'sent', priority: 'interactive', author: askAuthor(question) } as const;
  yield* enqueueIntent({ ...intent, ...how, method }, nowMs);
}

/** Queues the question under a new key. A group that moved is asked again, under its new ID. */
export function* queueQuestion(question: Question, nowMs: number): Step<void> {
  const { botId, chatId, id } = question;
  const intentKey = `ask:${id}:${chatId}`;
  yield* raw('update questions set intent = $2 where id = $1', [id, intentKey]);
  const intent = { botId, chatId, intentKey, params: askParams(question) };
  const how = { origin: 'sent', priority: 'interactive', author: askAuthor(question) } as const;
  yield* enqueueIntent({ ...intent, ...how, method: 'sendMessage' }, nowMs);
}

/** A question that ends before it was sent is not sent any more. */
export function* withdrawSend(intent: string, nowMs: number): Step<void> {
  yield* raw(
    `update outbox set state = 'failed', error = $2, updated_at = $3
     where intent_key = $1 and state = 'queued'`,
    [intent, packReason(reason('question_ended')), nowMs],
  );
}

/** Runs in the commit that records a send: the question may have ended while it was in flight. */
export function* questionSent(
  { author, intentKey }: Parameters<OnSent>[0],
  messageId: number | null,
  nowMs: number,
): Step<void> {
  if (author?.kind !== 'ask' || !intentKey || messageId === null) return;
  const [row] = yield* raw<QuestionRow>(
    `update questions set message_id = $2 where intent = $1 returning ${questionColumns}`,
    [intentKey, messageId],
  );
  if (row && row.state !== 'open') yield* queueOutcome(questionOf(row), nowMs);
}

/** Forgets the questions of a chat. */
export function* forgetQuestions(
  dialect: DialectName,
  { botId, chatId }: { botId: number; chatId: number },
  nowMs: number,
): Step<void> {
  yield* lockLog(dialect, botId);
  const rows = yield* raw<{ intent: string }>(
    `select intent from questions where bot_id = $1 and chat_id = $2 and state = 'open'`,
    [botId, chatId],
  );
  for (const { intent } of rows) yield* withdrawSend(intent, nowMs);
  yield* raw('delete from questions where bot_id = $1 and chat_id = $2', [botId, chatId]);
  yield* countOpen(botId);
}

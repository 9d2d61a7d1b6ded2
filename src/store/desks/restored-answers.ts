/*
 * Answers of the team that were queued when a backup was made are not sent after its restore,
 * because they may have been sent since. The topics are told.
 */
import type { DeskAnswer } from '../../core/desks/desk.ts';
import { reason } from '../../core/reasons/reason.ts';
import { storedAs } from '../../core/reasons/stored.ts';
import { type DialectName, type Engine, raw } from '../engine.ts';
import { noteInTopic } from './desk-queue.ts';

/** PostgreSQL is settled by hand, with this as the error (docs/operate.md). */
const settledByHand = 'restored from a backup';
const atOnce = 50;

interface AnswerRow {
  id: number;
  context: string;
}

/** Returns the bots that have to say so. */
export async function tellRestored(engine: Engine, nowMs: number): Promise<Set<number>> {
  const bots = new Set<number>();
  for (let after = 0; ; ) {
    const answers = await engine.readRaw<AnswerRow>(
      `select id, context from outbox where state = 'unknown' and id > $1
         and (error like $2 or error = $3) and context like '%"answer":{"topicId"%'
       order by id limit $4`,
      [after, storedAs('restored_unsent'), settledByHand, atOnce],
    );
    for (const answer of answers) {
      const botId = await engine.write(() => tell(engine.dialect, answer, nowMs));
      if (botId !== 0) bots.add(botId);
    }
    if (answers.length < atOnce) return bots;
    after = answers.at(-1)?.id ?? 0;
  }
}

function* tell(dialect: DialectName, { id, context }: AnswerRow, nowMs: number) {
  const { answer, ...rest } = JSON.parse(context) as { answer: DeskAnswer };
  // What was told is not told again, also if the next start finds the answer once more.
  const told = JSON.stringify({ ...rest, answer: { told: true, ...answer } });
  const found = yield* raw(
    'update outbox set context = $3 where id = $1 and context = $2 returning id',
    [id, context, told],
  );
  if (found.length === 0) return 0;
  const why = reason('desk_answer_unknown', { cause: reason('restored_unsent') });
  const { topicId, messageId } = answer;
  return yield* noteInTopic(
    dialect,
    topicId,
    { key: `desk:note:${id}:restored`, why, replyTo: messageId },
    nowMs,
  );
}

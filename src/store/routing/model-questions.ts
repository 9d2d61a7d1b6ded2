import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';

/** An update that waits for the model's choice. */
export interface ModelQuestion {
  botId: number;
  position: number;
  attempts: number;
  nextAttemptAt: number;
}

export interface ModelUsage {
  calls: number;
  inputTokens: number;
  outputTokens: number;
}

export interface ModelQuestionRepository {
  /** Lists the bots with updates about which the model must be asked. */
  bots(): Promise<number[]>;
  /** Lists the questions of some bots, in the order in which they are due. */
  next(botIds: readonly number[], limit: number): Promise<ModelQuestion[]>;
  postpone(question: ModelQuestion, untilMs: number): Promise<void>;
  usage(month: string): Promise<ModelUsage>;
  count(month: string, used: ModelUsage): Promise<void>;
}

export function createModelQuestionRepository(engine: Engine): ModelQuestionRepository {
  const { isIn, list } = wordsOf[engine.dialect];
  return {
    async bots() {
      const rows = await engine.readRaw<{ botId: number }>(
        'select distinct bot_id as "botId" from model_questions',
        [],
      );
      return rows.map((row) => row.botId);
    },
    async next(botIds, limit) {
      if (botIds.length === 0) return [];
      return engine.readRaw<ModelQuestion>(
        `select bot_id as "botId", position, attempts, next_attempt_at as "nextAttemptAt"
         from model_questions where ${isIn('bot_id', '$1')}
         order by next_attempt_at, bot_id, position limit $2`,
        [list(botIds), limit],
      );
    },
    async postpone({ botId, position }, untilMs) {
      await engine.write(() =>
        raw(
          `update model_questions set attempts = attempts + 1, next_attempt_at = $1
           where bot_id = $2 and position = $3`,
          [untilMs, botId, position],
        ),
      );
    },
    async usage(month) {
      const [row] = await engine.readRaw<ModelUsage>(
        `select calls, input_tokens as "inputTokens", output_tokens as "outputTokens"
         from model_usage where month = $1`,
        [month],
      );
      return row ?? { calls: 0, inputTokens: 0, outputTokens: 0 };
    },
    count: (month, used) => engine.write(() => addUsage(month, used)),
  };
}

/** Counts a call; the month is written as 2026-01. */
export function* addUsage(month: string, used: ModelUsage): Step<void> {
  yield* raw(
    `insert into model_usage (month, calls, input_tokens, output_tokens) values ($1, $2, $3, $4)
     on conflict (month) do update set calls = model_usage.calls + excluded.calls,
       input_tokens = model_usage.input_tokens + excluded.input_tokens,
       output_tokens = model_usage.output_tokens + excluded.output_tokens`,
    [month, used.calls, used.inputTokens, used.outputTokens],
  );
}

/** Removes a question; false if another node answered it first. */
export function* openQuestion(
  { botId, position }: Pick<ModelQuestion, 'botId' | 'position'>,
  nowMs: number,
): Step<void> {
  yield* raw(
    `insert into model_questions (bot_id, position, next_attempt_at, asked_at)
     values ($1, $2, $3, $3) on conflict do nothing`,
    [botId, position, nowMs],
  );
}

export function* closeQuestion(question: Pick<ModelQuestion, 'botId' | 'position'>): Step<boolean> {
  const rows = yield* raw(
    'delete from model_questions where bot_id = $1 and position = $2 returning position',
    [question.botId, question.position],
  );
  return rows.length > 0;
}

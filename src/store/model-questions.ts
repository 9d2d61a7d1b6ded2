import { type Engine, raw, type Step } from './engine.ts';

/** An update that waits for the model's choice. */
export interface ModelQuestion {
  botId: number;
  position: number;
  attempts: number;
  askedAt: number;
}

export interface ModelUsage {
  calls: number;
  inputTokens: number;
  outputTokens: number;
}

export interface ModelQuestions {
  /** Those that are due, oldest first. */
  due(nowMs: number, limit: number): Promise<ModelQuestion[]>;
  /** When the next one is due; undefined when none waits. */
  nextDueAt(): Promise<number | undefined>;
  postpone(question: ModelQuestion, untilMs: number): Promise<void>;
  usage(month: string): Promise<ModelUsage>;
}

export function createModelQuestions(engine: Engine): ModelQuestions {
  return {
    due: (nowMs, limit) =>
      engine.readRaw<ModelQuestion>(
        `select bot_id as "botId", position, attempts, asked_at as "askedAt"
         from model_questions where next_attempt_at <= $1 order by next_attempt_at limit $2`,
        [nowMs, limit],
      ),
    async nextDueAt() {
      const [row] = await engine.readRaw<{ at: number | null }>(
        'select min(next_attempt_at) as at from model_questions',
        [],
      );
      return row?.at ?? undefined;
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

/** Takes a question off the list; false when another node answered it first. */
export function* closeQuestion(question: Pick<ModelQuestion, 'botId' | 'position'>): Step<boolean> {
  const rows = yield* raw(
    'delete from model_questions where bot_id = $1 and position = $2 returning position',
    [question.botId, question.position],
  );
  return rows.length > 0;
}

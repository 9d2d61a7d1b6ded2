import { type Engine, raw, type Step } from './engine.ts';

/** Why an update was routed as it was; one per update. */
export interface Decision {
  id: number;
  botId: number;
  position: number;
  updateId: number;
  chatId: number;
  userId: number;
  messageId: number;
  outcome: DecisionOutcome;
  /** In words, for people. */
  reason: string;
  /** The ids of the routes that were asked, as ranges: "1-40,57". */
  asked: string;
  /** What each matching route did, as JSON. */
  matched: string;
  /** What the model was asked and answered, as JSON; '' when it was not asked. */
  model: string;
  createdAt: number;
}

export type DecisionOutcome =
  | 'routed'
  | 'dropped'
  | 'returned'
  | 'edited'
  | 'none'
  | 'own'
  | 'album'
  | 'asking'
  | 'failed';

export type NewDecision = Omit<Decision, 'id' | 'model'> & { model?: string };

const columns = `id, bot_id as "botId", position, update_id as "updateId", chat_id as "chatId",
  user_id as "userId", message_id as "messageId", outcome, reason, asked, matched, model,
  created_at as "createdAt"`;

export interface DecisionFilter {
  botIds: readonly number[] | null;
  chatId?: number;
  outcome?: string;
  beforeId?: number;
  limit: number;
}

export interface Decisions {
  ofMessage(botId: number, chatId: number, messageId: number): Promise<Decision[]>;
  list(filter: DecisionFilter): Promise<Decision[]>;
}

export function createDecisions(engine: Engine): Decisions {
  return {
    ofMessage: (botId, chatId, messageId) =>
      engine.readRaw<Decision>(
        `select ${columns} from route_decisions
         where bot_id = $1 and chat_id = $2 and message_id = $3 order by id`,
        [botId, chatId, messageId],
      ),
    list({ botIds, chatId, outcome, beforeId, limit }) {
      const conditions = ['1 = 1'];
      const parameters: unknown[] = [];
      const where = (text: string, value: unknown) => {
        parameters.push(value);
        conditions.push(text.replace('?', `$${parameters.length}`));
      };
      if (botIds) {
        if (botIds.length === 0) return Promise.resolve([]);
        // Ids come from a key's list, so they are numbers and few.
        conditions.push(`bot_id in (${botIds.map(Number).join(', ')})`);
      }
      if (chatId !== undefined) where('chat_id = ?', chatId);
      if (outcome !== undefined) where('outcome = ?', outcome);
      if (beforeId !== undefined) where('id < ?', beforeId);
      parameters.push(limit);
      return engine.readRaw<Decision>(
        `select ${columns} from route_decisions where ${conditions.join(' and ')}
         order by id desc limit $${parameters.length}`,
        parameters,
      );
    },
  };
}

/** Records a decision; false when this update was decided before, and then nothing may be sent. */
export function* addDecision(decision: NewDecision): Step<boolean> {
  const rows = yield* raw(
    `insert into route_decisions (bot_id, position, update_id, chat_id, user_id, message_id,
       outcome, reason, asked, matched, model, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (bot_id, position) do nothing returning id`,
    [
      decision.botId,
      decision.position,
      decision.updateId,
      decision.chatId,
      decision.userId,
      decision.messageId,
      decision.outcome,
      decision.reason,
      decision.asked,
      decision.matched,
      decision.model ?? '',
      decision.createdAt,
    ],
  );
  return rows.length > 0;
}

/** What the model's choice came to. */
export function* settleDecision(
  botId: number,
  position: number,
  settled: Pick<Decision, 'outcome' | 'reason' | 'matched' | 'model'>,
): Step<void> {
  yield* raw(
    `update route_decisions set outcome = $1, reason = $2, matched = $3, model = $4
     where bot_id = $5 and position = $6`,
    [settled.outcome, settled.reason, settled.matched, settled.model, botId, position],
  );
}

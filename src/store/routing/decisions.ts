import type { Reason } from '../../core/reasons/reason.ts';
import { packReason, unpackReason } from '../../core/reasons/stored.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { type Words, wordsOf } from '../sql/dialect.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { filter, ofBots } from '../sql/filter.ts';
import type { MessageKey } from './message-pairs.ts';

/** The reason for the routing of an update; one per update. */
export interface Decision {
  id: number;
  botId: number;
  position: number;
  updateId: number;
  /** The connection of a business account; '' in the bot's own chats. */
  connection: string;
  chatId: number;
  userId: number;
  messageId: number;
  outcome: DecisionOutcome;
  /** The reason as a sentence, for people. */
  reason: string;
  reasonDetail: Reason | null;
  /** The IDs of the routes that were checked, as ranges: "1-40,57". */
  asked: string;
  /** The result of each matching route, as JSON. */
  matched: string;
  /** The question to the model and its answer, as JSON; '' if it was not asked. */
  model: string;
  createdAt: number;
}

export type DecisionOutcome =
  | 'routed'
  | 'dropped'
  | 'returned'
  | 'edited'
  | 'deleted'
  | 'none'
  | 'own'
  | 'album'
  | 'asking'
  | 'desk'
  | 'failed';

export type NewDecision = Omit<Decision, 'id' | 'model' | 'reason' | 'reasonDetail'> & {
  reason: Reason;
  model?: string;
};

const columns = `id, bot_id as "botId", position, update_id as "updateId", connection,
  chat_id as "chatId", user_id as "userId", message_id as "messageId", outcome, reason, asked, matched, model,
  created_at as "createdAt"`;

export interface DecisionFilter {
  botIds: readonly number[] | null;
  chatId?: number;
  outcome?: string;
  /** Lists only failures: in deciding, or in sending what was decided. */
  failed?: boolean;
  beforeId?: number;
  limit: number;
}

export interface DecisionRepository {
  ofMessage(message: MessageKey): Promise<Decision[]>;
  list(filter: DecisionFilter): Promise<Decision[]>;
  /** Returns the decisions on the updates at these positions. */
  at(botId: number, positions: readonly number[]): Promise<Decision[]>;
  /** Records decisions of updates; returns the positions of those that were not decided before. */
  add(decisions: readonly NewDecision[]): Step<Set<number>>;
  /** Returns which of these positions were decided together with the album before them. */
  albumParts(botId: number, positions: readonly number[]): Promise<Set<number>>;
}

/**
 * SQL: a decision whose send was not made, or may not have arrived: not sent, failed, unknown.
 * Codes begin with not_sent; `_` matches any character, so it also fits what older versions wrote.
 */
const notSent = ({ elements, strings }: Words) => {
  const matches = elements('route_decisions.matched', 'm');
  return `exists (select 1 from ${matches} where m.value ->> 'result' like 'not_sent%')
    or exists (select 1 from ${matches}, ${strings("(m.value -> 'intents')", 'i')}
      join outbox o on o.intent_key = i.value where o.state in ('failed', 'unknown'))`;
};

const insertDecisions = bulkInsert<ReturnType<typeof rowOf>, 'position'>({
  table: 'route_decisions',
  columns: {
    bot_id: 'bigint',
    position: 'bigint',
    update_id: 'bigint',
    connection: 'text',
    chat_id: 'bigint',
    user_id: 'bigint',
    message_id: 'bigint',
    outcome: 'text',
    reason: 'text',
    asked: 'text',
    matched: 'text',
    model: 'text',
    created_at: 'bigint',
  },
  onConflict: '(bot_id, position) do nothing',
  returning: ['position'],
});

export function createDecisionRepository(engine: Engine): DecisionRepository {
  async function readDecisions(
    sql: string,
    parameters: unknown[],
    read: 'readRaw' | 'readHeavy' = 'readRaw',
  ): Promise<Decision[]> {
    const rows = await engine[read]<Decision>(sql, parameters);
    return rows.map((row) => {
      const { text, detail } = unpackReason(row.reason);
      return { ...row, reason: text, reasonDetail: detail };
    });
  }

  return {
    *add(decisions) {
      const added = yield* insertDecisions(engine.dialect, decisions.map(rowOf));
      return new Set(added.map(({ position }) => position));
    },
    ofMessage: ({ botId, connection, chatId, messageId }) =>
      readDecisions(
        `select ${columns} from route_decisions
         where bot_id = $1 and chat_id = $2 and message_id = $3 and connection = $4 order by id`,
        [botId, chatId, messageId, connection],
      ),
    at(botId, positions) {
      const { isIn, list } = wordsOf[engine.dialect];
      return readDecisions(
        `select ${columns} from route_decisions where bot_id = $1 and ${isIn('position', '$2')}`,
        [botId, list(positions)],
      );
    },
    async albumParts(botId, positions) {
      if (positions.length === 0) return new Set();
      const rows = await engine.readRaw<{ position: number }>(
        `select position from route_decisions where bot_id = $1 and outcome = 'album'
         and position between $2 and $3`,
        [botId, Math.min(...positions), Math.max(...positions)],
      );
      return new Set(rows.map((row) => row.position));
    },
    async list({ botIds, chatId, outcome, failed, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ofBots(engine.dialect, botIds),
        chatId !== undefined && ['chat_id = ?', chatId],
        outcome !== undefined && ['outcome = ?', outcome],
        failed && [`(outcome = 'failed' or ${notSent(wordsOf[engine.dialect])})`],
        beforeId !== undefined && ['id < ?', beforeId],
      ]);
      const text = `select ${columns} from route_decisions ${where}
        order by id desc limit $${parameters.push(limit)}`;
      // Failures may be rare, so the event loop must not wait until enough are found.
      return failed
        ? readDecisions(text, parameters, 'readHeavy')
        : readDecisions(text, parameters);
    },
  };
}

function rowOf(decision: NewDecision) {
  return {
    bot_id: decision.botId,
    position: decision.position,
    update_id: decision.updateId,
    connection: decision.connection,
    chat_id: decision.chatId,
    user_id: decision.userId,
    message_id: decision.messageId,
    outcome: decision.outcome,
    reason: packReason(decision.reason),
    asked: decision.asked,
    matched: decision.matched,
    model: decision.model ?? '',
    created_at: decision.createdAt,
  };
}

/** Stores the result of the model's choice. */
export function* settleDecision(
  botId: number,
  position: number,
  settled: Pick<Decision, 'outcome' | 'matched' | 'model'> & { reason: Reason },
): Step<void> {
  yield* raw(
    `update route_decisions set outcome = $1, reason = $2, matched = $3, model = $4
     where bot_id = $5 and position = $6`,
    [settled.outcome, packReason(settled.reason), settled.matched, settled.model, botId, position],
  );
}

/** Sends the rest of an album to where the model sent its first part. */
export function* settleAlbumPart(botId: number, position: number, matched: string): Step<void> {
  yield* raw(
    `update route_decisions set matched = $1
     where bot_id = $2 and position = $3 and outcome = 'album'`,
    [matched, botId, position],
  );
}

import type { Generated } from 'kysely';

interface MessagePairsTable {
  bot_id: number;
  connection: Generated<string>;
  chat_id: number;
  message_id: number;
  peer_bot_id: number;
  peer_connection: Generated<string>;
  peer_chat_id: number;
  peer_message_id: number;
  route_id: number;
  style: string;
  hops: number;
  created_at: number;
}

interface RouteDecisionsTable {
  id: Generated<number>;
  bot_id: number;
  position: number;
  update_id: number;
  connection: Generated<string>;
  chat_id: number;
  user_id: number;
  message_id: number;
  outcome: string;
  reason: string;
  asked: string;
  matched: string;
  model: Generated<string>;
  created_at: number;
}

interface ModelQuestionsTable {
  bot_id: number;
  position: number;
  attempts: Generated<number>;
  next_attempt_at: number;
  asked_at: number;
}

interface RouteTrafficTable {
  route_id: number;
  /** Hours since the epoch. */
  hour: number;
  messages: number;
}

interface ModelUsageTable {
  month: string;
  calls: Generated<number>;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
}

export interface RoutingTables {
  message_pairs: MessagePairsTable;
  route_decisions: RouteDecisionsTable;
  model_questions: ModelQuestionsTable;
  model_usage: ModelUsageTable;
  route_traffic: RouteTrafficTable;
}

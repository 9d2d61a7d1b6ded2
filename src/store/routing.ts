import { createDecisions, type Decisions } from './decisions.ts';
import { type Engine, raw, type Step } from './engine.ts';
import { createMessagePairs, type MessagePairs } from './message-pairs.ts';
import { createModelQuestions, type ModelQuestions } from './model-questions.ts';

/** What routing asks of the store beyond the routes themselves. */
export interface RoutingStore {
  pairs: MessagePairs;
  decisions: Decisions;
  questions: ModelQuestions;
  /** Whether the relay sent this message, through whichever bot. Not for private chats. */
  isOwnMessage(chatId: number, messageId: number): Promise<boolean>;
  isRegisteredBot(platformId: number): Promise<boolean>;
  /** Whether a bot has routes, is the target of some, lets the model route, or has pairs. */
  takesPart(botId: number): Promise<boolean>;
  /** A bot that takes no part has nothing to read: or it would begin with the past one day. */
  endReader(botId: number): Promise<void>;
  /** How many messages each route took since a moment. */
  traffic(sinceMs: number): Promise<Map<number, number>>;
}

/** The name of the reader that routes. */
export const routingReader = 'routing';

const hourMs = 3_600_000;

/** Counts a message that these routes took; a route deleted meanwhile is not counted. */
export function* countTraffic(routeIds: readonly number[], nowMs: number): Step<void> {
  for (const routeId of routeIds) {
    yield* raw(
      `insert into route_traffic (route_id, hour, messages)
       select id, $2, 1 from routes where id = $1
       on conflict (route_id, hour) do update set messages = route_traffic.messages + 1`,
      [routeId, Math.floor(nowMs / hourMs)],
    );
  }
}

export function createRoutingStore(engine: Engine): RoutingStore {
  const exists = async (sql: string, parameters: readonly unknown[]) =>
    (await engine.readRaw(`${sql} limit 1`, parameters)).length > 0;

  return {
    pairs: createMessagePairs(engine),
    decisions: createDecisions(engine),
    questions: createModelQuestions(engine),
    isOwnMessage: (chatId, messageId) =>
      exists(
        `select 1 from bots join messages on messages.bot_id = bots.id
         where messages.chat_id = $1 and messages.id = $2 and messages.origin <> 'received'`,
        [chatId, messageId],
      ),
    async traffic(sinceMs) {
      const rows = await engine.readRaw<{ routeId: number; messages: number }>(
        `select route_id as "routeId", sum(messages) as messages from route_traffic
         where hour > $1 group by route_id`,
        [Math.floor(sinceMs / hourMs)],
      );
      return new Map(rows.map((row) => [row.routeId, Number(row.messages)]));
    },
    isRegisteredBot: (platformId) =>
      exists('select 1 from bots where platform_id = $1', [platformId]),
    async endReader(botId) {
      const reader = [botId, routingReader];
      if (!(await exists('select 1 from readers where bot_id = $1 and name = $2', reader))) return;
      await engine.write(() => raw('delete from readers where bot_id = $1 and name = $2', reader));
    },
    takesPart: async (botId) =>
      (await exists('select 1 from routes where source_bot_id = $1 or target_bot_id = $1', [
        botId,
      ])) ||
      (await exists('select 1 from bots where id = $1 and llm_routing_enabled = 1', [botId])) ||
      (await exists('select 1 from message_pairs where bot_id = $1', [botId])),
  };
}

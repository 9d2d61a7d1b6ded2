import { createDecisions, type Decisions } from './decisions.ts';
import type { Engine } from './engine.ts';
import { createMessagePairs, type MessagePairs } from './message-pairs.ts';

/** What routing asks of the store beyond the routes themselves. */
export interface RoutingStore {
  pairs: MessagePairs;
  decisions: Decisions;
  /** Whether the relay sent this message, through whichever bot. Not for private chats. */
  isOwnMessage(chatId: number, messageId: number): Promise<boolean>;
  isRegisteredBot(platformId: number): Promise<boolean>;
  /** Whether a bot has routes, is the target of some, lets the model route, or has pairs. */
  takesPart(botId: number): Promise<boolean>;
}

export function createRoutingStore(engine: Engine): RoutingStore {
  const exists = async (sql: string, parameters: readonly unknown[]) =>
    (await engine.readRaw(`${sql} limit 1`, parameters)).length > 0;

  return {
    pairs: createMessagePairs(engine),
    decisions: createDecisions(engine),
    isOwnMessage: (chatId, messageId) =>
      exists(
        `select 1 from bots join messages on messages.bot_id = bots.id
         where messages.chat_id = $1 and messages.id = $2 and messages.origin <> 'received'`,
        [chatId, messageId],
      ),
    isRegisteredBot: (platformId) =>
      exists('select 1 from bots where platform_id = $1', [platformId]),
    takesPart: async (botId) =>
      (await exists('select 1 from routes where source_bot_id = $1 or target_bot_id = $1', [
        botId,
      ])) ||
      (await exists('select 1 from bots where id = $1 and llm_routing_enabled = 1', [botId])) ||
      (await exists('select 1 from message_pairs where bot_id = $1', [botId])),
  };
}

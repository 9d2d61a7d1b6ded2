import type { BotRecord } from '../../store/bots/bots.ts';
import type { DecisionOutcome } from '../../store/routing/decisions.ts';
import type { MessagePairRepository } from '../../store/routing/message-pairs.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import type { RouteSource } from './build-routed-send.ts';

/** What one matching route came to. */
export interface MatchRecord {
  route_id: number;
  action: string;
  reason: string;
  target_bot_id: number;
  target_chat_id: number;
  /** The business account in whose name it goes there; left out in the bot's own chats. */
  target_connection?: string;
  /** queued, dropped, or why nothing was sent. */
  result: string;
  /** The keys under which the sends stand in the outbox. */
  intents: string[];
}

export interface RoutingDecision {
  outcome: DecisionOutcome;
  reason: string;
  matched: MatchRecord[];
  intents: OutboxIntent[];
}

export interface RoutableItem {
  bot: BotRecord;
  position: number;
  /** One message, or the parts of an album, oldest first. */
  source: RouteSource;
  userId: number;
  text: string;
  mediaType: string | null;
}

export interface DecideDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  pairs: MessagePairRepository;
  /** Messages that the relay itself sent, by whichever bot. */
  isOwnMessage(chatId: number, messageId: number): Promise<boolean>;
  isRegisteredBot(platformId: number): Promise<boolean>;
  /** By this bot, or by any. */
  isSendingTo(chatId: number, botId?: number): Promise<boolean>;
  route(id: number): Promise<RouteRecord | undefined>;
}

/** How the result of a match begins for which there was nothing to send. */
export const notSent = 'not sent';
export const notRoutable = `${notSent}: this kind of message cannot be carried to another bot`;

export function keysOf(intents: readonly OutboxIntent[] | undefined): string[] {
  return (intents ?? []).map((intent) => intent.intentKey ?? '');
}

export function decisionWithoutSends(outcome: DecisionOutcome, reason: string): RoutingDecision {
  return { outcome, reason, matched: [], intents: [] };
}

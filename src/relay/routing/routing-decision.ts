import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import type { RouteMatch, RouteMatcher } from '../../core/routing/route-matcher.ts';
import type { PatternTime } from '../../core/search/pattern-time.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { DecisionOutcome, NewDecision } from '../../store/routing/decisions.ts';
import type { MessageKey, MessagePairRepository } from '../../store/routing/message-pairs.ts';
import type { DesksOfBot } from '../../store/desks/desk-reads.ts';
import type { DeskRepository } from '../../store/desks/desks.ts';
import type { ChangedConversation } from '../../store/conversations/topic-states.ts';
import type { Step } from '../../store/engine.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import type { RouteSource } from './build-routed-send.ts';

/** The result of one matching route. */
export interface MatchRecord {
  route_id: number;
  action: string;
  reason: string;
  /** Missing in records of older versions. */
  reason_detail?: Reason;
  target_bot_id: number;
  target_chat_id: number;
  /** The topic that the message is sent into; left out if there is none. */
  target_thread_id?: number;
  /** The business account that the message is sent for; left out in the bot's own chats. */
  target_connection?: string;
  /**
   * queued, dropped, or the code of the reason why nothing was sent; older versions stored its
   * sentence.
   */
  result: string;
  /** The keys of the sends in the outbox. */
  intents: string[];
}

/** `onChange` hears of a conversation whose state that changes. */
export type DecisionAct = (
  nowMs: number,
  onChange: (conversation: ChangedConversation) => void,
) => Step<number | readonly number[]>;

export interface RoutingDecision {
  outcome: DecisionOutcome;
  reason: Reason;
  matched: MatchRecord[];
  intents: OutboxIntent[];
  /** What a desk adds to the commit; returns the bots for which something is queued; 0 is none. */
  act?: DecisionAct | undefined;
  /** The conversation whose state or assignee that changes. */
  changes?: { botId: number; chatId: number } | undefined;
}

export interface RoutableItem {
  bot: BotRecord;
  position: number;
  /** One message, or the parts of an album, oldest first. */
  source: RouteSource;
  userId: number;
  /** Its topic, 1 for General; undefined outside of topics. */
  threadId: number | undefined;
  text: string;
  mediaType: string | null;
}

/** The routes of a bot. */
export interface Rules {
  matcher: RouteMatcher<RouteRecord>;
  /**
   * True if some route to the bot takes what is written there as an answer to the latest message.
   */
  answersLatest: boolean;
  desks: DesksOfBot;
}

export interface DecideDeps {
  desks: Pick<
    DeskRepository,
    | 'act'
    | 'hasTopicNamed'
    | 'isBanned'
    | 'note'
    | 'noteForCustomer'
    | 'rate'
    | 'replyInAbsence'
    | 'setClosed'
    | 'take'
    | 'topicAt'
    | 'topicOfCard'
  >;
  /** Says whether a person is an administrator of a forum; undefined if Telegram does not say. */
  isForumAdmin(bot: BotRecord, chatId: number, userId: number): Promise<boolean | undefined>;
  bots: { get(id: number): Promise<BotRecord | undefined> };
  pairs: MessagePairRepository;
  /** True for messages that the relay itself sent, through any bot. */
  isOwnMessage(chatId: number, messageId: number): Promise<boolean>;
  isRegisteredBot(platformId: number): Promise<boolean>;
  /** True if this bot, or any bot if none is given, is sending to the chat. */
  isSendingTo(chatId: number, botId?: number): Promise<boolean>;
  route(id: number): Promise<RouteRecord | undefined>;
  /** Returns the topic of a stored message; undefined if it is in none, or not stored. */
  topicOf(message: MessageKey): Promise<number | undefined>;
  /** Limits how long the patterns of routes may take. */
  patterns: PatternTime;
}

/** The reason why a match sent nothing. */
export type NotSent = 'not_sent_kind' | 'not_sent_gone' | 'not_sent_disabled';

/** True if there was something to send and nothing was sent. */
export function isNotSent({ result }: MatchRecord): boolean {
  return result !== 'queued' && result !== 'dropped';
}

/** Returns a reason as decisions store it and simulations show it. */
export function matchReason(why: Reason): { reason: string; reason_detail: Reason } {
  return { reason: reasonText(why), reason_detail: why };
}

/** Says which topic a route sends into. A group has the same topics for all its bots. */
export function targetTopic(
  route: Pick<RouteRecord, 'target_chat_id' | 'target_thread_id'>,
  { chatId, threadId = 0 }: { chatId: number; threadId?: number | undefined },
): { target_thread_id?: number } {
  const topic = route.target_chat_id === 0 && chatId < 0 ? threadId : route.target_thread_id;
  return topic === 0 ? {} : { target_thread_id: topic };
}

/** The reason if no route matched and not every pattern could be decided. */
export function undecidedReason(undecided: readonly RouteMatch<RouteRecord>[]): Reason {
  return reason('routes_undecided', { route_ids: undecided.map(({ route }) => route.id) });
}

export function keysOf(intents: readonly OutboxIntent[] | undefined): string[] {
  return (intents ?? []).map((intent) => intent.intentKey ?? '');
}

export function decisionWithoutSends(outcome: DecisionOutcome, why: Reason): RoutingDecision {
  return { outcome, reason: why, matched: [], intents: [] };
}

export interface PlannedDecision {
  decision: Omit<NewDecision, 'createdAt'>;
  intents: OutboxIntent[];
  act?: RoutingDecision['act'];
  changes?: RoutingDecision['changes'];
  /** The routes that dropped the message; the traffic of other routes is counted on arrival. */
  droppedBy: number[];
  /** Positions whose questions to the model are withdrawn. */
  withdrawn: number[];
}

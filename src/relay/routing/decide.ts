/*
 * What is to be done with one message that a bot received: take the return path, follow the rules,
 * or ask the model. It only decides; the router commits the decision and the sends together.
 */
import type { RouteMatch, RouteMatcher } from '../../core/route-matcher.ts';
import { integer, object, type Wire } from '../../core/message-facts.ts';
import type { BotRecord } from '../../store/bots.ts';
import type { DecisionOutcome } from '../../store/decisions.ts';
import type { MessagePair, MessagePairs } from '../../store/message-pairs.ts';
import type { OutboxIntent } from '../../store/outbox.ts';
import type { RouteRecord } from '../../store/routes.ts';
import { carry, carryEdit, type CarrySource } from './carry.ts';

/** What one matching route came to. */
export interface MatchRecord {
  route_id: number;
  action: string;
  reason: string;
  target_bot_id: number;
  target_chat_id: number;
  /** queued, dropped, or why nothing was sent. */
  result: string;
  /** The keys under which the sends stand in the outbox. */
  intents: string[];
}

export interface Verdict {
  outcome: DecisionOutcome;
  reason: string;
  matched: MatchRecord[];
  intents: OutboxIntent[];
}

export interface Deliberation {
  bot: BotRecord;
  position: number;
  /** One message, or the parts of an album, oldest first. */
  source: CarrySource;
  userId: number;
  text: string;
  mediaType: string | null;
}

export interface DecideDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  pairs: MessagePairs;
  /** Messages that the relay itself sent, by whichever bot. */
  isOwnMessage(chatId: number, messageId: number): Promise<boolean>;
  isRegisteredBot(platformId: number): Promise<boolean>;
  isSendingTo(chatId: number): Promise<boolean>;
  route(id: number): Promise<RouteRecord | undefined>;
}

/** More hops than people make; only a loop that nothing else stopped comes this far. */
const mostHops = 100;

/** Undefined when it cannot be told yet, because a send that matters is still under way. */
export async function decide(
  deps: DecideDeps,
  matcher: RouteMatcher<RouteRecord>,
  item: Deliberation,
): Promise<Verdict | undefined> {
  const own = await isOwn(deps, item);
  if (own === undefined) return undefined;
  if (own) return verdict('own', 'The relay itself sent this message.');
  const back = await returnPath(deps, item);
  if (back === 'unsettled') return undefined;
  if (back) return returned(back, item);
  const matches = matcher.match({ ...item, chatId: item.source.chatId });
  if (matches.length > 0) return followRules(deps, matches, item);
  if (item.bot.llm_routing_enabled && item.text !== '') {
    return verdict('asking', 'No rule matched; the model chooses.');
  }
  return verdict('none', 'No rule matched.');
}

async function isOwn(deps: DecideDeps, item: Deliberation): Promise<boolean | undefined> {
  const { chatId, messages } = item.source;
  const [first] = messages;
  if (!first) return false;
  const from = object(first.wire.from);
  // Bots rarely see each other, but where they do, a registered one's messages are ours, even
  // before the answer to our send arrived.
  if (from?.is_bot === true) return deps.isRegisteredBot(integer(from.id) ?? 0);
  // Ids are the same for every bot only outside private chats. A channel's posts, and their copies
  // in the discussion group, do not say which bot wrote them.
  const origin = object(first.wire.forward_origin);
  const originChat = integer(object(origin?.chat)?.id);
  const originId = integer(origin?.message_id);
  if (originChat !== undefined && originId !== undefined && first.wire.is_automatic_forward) {
    if (await deps.isSendingTo(originChat)) return undefined;
    if (await deps.isOwnMessage(originChat, originId)) return true;
  }
  if (chatId > 0 || from) return false;
  if (await deps.isSendingTo(chatId)) return undefined;
  return deps.isOwnMessage(chatId, first.id);
}

async function returnPath(
  deps: DecideDeps,
  item: Deliberation,
): Promise<MessagePair | undefined | 'unsettled'> {
  const { bot, source } = item;
  const [first] = source.messages;
  const reply = object(first?.wire.reply_to_message);
  const repliedTo = integer(reply?.message_id);
  if (repliedTo !== undefined) {
    const [pair] = (await deps.pairs.of(bot.id, source.chatId, repliedTo)).toReversed();
    if (pair) return (await returnModeOf(deps, pair)) === 'off' ? undefined : pair;
    const toUs = integer(object(reply?.from)?.id) === bot.platform_id;
    return toUs && (await deps.isSendingTo(source.chatId)) ? 'unsettled' : undefined;
  }
  // Without a reply, only a conversation of two can be meant.
  if (source.chatId < 0) return undefined;
  const latest = await deps.pairs.latest(bot.id, source.chatId);
  if (!latest) return undefined;
  const isTargetEnd = (await deps.route(latest.routeId))?.target_bot_id === bot.id;
  return isTargetEnd && (await returnModeOf(deps, latest)) === 'latest' ? latest : undefined;
}

async function returnModeOf(deps: DecideDeps, pair: MessagePair): Promise<string> {
  return pair.routeId === 0 ? 'reply' : ((await deps.route(pair.routeId))?.return_mode ?? 'reply');
}

function returned(pair: MessagePair, item: Deliberation): Verdict {
  const { bot, position, source } = item;
  const reason = `A reply to a carried message goes back through bot ${pair.peerBotId}.`;
  if (pair.hops >= mostHops) return verdict('failed', `Stopped after ${mostHops} hops.`);
  const intents = carry(
    source,
    {
      botId: pair.peerBotId,
      chatId: pair.peerChatId,
      routeId: pair.routeId,
      style: 'copy',
      hops: pair.hops,
      replyToMessageId: pair.peerMessageId,
    },
    `return:${bot.id}:${position}`,
  );
  const match: MatchRecord = {
    route_id: pair.routeId,
    action: 'return',
    reason,
    target_bot_id: pair.peerBotId,
    target_chat_id: pair.peerChatId,
    result: intents ? 'queued' : cannotBeCarried,
    intents: keysOf(intents),
  };
  return { outcome: 'returned', reason, matched: [match], intents: intents ?? [] };
}

const cannotBeCarried = 'not sent: this kind of message cannot be carried to another bot';

async function followRules(
  deps: DecideDeps,
  matches: RouteMatch<RouteRecord>[],
  item: Deliberation,
): Promise<Verdict> {
  const matched: MatchRecord[] = [];
  const intents: OutboxIntent[] = [];
  for (const { route, reason } of matches) {
    const made =
      route.action === 'drop'
        ? { result: 'dropped', intents: [] }
        : await sendsOf(deps, route, item, `route:${route.id}`);
    intents.push(...made.intents);
    matched.push({
      route_id: route.id,
      action: route.action,
      reason,
      target_bot_id: route.target_bot_id,
      target_chat_id: route.target_chat_id || item.source.chatId,
      result: made.result,
      intents: keysOf(made.intents),
    });
  }
  const outcome = matched.every((match) => match.result === 'dropped') ? 'dropped' : 'routed';
  const reason = matched.map((match) => `route ${match.route_id}: ${match.reason}`).join('; ');
  return { outcome, reason, matched, intents };
}

/** The sends of one route, or why there are none. */
export async function sendsOf(
  deps: Pick<DecideDeps, 'bots'>,
  route: Pick<RouteRecord, 'id' | 'target_bot_id' | 'target_chat_id' | 'action'>,
  item: Deliberation,
  keyPrefix: string,
): Promise<{ result: string; intents: OutboxIntent[] }> {
  const target = await deps.bots.get(route.target_bot_id);
  if (!target) return { result: 'not sent: the target bot is gone', intents: [] };
  if (target.disabled) return { result: 'not sent: the target bot is disabled', intents: [] };
  const intents = carry(
    item.source,
    {
      botId: target.id,
      chatId: route.target_chat_id || item.source.chatId,
      routeId: route.id,
      style: route.action === 'forward' ? 'forward' : 'copy',
      hops: 1,
    },
    `${keyPrefix}:${item.bot.id}:${item.position}`,
  );
  return intents ? { result: 'queued', intents } : { result: cannotBeCarried, intents: [] };
}

/** An edit goes wherever the message went. */
export function decideEdit(
  item: { bot: BotRecord; position: number; chatId: number; messageId: number; wire: Wire },
  earlier: readonly MatchRecord[],
): Verdict {
  const { bot, position, chatId, messageId, wire } = item;
  const matched: MatchRecord[] = [];
  const intents: OutboxIntent[] = [];
  for (const match of earlier) {
    if (match.intents.length === 0) continue;
    const intent = carryEdit(
      { botId: bot.id, chatId, messageId, wire },
      { botId: match.target_bot_id, chatId: match.target_chat_id, style: match.action },
      `edit:${match.route_id}:${bot.id}:${position}:${match.target_bot_id}:${match.target_chat_id}`,
    );
    if (!intent) continue;
    intents.push(intent);
    matched.push({ ...match, reason: 'the message was edited', intents: keysOf([intent]) });
  }
  if (intents.length === 0) return verdict('none', 'The edited message was not carried anywhere.');
  return { outcome: 'edited', reason: 'An edit is carried over.', matched, intents };
}

function keysOf(intents: readonly OutboxIntent[] | undefined): string[] {
  return (intents ?? []).map((intent) => intent.intentKey ?? '');
}

function verdict(outcome: DecisionOutcome, reason: string): Verdict {
  return { outcome, reason, matched: [], intents: [] };
}

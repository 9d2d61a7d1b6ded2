/* Returns a reply to a routed message to where the message came from, in both directions. */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { returnKey } from '../../core/messages/author.ts';
import { integer, object } from '../../core/log/wire.ts';
import { repliedIn } from '../../core/messages/topics.ts';
import type { MessageKey, MessagePair } from '../../store/routing/message-pairs.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import { buildRoutedSends } from './build-routed-send.ts';
import { routeAuthor } from './route-author.ts';
import {
  type DecideDeps,
  type RoutableItem,
  keysOf,
  matchReason,
  type MatchRecord,
  type RoutingDecision,
  decisionWithoutSends,
} from './routing-decision.ts';

/** How often bots may answer each other through the relay before it stops them. */
const maxHops = 10;

/** Finds what the message answers, one pair for each place; none if it answers nothing. */
export async function returnPath(
  deps: Pick<DecideDeps, 'pairs' | 'isSendingTo' | 'route'>,
  { bot, source }: RoutableItem,
  answersLatest: boolean,
): Promise<MessagePair[] | 'unsettled'> {
  const { connection, chatId } = source;
  const here = { botId: bot.id, connection, chatId };
  const reply = repliedIn(source.messages[0]?.wire ?? {});
  const repliedTo = integer(reply?.message_id);
  if (repliedTo !== undefined) {
    const message = { ...here, messageId: repliedTo };
    let pairs = await routedPairs(deps, message);
    const author = object(connection === '' ? reply?.from : reply?.sender_business_bot);
    if (pairs.length === 0 && integer(author?.id) === bot.platform_id) {
      if (await deps.isSendingTo(chatId, bot.id)) return 'unsettled';
      // The pair of a quickly answered message may have been stored between the two looks.
      pairs = await routedPairs(deps, message);
    }
    const open: MessagePair[] = [];
    for (const pair of newestOfEachChat(pairs)) {
      if ((await returnModeOf(deps, pair)) !== 'off') open.push(pair);
    }
    return open;
  }
  // A message that is no reply can only be an answer in a private chat.
  if (!answersLatest || chatId < 0 || connection !== '') return [];
  const latest = await deps.pairs.latest(here);
  const route = latest && (await deps.route(latest.routeId));
  if (!latest || route?.return_mode !== 'latest') return [];
  const isTarget = route.target_bot_id === bot.id && [0, chatId].includes(route.target_chat_id);
  return isTarget ? [latest] : [];
}

/** Copies of a desk have no return path: the desk takes what is said about them. */
async function routedPairs(
  { pairs }: Pick<DecideDeps, 'pairs'>,
  message: MessageKey,
): Promise<MessagePair[]> {
  return (await pairs.of(message)).filter(({ style }) => style !== 'desk');
}

/** An answer to a message that was routed into several chats goes to each of them. */
function newestOfEachChat(pairs: readonly MessagePair[]): MessagePair[] {
  const newest = new Map<string, MessagePair>();
  for (const pair of pairs) {
    newest.set(`${pair.peerBotId} ${pair.peerConnection} ${pair.peerChatId}`, pair);
  }
  return [...newest.values()];
}

async function returnModeOf(deps: Pick<DecideDeps, 'route'>, pair: MessagePair): Promise<string> {
  return pair.routeId === 0 ? 'reply' : ((await deps.route(pair.routeId))?.return_mode ?? 'reply');
}

function peerOf(pair: MessagePair): MessageKey {
  const { peerBotId, peerConnection, peerChatId, peerMessageId } = pair;
  return {
    botId: peerBotId,
    connection: peerConnection,
    chatId: peerChatId,
    messageId: peerMessageId,
  };
}

export async function returned(
  deps: Pick<DecideDeps, 'bots' | 'route' | 'topicOf'>,
  pairs: readonly MessagePair[],
  item: RoutableItem,
): Promise<RoutingDecision> {
  const { bot, position, source } = item;
  const wire = source.messages[0]?.wire;
  // The platform shows a person who writes as a group or channel as a bot.
  const isBot = object(wire?.from)?.is_bot === true && wire?.sender_chat === undefined;
  const matched: MatchRecord[] = [];
  const reasons: Reason[] = [];
  const intents: OutboxIntent[] = [];
  for (const [index, pair] of pairs.entries()) {
    // People may talk for as long as they like: only bots that answer by themselves are counted.
    const hops = isBot ? pair.hops + 1 : 1;
    if (hops > maxHops)
      return decisionWithoutSends('failed', reason('too_many_hops', { hops: maxHops }));
    const peer = await deps.bots.get(pair.peerBotId);
    const away = !peer ? 'not_sent_gone' : peer.disabled ? 'not_sent_disabled' : undefined;
    const route = pair.routeId === 0 ? undefined : await deps.route(pair.routeId);
    const topic = away ? undefined : await deps.topicOf(peerOf(pair));
    const made = away
      ? undefined
      : buildRoutedSends(
          source,
          {
            botId: pair.peerBotId,
            connection: pair.peerConnection,
            chatId: pair.peerChatId,
            routeId: pair.routeId,
            style: 'copy',
            hops,
            threadId: topic ?? 0,
            author: routeAuthor(route ?? { id: pair.routeId }, wire),
            replyToMessageId: pair.peerMessageId,
          },
          returnKey(`${bot.id}:${position}${index === 0 ? '' : `:${index}`}`),
        );
    intents.push(...(made ?? []));
    const why = reason('reply_returned', { bot_id: pair.peerBotId });
    reasons.push(why);
    matched.push({
      route_id: pair.routeId,
      action: 'return',
      ...matchReason(why),
      target_bot_id: pair.peerBotId,
      target_chat_id: pair.peerChatId,
      ...(topic === undefined ? {} : { target_thread_id: topic }),
      ...(pair.peerConnection === '' ? {} : { target_connection: pair.peerConnection }),
      result: away ?? (made ? 'queued' : 'not_sent_kind'),
      intents: keysOf(made),
    });
  }
  return { outcome: 'returned', reason: reason('all_of', { reasons }), matched, intents };
}

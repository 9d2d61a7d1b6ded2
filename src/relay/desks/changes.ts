/* Carries reactions in both directions, takes presses, and tells the team that a customer blocked the bot. */
import { answerClaim, ownClaim } from '../../core/apps/claims.ts';
import { integer, list, object, text, type Wire } from '../../core/log/wire.ts';
import { deskAuthor } from '../../core/desks/desk.ts';
import { ownButtonPrefix, pressOf } from '../../core/messages/own-buttons.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { DesksOfBot } from '../../store/desks/desk-reads.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import {
  type DecideDeps,
  keysOf,
  matchReason,
  type PlannedDecision,
} from '../routing/routing-decision.ts';
import { pressOutcome } from './presses.ts';
import { pressForDesk } from './to-topic.ts';

type ChangeDeps = Pick<DecideDeps, 'desks' | 'isForumAdmin' | 'pairs' | 'topicOf'>;

const kinds = new Set(['message_reaction', 'my_chat_member', 'callback_query']);

/** Undefined for updates of other kinds, and for those that concern no desk of the bot. */
export async function planForDesk(
  deps: ChangeDeps,
  desks: DesksOfBot,
  bot: BotRecord,
  entry: LogEntry,
): Promise<PlannedDecision | undefined> {
  if (!kinds.has(entry.kind)) return undefined;
  // The buttons of a rating stay when the desk is deleted.
  const isOwnPress = entry.kind === 'callback_query' && entry.claimedBy === ownClaim;
  if (!desks.desk && desks.forums.length === 0 && !isOwnPress) return undefined;
  const wire = object((JSON.parse(entry.raw) as Wire)[entry.kind]) ?? {};
  if (entry.kind === 'callback_query') {
    const press = pressOf(wire);
    if (!press) return undefined;
    const made = (why: Reason) => decided(bot, entry, press.chatId, press.userId, why);
    const outcome = await pressOutcome(deps, desks, bot, entry, press);
    if (outcome) return { ...made(reason('desk_press')), ...outcome };
    if (!desks.desk || entry.claimedBy === answerClaim) return undefined;
    if (press.data.startsWith(ownButtonPrefix)) return undefined;
    const act = pressForDesk(deps, desks.desk, bot, entry, wire);
    return (
      act && { ...made(reason('for_desk', { desk_id: desks.desk.id, name: desks.desk.name })), act }
    );
  }
  const chatId = integer(object(wire.chat)?.id) ?? 0;
  if (entry.kind === 'message_reaction') return reaction(deps, desks, bot, entry, wire, chatId);
  const status = text(object(wire.new_chat_member)?.status);
  if (!desks.desk || chatId <= 0 || status !== 'kicked') return undefined;
  const key = `desk:note:${bot.id}:${entry.position}`;
  const why = reason('desk_blocked');
  return {
    ...decided(bot, entry, chatId, chatId, why),
    act: (nowMs) => deps.desks.noteForCustomer({ botId: bot.id, chatId }, { key, why }, nowMs),
  };
}

/** The bot that wrote the copy shows the latest reaction: bots have one. */
async function reaction(
  { desks, pairs, topicOf }: ChangeDeps,
  { desk, forums }: DesksOfBot,
  bot: BotRecord,
  entry: LogEntry,
  wire: Wire,
  chatId: number,
): Promise<PlannedDecision | undefined> {
  const messageId = integer(wire.message_id);
  const emoji = emojiOf(wire);
  const deskId = chatId > 0 ? desk?.id : forums.find((one) => one.chatId === chatId)?.deskId;
  if (messageId === undefined || emoji === undefined || deskId === undefined) return undefined;
  const copies = await pairs.of({ botId: bot.id, connection: '', chatId, messageId });
  const copy = copies.findLast(
    ({ style, peerChatId }) => style === 'desk' && peerChatId !== chatId,
  );
  // Bots cannot react for a business account.
  if (!copy || copy.peerConnection !== '') return undefined;
  if (chatId < 0) {
    // The customer may be forgotten, or have another topic since.
    const threadId = await topicOf({ botId: bot.id, connection: '', chatId, messageId });
    const topic = threadId === undefined ? undefined : await desks.topicAt(deskId, threadId);
    if (topic?.botId !== copy.peerBotId || topic.chatId !== copy.peerChatId) return undefined;
  }
  const intent: OutboxIntent = {
    botId: copy.peerBotId,
    chatId: copy.peerChatId,
    method: 'setMessageReaction',
    params: { chat_id: copy.peerChatId, message_id: copy.peerMessageId, reaction: emoji },
    origin: 'routed',
    intentKey: `desk:react:${bot.id}:${entry.position}`,
    priority: 'bulk',
    author: deskAuthor({ id: deskId, name: '' }),
  };
  const why = reason('desk_reaction');
  const match = {
    route_id: 0,
    action: 'react',
    ...matchReason(why),
    target_bot_id: copy.peerBotId,
    target_chat_id: copy.peerChatId,
    result: 'queued',
    intents: keysOf([intent]),
  };
  const userId = integer(object(wire.user)?.id) ?? 0;
  const planned = decided(bot, entry, chatId, userId, why);
  return {
    ...planned,
    decision: { ...planned.decision, matched: JSON.stringify([match]) },
    intents: [intent],
  };
}

/** Undefined if there is nothing that a bot may show, such as a paid reaction alone. */
function emojiOf(wire: Wire): object[] | undefined {
  const given = list(wire.new_reaction);
  if (given.length === 0) return [];
  const last = given.map(object).findLast((one) => one?.type === 'emoji');
  return last && [{ type: 'emoji', emoji: text(last.emoji) }];
}

/** The decision names no message, so that no later edit is taken for one of this update. */
function decided(
  bot: BotRecord,
  { position, updateId }: LogEntry,
  chatId: number,
  userId: number,
  why: Reason,
): PlannedDecision {
  const place = { botId: bot.id, position, updateId, connection: '', chatId, userId, messageId: 0 };
  return {
    decision: { ...place, outcome: 'desk', reason: why, asked: '', matched: '[]' },
    intents: [],
    droppedBy: [],
    withdrawn: [],
  };
}

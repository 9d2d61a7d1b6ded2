/* Takes what a customer writes for the desk of the bot, after its routes. */
import { deskAuthor, type DeskItem } from '../../core/desks/desk.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import { isServiceMessage } from '../../core/messages/message-content.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { pressedText } from '../../core/messages/message-buttons.ts';
import { connectionOf } from '../../core/messages/message-facts.ts';
import { repliedIn, topicOf } from '../../core/messages/topics.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { DesksOfBot } from '../../store/desks/desk-reads.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import { buildRoutedEdit, buildRoutedSends } from '../routing/build-routed-send.ts';
import {
  matchReason,
  type RoutableItem,
  type RoutingDecision,
} from '../routing/routing-decision.ts';
import type { DeskDeps } from './desk-deps.ts';

type DeskOfBot = NonNullable<DesksOfBot['desk']>;

const awayFromDesk = new Set(['own', 'dropped', 'failed']);

/** Adds the desk to a decision, unless a route drops the message. */
export async function alsoForDesk(
  deps: Pick<DeskDeps, 'desks'>,
  desk: DeskOfBot | undefined,
  item: RoutableItem,
  decision: RoutingDecision,
): Promise<RoutingDecision> {
  const { source } = item;
  const [first] = source.messages;
  if (!desk || !first || source.chatId <= 0 || item.userId !== source.chatId) return decision;
  if (awayFromDesk.has(decision.outcome) || isServiceMessage(first.wire)) return decision;
  if (decision.matched.some(({ result }) => result === 'dropped')) return decision;
  const key = `desk:${item.bot.id}:${item.position}`;
  const isBanned = await deps.desks.isBanned(item.bot.id, source.chatId);
  const why = isBanned
    ? reason('desk_kept_out')
    : reason('for_desk', { desk_id: desk.id, name: desk.name });
  const items = copiesFor(desk, item, key);
  return {
    ...decision,
    ...(decision.outcome === 'none' ? { outcome: 'desk' as const, reason: why } : {}),
    matched: [...decision.matched, matchOf(desk, why, isBanned ? [] : items)],
    *act(nowMs, onChange) {
      const customer = customerOf(item);
      return [
        yield* deps.desks.take(desk.id, customer, items, nowMs, onChange),
        yield* deps.desks.replyInAbsence(desk.options, customer, `${key}:away`, nowMs),
      ];
    },
  };
}

/** Repeats an edit of a customer in the topic, after what was said before. */
export function editForDesk(
  deps: Pick<DeskDeps, 'desks'>,
  desk: DeskOfBot | undefined,
  item: RoutableItem,
  hasNewMedia: boolean,
): RoutingDecision['act'] {
  const { source } = item;
  const [message] = source.messages;
  if (!desk || !message || source.chatId <= 0 || item.userId !== source.chatId) return undefined;
  const edited = buildRoutedEdit(
    { ...source, messageId: message.id, wire: message.wire, hasNewMedia },
    { botId: desk.deskBotId, connection: '', chatId: desk.chatId, routeId: 0, style: 'desk' },
    `desk:edit:${item.bot.id}:${item.position}`,
  );
  if (!edited) return undefined;
  const items = [itemOf(edited)];
  return (nowMs, onChange) => deps.desks.take(desk.id, customerOf(item), items, nowMs, onChange);
}

/** Shows a press on a button of an app, because the customer waits for an answer from then on. */
export function pressForDesk(
  { desks }: Pick<DeskDeps, 'desks'>,
  desk: DeskOfBot,
  bot: BotRecord,
  { position }: Pick<LogEntry, 'position'>,
  query: Wire,
): RoutingDecision['act'] {
  const message = object(query.message) ?? {};
  const chatId = integer(object(message.chat)?.id) ?? 0;
  if (chatId <= 0 || chatId !== integer(object(query.from)?.id)) return undefined;
  const button = pressedText(query) ?? text(query.data);
  const says = reason('desk_pressed', { button });
  const call = { method: 'sendMessage', params: {}, says, author: deskAuthor(desk) };
  const customer = {
    botId: bot.id,
    chatId,
    connection: connectionOf(message),
    fromThreadId: topicOf(message) ?? 0,
    name: nameOf(query) || String(chatId),
  };
  const item = { key: `desk:${bot.id}:${position}`, call: { ...call, isOfCustomer: true } };
  return (nowMs, onChange) => desks.take(desk.id, customer, [item], nowMs, onChange);
}

function copiesFor(desk: DeskOfBot, { source }: RoutableItem, key: string): DeskItem[] {
  const author = deskAuthor(desk);
  const target = {
    botId: desk.deskBotId,
    connection: '',
    chatId: desk.chatId,
    routeId: 0,
    style: 'desk' as const,
    hops: 1,
    author,
  };
  const [first] = source.messages;
  const copies = buildRoutedSends(source, target, key);
  if (!copies) {
    const says = reason('desk_unknown_kind');
    const call = { method: 'sendMessage', params: {}, says, author, isOfCustomer: true };
    return [{ key: `${key}:0`, call }];
  }
  const replied = integer(repliedIn(first?.wire ?? {})?.message_id);
  const { botId, connection, chatId } = source;
  const replyTo =
    replied === undefined ? {} : { replyTo: { botId, connection, chatId, messageId: replied } };
  return copies.map((copy, index) => {
    const item = itemOf(copy);
    return {
      key: item.key,
      call: { ...item.call, ...(index === 0 ? replyTo : {}), isOfCustomer: true },
    };
  });
}

function itemOf({ intentKey, method, params, author, context }: OutboxIntent): DeskItem {
  const { chat_id: _forum, ...rest } = params;
  const call = { method, params: rest, author: author as NonNullable<typeof author> };
  return {
    key: intentKey ?? '',
    call: { ...call, ...(context ? { context: context as object } : {}) },
  };
}

function matchOf(desk: DeskOfBot, why: Reason, items: readonly DeskItem[]) {
  return {
    route_id: 0,
    action: 'desk',
    ...matchReason(why),
    target_bot_id: desk.deskBotId,
    target_chat_id: desk.chatId,
    result: items.length === 0 ? 'dropped' : 'queued',
    intents: items.map(({ key }) => key),
  };
}

function customerOf({ bot, source, threadId = 0 }: RoutableItem) {
  return {
    botId: bot.id,
    chatId: source.chatId,
    connection: source.connection,
    fromThreadId: threadId,
    name: nameOf(source.messages[0]?.wire ?? {}) || String(source.chatId),
  };
}

function nameOf(message: Wire): string {
  const from = object(message.from);
  const name = [text(from?.first_name), text(from?.last_name)].filter(Boolean).join(' ');
  return name.trim() || text(from?.username);
}

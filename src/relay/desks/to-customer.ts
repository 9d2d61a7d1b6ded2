/* Carries what the team writes in the topic of a customer to the customer. */
import { type DeskAnswer, deskCommands, type DeskTopic } from '../../core/desks/desk.ts';
import { integer, object, type Wire } from '../../core/log/wire.ts';
import { isServiceMessage } from '../../core/messages/message-content.ts';
import { repliedIn } from '../../core/messages/topics.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { Author } from '../../core/messages/author.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import { buildRoutedDeletion, buildRoutedSends } from '../routing/build-routed-send.ts';
import { messageAuthor } from '../routing/route-author.ts';
import {
  decisionWithoutSends,
  keysOf,
  matchReason,
  type RoutableItem,
  type RoutingDecision,
} from '../routing/routing-decision.ts';
import type { DeskDeps } from './desk-deps.ts';

const mostNote = 2_000;

export async function decideInTopic(
  deps: DeskDeps,
  topic: DeskTopic,
  item: RoutableItem,
): Promise<RoutingDecision> {
  const wire = item.source.messages[0]?.wire ?? {};
  const closing = closes(wire);
  if (closing !== undefined) {
    const key = `desk:note:${item.bot.id}:${item.position}`;
    const act = (nowMs: number) =>
      deps.desks.setClosed(topic.id, closing ? writtenAt(wire) : 0, key, nowMs);
    return { ...decisionWithoutSends('desk', reason('desk_event')), act, changes: topic };
  }
  if (isServiceMessage(wire)) return decisionWithoutSends('desk', reason('desk_event'));
  if (!mayAnswer(wire)) return decisionWithoutSends('desk', reason('desk_not_member'));
  if (topic.chatId <= 0) {
    return tellForgotten(deps, topic, item);
  }
  if (item.text.startsWith('//')) return decisionWithoutSends('desk', reason('desk_note'));
  const [command] = /^\/[^\s@]+/.exec(item.text) ?? [];
  if (command !== undefined) return obey(deps, topic, item, command);
  return answer(deps, topic, item);
}

/** Commands are for administrators, also those who write as the group, and for listed persons. */
async function obey(
  deps: DeskDeps,
  topic: DeskTopic,
  item: RoutableItem,
  word: string,
): Promise<RoutingDecision> {
  const why = reason('desk_command');
  const command = deskCommands.find((known) => `/${known}` === word.toLowerCase());
  if (!command) {
    return told(deps, topic, item, why, reason('desk_no_commands', { command: word }));
  }
  if (command === 'help') return told(deps, topic, item, why, reason('desk_help'));
  const { bot, position, source } = item;
  const [message] = source.messages;
  const isAnonymous = message?.wire.sender_chat !== undefined;
  const isListed = isAnonymous || topic.personIds.includes(item.userId);
  const mayCommand = isListed || (await deps.isForumAdmin(bot, source.chatId, item.userId));
  if (!mayCommand) {
    const known = mayCommand === false ? 'desk_admins_only' : 'desk_admin_unknown';
    return told(deps, topic, item, why, reason(known, { command: word }));
  }
  if (command === 'del') return deletion(deps, topic, item, why);
  const act = {
    command,
    text: item.text.replace(/^\S+\s*/, '').slice(0, mostNote),
    person: messageAuthor(message?.wire).person,
    key: `desk:note:${bot.id}:${position}`,
    at: writtenAt(message?.wire),
    replyTo: message?.id ?? 0,
  };
  return {
    ...decisionWithoutSends('desk', why),
    act: (nowMs) => deps.desks.act(topic.id, act, nowMs),
    changes: topic,
  };
}

async function answer(
  deps: DeskDeps,
  topic: DeskTopic,
  item: RoutableItem,
): Promise<RoutingDecision> {
  const { bot, position, source } = item;
  const [message] = source.messages;
  const target = await deps.bots.get(topic.botId);
  const away = !target ? 'not_sent_gone' : target.disabled ? 'not_sent_disabled' : undefined;
  const replied = message && (await originalOf(deps, topic, item));
  const made = away
    ? undefined
    : buildRoutedSends(
        source,
        {
          botId: topic.botId,
          connection: replied?.peerConnection ?? topic.connection,
          chatId: topic.chatId,
          routeId: 0,
          style: 'desk',
          hops: 1,
          threadId: topic.fromThreadId,
          author: authorOf(topic, item),
          ...(replied ? { replyToMessageId: replied.peerMessageId } : {}),
        },
        `desk:answer:${bot.id}:${position}`,
      );
  const intents = ofTeam(topic, item, made ?? []);
  const why = reason('desk_answered', { bot_id: topic.botId });
  const match = {
    route_id: 0,
    action: 'answer',
    ...matchReason(why),
    target_bot_id: topic.botId,
    target_chat_id: topic.chatId,
    ...(topic.connection === '' ? {} : { target_connection: topic.connection }),
    result: away ?? (made ? 'queued' : 'not_sent_kind'),
    intents: keysOf(intents),
  };
  const decision = { outcome: 'desk', reason: why, matched: [match], intents } as const;
  if (made) return { ...decision, matched: [match], intents };
  const hint = away
    ? reason('desk_bot_away', { bot_id: topic.botId })
    : reason('desk_kind_refused');
  return { ...told(deps, topic, item, why, hint), matched: [match] };
}

/** Names the author of what goes to the customer, and the topic that is told if it does not arrive. */
export function ofTeam(
  topic: DeskTopic,
  item: RoutableItem,
  intents: readonly OutboxIntent[],
): OutboxIntent[] {
  const answer: DeskAnswer = {
    topicId: topic.id,
    messageId: item.source.messages[0]?.id ?? 0,
  };
  return intents.map((intent) => ({
    ...intent,
    author: authorOf(topic, item),
    context: { ...(intent.context as object), answer },
  }));
}

const authorOf = ({ deskId, deskName }: DeskTopic, { source }: RoutableItem): Author => ({
  ...messageAuthor(source.messages[0]?.wire),
  kind: 'desk',
  id: deskId,
  name: deskName,
});

/** Deletes the message replied to at the customer; its copy in the topic follows. */
async function deletion(
  deps: DeskDeps,
  topic: DeskTopic,
  item: RoutableItem,
  why: Reason,
): Promise<RoutingDecision> {
  const { bot, position, source } = item;
  const pair = await originalOf(deps, topic, item);
  if (!pair) return told(deps, topic, item, why, reason('desk_delete_what'));
  const key = `desk:delete:${bot.id}:${position}`;
  const { messageId, peerConnection: connection } = pair;
  const target = { botId: topic.botId, connection, chatId: topic.chatId };
  const deleted = buildRoutedDeletion(
    { botId: bot.id, connection: '', chatId: source.chatId, messageId },
    { ...target, routeId: 0, isHeader: false },
    key,
  );
  const intents = ofTeam(topic, item, [deleted]);
  const match = {
    route_id: 0,
    action: 'delete',
    ...matchReason(why),
    target_bot_id: topic.botId,
    target_chat_id: topic.chatId,
    ...(connection === '' ? {} : { target_connection: connection }),
    result: 'queued',
    intents: keysOf(intents),
  };
  return { outcome: 'deleted', reason: why, matched: [match], intents };
}

/** Answers in the topic, to the team. */
function told(
  { desks }: DeskDeps,
  topic: DeskTopic,
  { bot, position, source }: RoutableItem,
  why: Reason,
  hint: Reason,
): RoutingDecision {
  const key = `desk:note:${bot.id}:${position}`;
  const replyTo = source.messages[0]?.id ?? 0;
  return {
    ...decisionWithoutSends('desk', why),
    act: (nowMs) => desks.note(topic.id, { key, why: hint, replyTo }, nowMs),
  };
}

/** Messages and edits in the topic of a forgotten customer reach nobody. */
export const tellForgotten = (deps: DeskDeps, topic: DeskTopic, item: RoutableItem) =>
  told(deps, topic, item, reason('desk_event'), reason('desk_forgotten'));

/** Members answer, and administrators who write as the group; bots and channels do not. */
function mayAnswer(wire: Wire): boolean {
  const chat = object(wire.sender_chat);
  if (chat) return integer(chat.id) === integer(object(wire.chat)?.id);
  return object(wire.from)?.is_bot !== true;
}

const writtenAt = (message: Wire | undefined) => (integer(message?.date) ?? 0) * 1000;

function closes(wire: Wire): boolean | undefined {
  if (wire.forum_topic_closed !== undefined) return true;
  return wire.forum_topic_reopened === undefined ? undefined : false;
}

/** Finds the message of the customer's chat whose copy is replied to. */
async function originalOf(deps: DeskDeps, topic: DeskTopic, { bot, source }: RoutableItem) {
  const replied = integer(repliedIn(source.messages[0]?.wire ?? {})?.message_id);
  if (replied === undefined) return undefined;
  const here = { botId: bot.id, connection: '', chatId: source.chatId, messageId: replied };
  const pairs = await deps.pairs.of(here);
  return pairs.findLast(
    ({ peerBotId, peerChatId, style }) =>
      style === 'desk' && peerBotId === topic.botId && peerChatId === topic.chatId,
  );
}

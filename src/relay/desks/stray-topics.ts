/*
 * Tells who writes in the empty topic of a customer. It is left over when Telegram never answered
 * whether it created a topic: the desk made another one, and does not know this one.
 */
import { platformIdOf } from '../../core/bots/bot-token.ts';
import { deskAuthor } from '../../core/desks/desk.ts';
import { deskNote } from '../../core/desks/words/words.ts';
import { integer, object, text } from '../../core/log/wire.ts';
import { isServiceMessage } from '../../core/messages/message-content.ts';
import { generalTopic, topicParam } from '../../core/messages/topics.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { DesksOfBot } from '../../store/desks/desk-reads.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';
import {
  decisionWithoutSends,
  type RoutableItem,
  type RoutingDecision,
} from '../routing/routing-decision.ts';
import type { DeskDeps } from './desk-deps.ts';

/** Undefined in all other topics. It is recognised by its creator and by the name of a customer. */
export async function decideInStrayTopic(
  { desks }: Pick<DeskDeps, 'desks'>,
  { forums }: DesksOfBot,
  { bot, position, source, threadId = generalTopic }: RoutableItem,
): Promise<RoutingDecision | undefined> {
  const [message] = source.messages;
  const forum = forums.find(({ chatId }) => chatId === source.chatId);
  const opening = object(message?.wire.reply_to_message);
  const name = text(object(opening?.forum_topic_created)?.name);
  if (!message || !forum || threadId <= generalTopic || name === '') return undefined;
  const own = bot.platform_id || platformIdOf(bot.token);
  if (integer(object(opening?.from)?.id) !== own || isServiceMessage(message.wire))
    return undefined;
  if (!(await desks.hasTopicNamed(forum.deskId, name))) return undefined;
  const intent: OutboxIntent = {
    botId: bot.id,
    chatId: source.chatId,
    method: 'sendMessage',
    params: {
      chat_id: source.chatId,
      ...topicParam(threadId),
      text: deskNote(reason('desk_stray_topic', { name }), forum.language),
      reply_parameters: { message_id: message.id, allow_sending_without_reply: true },
    },
    origin: 'routed',
    intentKey: `desk:stray:${bot.id}:${position}`,
    priority: 'bulk',
    author: deskAuthor({ id: forum.deskId, name: '' }),
  };
  return { ...decisionWithoutSends('desk', reason('desk_event')), intents: [intent] };
}

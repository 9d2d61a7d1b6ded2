import type { DeskAnswer, DeskStep } from '../../core/desks/desk.ts';
import type { Author } from '../../core/messages/author.ts';
import type { ComposedCall } from '../../core/messages/send-call.ts';
import { pollAsText } from '../../core/desks/poll-as-text.ts';
import {
  composeAlbum,
  composeEdit,
  composeEditLine,
  composeMessage,
  headerOf,
} from '../../core/messages/compose-message.ts';
import { integer, type Wire } from '../../core/log/wire.ts';
import type { OutboxIntent } from '../../store/outbox/outbox.ts';

/**
 * The origin of a send. It is stored with the send in the outbox, and read when the send is made
 * and when it has succeeded.
 */
export type RoutedSendContext = (RoutedMessageContext | RoutedChangeContext | DeskCallContext) & {
  /** Set if the send is the next step of a topic of a desk. */
  desk?: DeskStep;
};

/** A call of a desk that carries no message. */
export interface DeskCallContext {
  kind: 'desk';
}

export interface RoutedMessageContext {
  kind: 'carry';
  sourceBotId: number;
  /** Left out in the bot's own chats. */
  sourceConnection?: string;
  sourceChatId: number;
  /** The IDs are in the order of an album's parts. */
  sourceMessageIds: number[];
  routeId: number;
  /** `header` is the line that precedes a message. */
  style: 'forward' | 'copy' | 'header' | 'desk';
  hops: number;
  /** Set if it takes an answer of a desk to the customer. */
  answer?: DeskAnswer;
}

/** A change of a routed message; its copies are looked up when it is sent. */
export interface RoutedChangeContext {
  kind: 'edit' | 'delete';
  sourceBotId: number;
  sourceConnection?: string;
  sourceChatId: number;
  sourceMessageId: number;
  /** Set if it takes a change of a desk to the customer. */
  answer?: DeskAnswer;
  routeId?: number;
  /** True for the line that precedes the message, not the message itself. */
  isHeader?: boolean;
}

/** A chat of a bot: its own, or one of a business account it answers for. */
export interface BotChat {
  botId: number;
  connection: string;
  chatId: number;
}

export interface RouteTarget extends BotChat {
  /** 0 if the model or a return path chose it, not a rule. */
  routeId: number;
  style: 'forward' | 'copy' | 'desk';
  hops: number;
  author: Author;
  /** 0 for none. */
  threadId?: number;
  replyToMessageId?: number;
}

export interface RouteSource extends BotChat {
  /** One message, or the parts of an album. */
  messages: readonly { id: number; wire: Wire }[];
}

/** Builds the sends that route a message; undefined if its kind cannot be routed. */
export function buildRoutedSends(
  source: RouteSource,
  target: RouteTarget,
  keyPrefix: string,
): OutboxIntent[] | undefined {
  const [first] = source.messages;
  if (!first) return undefined;
  const options = {
    targetChatId: target.chatId,
    connection: target.connection,
    header: target.style === 'forward' ? headerOf(first.wire) : undefined,
    threadId: target.threadId,
    replyToMessageId: target.replyToMessageId,
  };
  const calls =
    source.messages.length > 1
      ? composeAlbum(
          source.messages.map((message) => message.wire),
          options,
        )
      : composeMessage(target.style === 'desk' ? pollAsText(first.wire) : first.wire, options);
  if (!calls) return undefined;
  return calls.map((call, index) => {
    const isContent = index === calls.length - 1;
    const routed = isContent ? source.messages : [first];
    return intent(call, target, target.author, `${keyPrefix}:${index}`, {
      kind: 'carry',
      sourceBotId: source.botId,
      ...named(source.connection),
      sourceChatId: source.chatId,
      sourceMessageIds: routed.map((message) => message.id),
      routeId: target.routeId,
      style: isContent ? target.style : 'header',
      hops: target.hops,
    });
  });
}

/** An edit that comes later is shown as a message of its own: nobody looks that far back. */
const editsForSeconds = 48 * 3600;
const deskStyles = new Set(['desk', 'answer']);

/** Builds the send that applies an edit to the copies of the message. */
export function buildRoutedEdit(
  source: BotChat & { messageId: number; wire: Wire; hasNewMedia: boolean },
  target: BotChat & { routeId: number; style: string },
  key: string,
): OutboxIntent | undefined {
  const options = {
    targetChatId: target.chatId,
    connection: target.connection,
    header: target.style === 'forward' ? headerOf(source.wire) : undefined,
  };
  const { date, edit_date: editedAt } = source.wire;
  const isLate = (integer(editedAt) ?? 0) - (integer(date) ?? 0) > editsForSeconds;
  const call =
    isLate && deskStyles.has(target.style)
      ? composeEditLine(source.wire, options)
      : composeEdit(source.wire, options, source.hasNewMedia);
  const context = changeContext('edit', source, target.routeId);
  return call && intent(call, target, authorOfChange(target), key, context);
}

/** Builds the send that deletes the copies of a deleted message. */
export function buildRoutedDeletion(
  source: BotChat & { messageId: number },
  target: BotChat & { routeId: number; isHeader: boolean },
  key: string,
): OutboxIntent {
  const call =
    target.connection === ''
      ? { method: 'deleteMessage', params: { chat_id: target.chatId } }
      : {
          method: 'deleteBusinessMessages',
          // The platform needs no chat, but the archive does.
          params: { business_connection_id: target.connection, chat_id: target.chatId },
        };
  const context = changeContext('delete', source, target.routeId);
  const whole = target.isHeader ? ({ ...context, isHeader: true } as const) : context;
  return intent(call, target, authorOfChange(target), key, whole);
}

/** A change of a message names no author. */
function authorOfChange({ routeId }: { routeId: number }): Author {
  return { kind: 'route', id: routeId, name: '' };
}

function changeContext(
  kind: RoutedChangeContext['kind'],
  source: BotChat & { messageId: number },
  routeId: number,
): RoutedChangeContext {
  return {
    kind,
    sourceBotId: source.botId,
    ...named(source.connection),
    sourceChatId: source.chatId,
    sourceMessageId: source.messageId,
    routeId,
  };
}

function named(connection: string): { sourceConnection?: string } {
  return connection === '' ? {} : { sourceConnection: connection };
}

function intent(
  call: ComposedCall,
  { botId, chatId }: BotChat,
  author: Author,
  intentKey: string,
  context: RoutedSendContext,
): OutboxIntent {
  const how = { origin: 'routed', priority: 'bulk', author } as const;
  return { ...call, botId, chatId, intentKey, context, ...how };
}

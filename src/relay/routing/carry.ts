import {
  composeAlbum,
  type ComposedCall,
  composeEdit,
  composeMessage,
  headerOf,
} from '../../core/compose-message.ts';
import type { Wire } from '../../core/message-facts.ts';
import type { OutboxIntent } from '../../store/outbox.ts';

/** What a send carries; kept with it in the outbox, read again when it is sent and when it arrived. */
export type CarryContext =
  | {
      kind: 'carry';
      sourceBotId: number;
      sourceChatId: number;
      /** In the order of an album's parts; empty for the line that goes ahead of a message. */
      sourceMessageIds: number[];
      routeId: number;
      style: 'forward' | 'copy';
      hops: number;
    }
  | {
      kind: 'edit';
      sourceBotId: number;
      sourceChatId: number;
      sourceMessageId: number;
    };

export interface CarryTarget {
  botId: number;
  chatId: number;
  /** 0 when no rule but the model or a return path chose it. */
  routeId: number;
  style: 'forward' | 'copy';
  hops: number;
  replyToMessageId?: number;
}

export interface CarrySource {
  botId: number;
  chatId: number;
  /** One message, or the parts of an album. */
  messages: readonly { id: number; wire: Wire }[];
}

/** The sends that carry a message over; undefined when its kind cannot be carried. */
export function carry(
  source: CarrySource,
  target: CarryTarget,
  keyPrefix: string,
): OutboxIntent[] | undefined {
  const [first] = source.messages;
  if (!first) return undefined;
  const options = {
    targetChatId: target.chatId,
    header: target.style === 'forward' ? headerOf(first.wire) : undefined,
    replyToMessageId: target.replyToMessageId,
  };
  const calls =
    source.messages.length > 1
      ? composeAlbum(
          source.messages.map((message) => message.wire),
          options,
        )
      : composeMessage(first.wire, options);
  if (!calls) return undefined;
  return calls.map((call, index) => {
    const isContent = index === calls.length - 1;
    const context: CarryContext = {
      kind: 'carry',
      sourceBotId: source.botId,
      sourceChatId: source.chatId,
      sourceMessageIds: isContent ? source.messages.map((message) => message.id) : [],
      routeId: target.routeId,
      style: target.style,
      hops: target.hops,
    };
    return intent(call, target.botId, target.chatId, `${keyPrefix}:${index}`, context);
  });
}

/** The send that carries an edit over to what stands for the message; its id is found when sent. */
export function carryEdit(
  source: { botId: number; chatId: number; messageId: number; wire: Wire },
  target: { botId: number; chatId: number; style: string },
  key: string,
): OutboxIntent | undefined {
  const call = composeEdit(source.wire, {
    targetChatId: target.chatId,
    header: target.style === 'forward' ? headerOf(source.wire) : undefined,
  });
  if (!call) return undefined;
  return intent(call, target.botId, target.chatId, key, {
    kind: 'edit',
    sourceBotId: source.botId,
    sourceChatId: source.chatId,
    sourceMessageId: source.messageId,
  });
}

function intent(
  call: ComposedCall,
  botId: number,
  chatId: number,
  intentKey: string,
  context: CarryContext,
): OutboxIntent {
  return { ...call, botId, chatId, origin: 'routed', intentKey, priority: 'bulk', context };
}

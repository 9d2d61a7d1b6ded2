import { archivedId } from '../../../core/messages/business-messages.ts';
import type { SendOrigin } from '../../../store/alerts/alert-facts.ts';
import { answeredUpdate } from '../../delivery/answer-intent.ts';
import type { RoutedMessageContext } from '../../routing/build-routed-send.ts';
import type { Found } from './view.ts';

/**
 * Names the message because of which a bot sent something: the one that a route carried, or the one
 * that a backend answered; otherwise the chat. Messages of other bots are left out, because people
 * who see this alert may not see those.
 */
export function causeOfSend(botId: number, origin: Partial<SendOrigin>): Pick<Found, 'cause'> {
  const { chatId: chat_id = 0, context = '', intentKey } = origin;
  const answered = answeredUpdate(intentKey ?? '');
  if (answered) return { cause: answered };
  const source = context === '' ? {} : (JSON.parse(context) as Partial<RoutedMessageContext>);
  const [messageId] = source.sourceMessageIds ?? [];
  if (source.sourceBotId === botId && source.sourceChatId && messageId) {
    const message_id = archivedId(source.sourceConnection ?? '', messageId);
    return { cause: { bot_id: botId, chat_id: source.sourceChatId, message_id } };
  }
  return chat_id === 0 ? {} : { cause: { bot_id: botId, chat_id, message_id: 0 } };
}

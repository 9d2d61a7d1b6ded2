/*
 * Recognizes messages of the relay itself, which must never be routed, because circular routes
 * would never stop.
 */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { integer, object } from '../../core/log/wire.ts';
import type { RouteSource } from './build-routed-send.ts';
import type { DecideDeps } from './routing-decision.ts';

export interface OwnMessage {
  /** The reason, for people. */
  because: Reason;
}

const sentByRelay: OwnMessage = { because: reason('own_message') };

/** Returns why a message must not be routed; undefined for a message that may be. */
export async function ownMessageReason(
  deps: Pick<DecideDeps, 'isOwnMessage' | 'isRegisteredBot' | 'isSendingTo'>,
  { connection, chatId, messages }: RouteSource,
): Promise<OwnMessage | 'unsettled' | undefined> {
  const [first] = messages;
  if (!first) return undefined;
  const { wire } = first;
  const from = object(wire.from);
  // Chats of a business account are private: a sender other than the customer is the account.
  if (connection !== '' && integer(from?.id) !== chatId) {
    const byOwner = reason('by_account_owner');
    const byBot = reason('by_account_bot');
    return { because: wire.sender_business_bot === undefined ? byOwner : byBot };
  }
  // Bots rarely see each other. If they do, messages of a registered bot are ours, even before the
  // answer to our send arrived.
  if (from?.is_bot === true) {
    return (await deps.isRegisteredBot(integer(from.id) ?? 0)) ? sentByRelay : undefined;
  }
  // Message IDs are the same for every bot only outside private chats. A channel's posts, and their
  // copies in the discussion group, do not show which bot wrote them.
  const origin = object(wire.forward_origin);
  const originChat = integer(object(origin?.chat)?.id);
  const originId = integer(origin?.message_id);
  if (originChat !== undefined && originId !== undefined && wire.is_automatic_forward) {
    if (await deps.isSendingTo(originChat)) return 'unsettled';
    if (await deps.isOwnMessage(originChat, originId)) return sentByRelay;
  }
  if (chatId > 0 || from) return undefined;
  if (await deps.isSendingTo(chatId)) return 'unsettled';
  return (await deps.isOwnMessage(chatId, first.id)) ? sentByRelay : undefined;
}

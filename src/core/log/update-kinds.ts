/**
 * Every kind of update of Bot API 10. The relay asks for all of them by name, because Telegram
 * leaves three out unless they are named.
 */
export const updateKinds = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_connection',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'guest_message',
  'stopped_message_generation',
  'message_reaction',
  'message_reaction_count',
  'inline_query',
  'chosen_inline_result',
  'callback_query',
  'shipping_query',
  'pre_checkout_query',
  'purchased_paid_media',
  'poll',
  'poll_answer',
  'my_chat_member',
  'chat_member',
  'chat_join_request',
  'chat_boost',
  'removed_chat_boost',
  'managed_bot',
  'subscription',
] as const;

/** Kinds that Telegram sends only to clients that ask for them by name. */
export const kindsOnRequest: ReadonlySet<string> = new Set([
  'chat_member',
  'message_reaction',
  'message_reaction_count',
]);

/**
 * Says whether a client that did not set `allowed_updates` receives a kind; `named` are the kinds
 * in the filter of its app.
 */
export const isDefaultKind = (kind: string, named: readonly string[]): boolean =>
  !kindsOnRequest.has(kind) || named.includes(kind);

import type { UpdateKind } from '../world/bot-records.ts';

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
] as const satisfies UpdateKind[];

/** Kinds that a bot receives only if it asks for them by name. */
const onRequest = new Set<UpdateKind>([
  'chat_member',
  'message_reaction',
  'message_reaction_count',
]);

export const wants = (allowed: UpdateKind[] | undefined, kind: UpdateKind): boolean =>
  allowed ? allowed.includes(kind) : !onRequest.has(kind);

/** An empty list, or one without a known name, means the default. */
export function readAllowedUpdates(given: unknown): UpdateKind[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const known = updateKinds.filter((kind) => given.includes(kind));
  return known.length > 0 ? known : undefined;
}

const daySeconds = 86_400;
const shortLifetimes: Partial<Record<UpdateKind, number>> = {
  inline_query: 30,
  callback_query: 150,
  shipping_query: 150,
  pre_checkout_query: 150,
};

export const lifetimeSeconds = (kind: UpdateKind): number => shortLifetimes[kind] ?? daySeconds;

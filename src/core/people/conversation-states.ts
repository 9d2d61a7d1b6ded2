/** The states of a conversation; `waiting` follows from messages, the others are set. */
export const settableStates = ['open', 'done'] as const;
export type SettableState = (typeof settableStates)[number];
export const conversationStates = ['waiting', ...settableStates] as const;
export type ConversationState = (typeof conversationStates)[number];
/** A waiting conversation may be snoozed; lists tell these apart. Unfinished are all but the done ones. */
export const listedStates = ['waiting', 'snoozed', ...settableStates, 'unfinished'] as const;
export type ListedState = (typeof listedStates)[number];

/** By the last message, the latest first; or those that wait before the others, the longest first. */
export const chatOrders = ['last_message', 'waiting'] as const;
export type ChatOrder = (typeof chatOrders)[number];

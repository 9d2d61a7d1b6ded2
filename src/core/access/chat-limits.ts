/* The chats that a key is limited to, which bind it in every endpoint. */
import { RelayError } from '../../errors.ts';
import { reason } from '../reasons/reason.ts';
import type { Caller, ChatLimits, Scope } from './access.ts';

/**
 * How an endpoint keeps a limited key within its chats. `reads` and `writes` need the field
 * `chat_id`, which has to name such a chat. With `filtered`, a `chat_id` that is given is checked
 * for reading, and the service leaves other chats out. `none` has nothing of chats; `refused`
 * refuses limited keys.
 */
export const chatRules = [
  'none',
  'reads',
  'writes',
  'reads and writes',
  'filtered',
  'refused',
] as const;
export type ChatRule = (typeof chatRules)[number];

/** Returns the limits of a key or user; undefined if it has all chats. */
export function chatLimits(
  read: readonly number[] | null,
  write: readonly number[] | null,
): ChatLimits | undefined {
  return read === null && write === null ? undefined : { read, write };
}

/** A key that is limited to chats cannot manage what concerns others. */
export function fitsChatLimits(scope: Scope, limits: ChatLimits | undefined): boolean {
  return limits === undefined || scope === 'read' || scope === 'send';
}

/** The chats that a list for the caller may show; null for all. */
export function readableChats({ chats }: Caller): readonly number[] | null {
  return chats?.read ?? null;
}

export function mayReadChat(caller: Caller, chatId: number): boolean {
  return readableChats(caller)?.includes(chatId) ?? true;
}

export function requireReadableChat(caller: Caller, chatId: number): void {
  if (!mayReadChat(caller, chatId)) throw notAllowed(chatId, 'read');
}

export function mayWriteChat({ chats }: Caller, chatId: number): boolean {
  return chats?.write?.includes(chatId) ?? true;
}

export function requireWritableChat(caller: Caller, chatId: number): void {
  if (!mayWriteChat(caller, chatId)) throw notAllowed(chatId, 'write');
}

/** Refuses a limited key where its chats cannot be told from others. */
export function requireRule({ chats }: Caller, rule: ChatRule): void {
  if (!chats || rule !== 'refused') return;
  throw new RelayError('chat_not_allowed', reason('all_chats_needed'));
}

/** Checks the chat that a request names, before the handler sees it. */
export function requireChats(caller: Caller, rule: ChatRule, chatId: number | undefined): void {
  requireRule(caller, rule);
  if (!caller.chats || rule === 'none') return;
  if (chatId === undefined) {
    if (rule === 'filtered') return;
    throw new RelayError('chat_not_allowed', reason('name_a_chat'));
  }
  if (rule !== 'writes') requireReadableChat(caller, chatId);
  if (rule === 'writes' || rule === 'reads and writes') requireWritableChat(caller, chatId);
}

function notAllowed(chatId: number, action: 'read' | 'write'): RelayError {
  const why = action === 'read' ? 'chat_not_readable' : 'chat_not_writable';
  return new RelayError('chat_not_allowed', reason(why, { chat_id: chatId }));
}

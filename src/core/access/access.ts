import { reason } from '../reasons/reason.ts';
import { RelayError } from '../../errors.ts';

/** Each scope includes those before it. */
export const scopes = ['read', 'send', 'manage', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Roles of people in the web UI; `user` is the older name of `manager`. */
export const roles = ['viewer', 'agent', 'manager', 'admin', 'user'] as const;
export type Role = (typeof roles)[number];

/** Chat IDs as Telegram has them, whichever bot is in the chat; null for all chats. */
export interface ChatLimits {
  read: readonly number[] | null;
  write: readonly number[] | null;
}

/** The author of a request: an API key, a signed-in person, or the command line on the data directory. */
export interface Caller {
  kind: 'key' | 'user' | 'local';
  /** The key's or the user's id; 0 for the command line. */
  id: number;
  /** The audit log and the web UI show it; it is never a secret. */
  name: string;
  /** For a signed-in person with a role, their scope in chats. */
  scope: Scope;
  /** Only people have a role; it says what they may do in each area. */
  role?: Role;
  /** The only bots this caller may touch; null means all of them. */
  botIds: readonly number[] | null;
  /** The only chats it may read and write; without it, all. */
  chats?: ChatLimits;
  /** The program that uses a key, as it calls itself. */
  client?: string;
  /** How many changes it may make in a day (UTC); without it, any number. */
  dailyWrites?: number;
  /** The address that the request came from. */
  address: string;
}

export const localCaller: Caller = {
  kind: 'local',
  id: 0,
  name: 'command line',
  scope: 'admin',
  botIds: null,
  address: 'local',
};

/** A key shows its client, because several may use it. */
export function callerName({ name, client }: Pick<Caller, 'name' | 'client'>): string {
  return client === undefined ? name : `${name} (${client})`;
}

export function includesScope(has: Scope, needed: Scope): boolean {
  return scopes.indexOf(has) >= scopes.indexOf(needed);
}

export function hasScope(caller: Caller, needed: Scope): boolean {
  return includesScope(caller.scope, needed);
}

export function requireScope(caller: Caller, needed: Scope): void {
  if (hasScope(caller, needed)) return;
  throw new RelayError(
    'insufficient_scope',
    reason('scope_too_low', { needed, scope: caller.scope }),
  );
}

export function maySeeBot(caller: Caller, botId: number): boolean {
  return caller.botIds === null || caller.botIds.includes(botId);
}

/** Call this before checking that the bot exists, so that a limited key learns nothing about other bots. */
export function requireBot(caller: Caller, botId: number): void {
  if (maySeeBot(caller, botId)) return;
  throw new RelayError('bot_not_allowed', reason('bot_not_of_key', { bot_id: botId }));
}

/** Returns the bot that a request names, if the caller may touch it and it exists. */
export async function callersBot<Bot>(
  bots: { get(id: number): Promise<Bot | undefined> },
  caller: Caller,
  botId: number,
): Promise<Bot> {
  requireBot(caller, botId);
  const bot = await bots.get(botId);
  if (!bot) throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: botId }));
  return bot;
}

/** For things that concern all bots: a caller limited to some bots neither sees nor changes them. */
export function requireEveryBot(caller: Caller): void {
  if (caller.botIds === null) return;
  throw new RelayError('bot_not_allowed', reason('all_bots_needed'));
}

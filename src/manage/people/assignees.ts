import { type Caller, includesScope, requireBot } from '../../core/access/access.ts';
import { scopeOfRole } from '../../core/access/rights.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';
import type { StoredUser } from '../../store/access/users.ts';

/** The assignee of a conversation: a user of the web UI, or a person in Telegram. */
export interface Assignee {
  kind: 'user' | 'person';
  id: number;
  name: string;
}

/** The bots that a caller asks about; null for all. */
export function botsOf(caller: Caller, botId: number | undefined): readonly number[] | null {
  if (botId === undefined) return caller.botIds;
  requireBot(caller, botId);
  return [botId];
}

/** '' for a key, which nobody can give a conversation. */
export function keyOf({ kind, id }: Caller): string {
  return kind === 'user' ? `user:${id}` : '';
}

/** Returns the key under which the assignee is stored: a person who is a user is that user. */
export function assigneeKey(caller: Caller, named: string, users: readonly StoredUser[]): string {
  if (named === 'none') return '';
  if (named === 'me') {
    if (caller.kind === 'user') return keyOf(caller);
    throw invalidField('assignee', reason('me_is_no_user'));
  }
  const user = users.find(
    (one) => one.telegramUserId !== 0 && named === `person:${one.telegramUserId}`,
  );
  return user ? `user:${user.id}` : named;
}

export function readAssignee(key: string, name: string): Assignee {
  const [kind, id] = key.split(':');
  return { kind: kind as Assignee['kind'], id: Number(id), name };
}

/** True if the user may answer, and so have, conversations of some bot. */
export function mayHaveAny({ botIds, disabled, role }: StoredUser): boolean {
  return !disabled && botIds?.length !== 0 && includesScope(scopeOfRole(role), 'send');
}

export function mayHave(user: StoredUser, botId: number): boolean {
  return mayHaveAny(user) && (user.botIds === null || user.botIds.includes(botId));
}

/*
 * The rights of roles, in one table. An endpoint needs a scope in the area of its group in the API
 * reference. A key has the same scope in every area; a user has the scopes of their role. The menus
 * and buttons of the web UI follow the same table, which the session shows.
 */
import { RelayError } from '../../errors.ts';
import type { EventType } from '../ports.ts';
import { reason } from '../reasons/reason.ts';
import { type Caller, includesScope, type Role, roles, type Scope } from './access.ts';

export const areas = ['account', 'chats', 'notes', 'bots', 'service'] as const;
export type Area = (typeof areas)[number];

/** Each scope includes those before it; `none` has nothing of an area. */
export type Rights = Record<Area, Scope | 'none'> & { chats: Scope };

export interface Right {
  area: Area;
  scope: Scope;
}

const managed: Rights = {
  account: 'manage',
  chats: 'manage',
  notes: 'manage',
  bots: 'manage',
  service: 'none',
};

/** All but `admin` have the assigned bots only. */
export const roleRights: Record<Role, Rights> = {
  viewer: { account: 'read', chats: 'read', notes: 'read', bots: 'read', service: 'none' },
  agent: { account: 'read', chats: 'send', notes: 'manage', bots: 'none', service: 'none' },
  manager: managed,
  admin: { account: 'admin', chats: 'admin', notes: 'admin', bots: 'admin', service: 'admin' },
  user: managed,
};

/** The groups of the API reference, each with its area. */
export const areaOfGroup = {
  Sessions: 'account',
  Events: 'account',
  Admins: 'chats',
  Chats: 'chats',
  Messages: 'chats',
  People: 'chats',
  Questions: 'chats',
  'Saved replies': 'chats',
  Tags: 'notes',
  Alerts: 'bots',
  Apps: 'bots',
  Bots: 'bots',
  Broadcasts: 'bots',
  Deliveries: 'bots',
  Desks: 'bots',
  Routes: 'bots',
  Sandbox: 'bots',
  Statistics: 'bots',
  Updates: 'bots',
  'Audit log': 'service',
  Configuration: 'service',
  Keys: 'service',
  'Language model': 'service',
  Operation: 'service',
  Users: 'service',
} as const satisfies Record<string, Area>;

export type ApiGroup = keyof typeof areaOfGroup;

/** Who hears of a bot may list bots. */
export const areaOfEvent: Record<EventType, Area> = {
  message: 'chats',
  chat: 'chats',
  'chat.writing': 'chats',
  question: 'chats',
  bot: 'chats',
  delivery: 'bots',
  route: 'bots',
  'alert.opened': 'bots',
  'alert.changed': 'bots',
  'alert.resolved': 'bots',
};

type WithRights = Pick<Caller, 'role' | 'scope'>;

export function rightsOf({ role, scope }: WithRights): Rights {
  if (role) return roleRights[role];
  return { account: scope, chats: scope, notes: scope, bots: scope, service: scope };
}

export function hasRight(caller: WithRights, { area, scope }: Right): boolean {
  const has = caller.role ? roleRights[caller.role][area] : caller.scope;
  return has !== 'none' && includesScope(has, scope);
}

export function requireRight(caller: Caller, right: Right): void {
  if (hasRight(caller, right)) return;
  const { role, scope } = caller;
  throw new RelayError(
    'insufficient_scope',
    role
      ? reason('role_lacks_right', { role })
      : reason('scope_too_low', { needed: right.scope, scope }),
  );
}

/** The roles whose users may do this. */
export function rolesWith(right: Right): Role[] {
  return roles.filter((role) => hasRight({ role, scope: 'read' }, right));
}

/** What services check that know no area: the scope in chats, which all roles have. */
export function scopeOfRole(role: Role): Scope {
  return roleRights[role].chats;
}

/** The bots of a user; null means all. */
export function botsOfRole(
  role: Role,
  botIds: readonly number[] | null | undefined,
): number[] | null {
  return role === 'admin' ? null : [...(botIds ?? [])];
}

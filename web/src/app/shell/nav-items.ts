import type { Scope, Session } from '../../api/client/types.ts';
import type { Messages } from '../../i18n/en.ts';
import type { IconName } from '../../ui/icon.tsx';

type Group = 'groupWatch' | 'groupShape' | 'groupRun';

export interface NavItem {
  path:
    | '/'
    | '/settings'
    | '/chats'
    | '/bots'
    | '/routes'
    | '/phones'
    | '/statistics'
    | '/audit'
    | '/access';
  icon: IconName;
  /** Pressed after `g`. */
  letter: string;
  name:
    | 'overview'
    | 'chats'
    | 'bots'
    | 'routes'
    | 'sandbox'
    | 'statistics'
    | 'audit'
    | 'access'
    | 'settings';
  group: Group;
  scope: Scope;
  /** Not for those limited to certain bots. */
  everyBot?: true;
}

/** Every page of the navigation, the palette and the keyboard, in this order. */
const navItems: NavItem[] = [
  {
    path: '/',
    icon: 'overview',
    letter: 'o',
    name: 'overview',
    group: 'groupWatch',
    scope: 'read',
  },
  { path: '/chats', icon: 'chats', letter: 'c', name: 'chats', group: 'groupWatch', scope: 'read' },
  {
    path: '/statistics',
    icon: 'chart',
    letter: 't',
    name: 'statistics',
    group: 'groupWatch',
    scope: 'read',
  },
  { path: '/bots', icon: 'bot', letter: 'b', name: 'bots', group: 'groupShape', scope: 'read' },
  {
    path: '/routes',
    icon: 'route',
    letter: 'r',
    name: 'routes',
    group: 'groupShape',
    scope: 'read',
  },
  {
    path: '/phones',
    icon: 'phone',
    letter: 'p',
    name: 'sandbox',
    group: 'groupShape',
    scope: 'manage',
    everyBot: true,
  },
  { path: '/access', icon: 'key', letter: 'k', name: 'access', group: 'groupRun', scope: 'admin' },
  {
    path: '/audit',
    icon: 'ledger',
    letter: 'a',
    name: 'audit',
    group: 'groupRun',
    scope: 'admin',
  },
  {
    path: '/settings',
    icon: 'gear',
    letter: 's',
    name: 'settings',
    group: 'groupRun',
    scope: 'read',
  },
];

const order: Scope[] = ['read', 'send', 'manage', 'admin'];

export function allows(has: Scope, needed: Scope): boolean {
  return order.indexOf(has) >= order.indexOf(needed);
}

/** The pages that this person has any use of. */
export function navItemsFor(session: Session): NavItem[] {
  return navItems.filter(
    (item) => allows(session.scope, item.scope) && (!item.everyBot || session.bot_ids === null),
  );
}

/** Whether an address leads to one of the others. */
export function isBarred(session: Session, path: string): boolean {
  const leadsTo = (item: NavItem) => item.path !== '/' && path.startsWith(item.path);
  return navItems.some(leadsTo) && !navItemsFor(session).some(leadsTo);
}

export function navItemName(item: NavItem, t: Messages): string {
  return t.nav[item.name];
}

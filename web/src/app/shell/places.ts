import type { Messages } from '../../i18n/en.ts';
import type { Scope } from '../../api/types.ts';
import type { IconName } from '../../ui/icon.tsx';

export interface Place {
  path: '/' | '/settings' | '/chats' | '/bots' | '/routes' | '/phones' | '/access';
  icon: IconName;
  /** Pressed after `g`. */
  letter: string;
  label: (t: Messages) => string;
  group: (t: Messages) => string;
  scope: Scope;
}

/** Every page of the navigation, the palette and the keyboard, in this order. */
export const places: Place[] = [
  place(
    '/',
    'overview',
    'o',
    (t) => t.nav.overview,
    (t) => t.nav.groupWatch,
  ),
  place(
    '/chats',
    'chats',
    'c',
    (t) => t.nav.chats,
    (t) => t.nav.groupWatch,
  ),
  place(
    '/bots',
    'bot',
    'b',
    (t) => t.nav.bots,
    (t) => t.nav.groupShape,
  ),
  place(
    '/routes',
    'route',
    'r',
    (t) => t.nav.routes,
    (t) => t.nav.groupShape,
  ),
  place(
    '/phones',
    'phone',
    'p',
    (t) => t.nav.sandbox,
    (t) => t.nav.groupShape,
  ),
  place(
    '/access',
    'key',
    'k',
    (t) => t.nav.access,
    (t) => t.nav.groupRun,
    'admin',
  ),
  place(
    '/settings',
    'gear',
    's',
    (t) => t.nav.settings,
    (t) => t.nav.groupRun,
  ),
];

function place(
  path: Place['path'],
  icon: IconName,
  letter: string,
  label: Place['label'],
  group: Place['group'],
  scope: Scope = 'read',
): Place {
  return { path, icon, letter, label, group, scope };
}

const order: Scope[] = ['read', 'send', 'manage', 'admin'];

export function allows(has: Scope, needed: Scope): boolean {
  return order.indexOf(has) >= order.indexOf(needed);
}

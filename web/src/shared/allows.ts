import type { Scope } from '../api/client/types.ts';

const order: Scope[] = ['read', 'send', 'manage', 'admin'];

export function allows(has: Scope, needed: Scope): boolean {
  return order.indexOf(has) >= order.indexOf(needed);
}

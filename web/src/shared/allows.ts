import type { Scope, Session } from '../api/client/types.ts';

const order: Scope[] = ['read', 'send', 'manage', 'admin'];

export type Area = keyof Session['rights'];

/** What a page, button or request needs, as the endpoints behind it do. */
export interface Right {
  area: Area;
  scope: Scope;
}

export function allows({ rights }: Pick<Session, 'rights'>, { area, scope }: Right): boolean {
  const has = rights[area];
  return has !== 'none' && order.indexOf(has) >= order.indexOf(scope);
}

import type { DialectName } from '../engine.ts';
import { foundation } from './001-foundation.ts';
import { relay } from './002-relay.ts';
import { nodes } from './003-nodes.ts';
import { webhooks } from './005-webhooks.ts';
import { routing } from './006-routing.ts';
import { chats } from './007-chats.ts';
import { people } from './008-people.ts';
import { business } from './009-business.ts';
import { push } from './004-push.ts';
import { webhookWishes } from './010-webhook-wishes.ts';
import { management } from './012-management.ts';

export interface Migration {
  /** Numbers are never reused and never change once released. */
  id: number;
  name: string;
  up(dialect: DialectName): string[];
}

export const migrations: readonly Migration[] = [
  foundation,
  relay,
  nodes,
  push,
  webhooks,
  routing,
  chats,
  people,
  business,
  webhookWishes,
  management,
];

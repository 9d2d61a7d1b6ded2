import type { Static } from 'typebox';
import type {
  Bot as BotSchema,
  BotHealth as BotHealthSchema,
  TokenCheck as TokenVerdictSchema,
} from '../../../../src/http/api/bots/bot-schema.ts';
import type { Message as MessageSchema } from '../../../../src/http/api/messages/message-schema.ts';
import type { Route as RouteSchema } from '../../../../src/http/api/routing/route-schema.ts';
import type { Tag as TagSchema } from '../../../../src/http/api/people/tag-schema.ts';

/** The shapes of the API that the page reads. */

export type Scope = 'read' | 'send' | 'manage' | 'admin';

export interface Session {
  kind: 'key' | 'user';
  id: number;
  name: string;
  scope: Scope;
  bot_ids: number[] | null;
  csrf_token: string;
}

export type Bot = Static<typeof BotSchema>;
export type BotHealth = Static<typeof BotHealthSchema>;
export type TokenCheck = Static<typeof TokenVerdictSchema>;
export type Route = Static<typeof RouteSchema>;
export type Tag = Static<typeof TagSchema>;

export type Message = Static<typeof MessageSchema>;

export interface ApiKey {
  id: number;
  name: string;
  hint: string;
  scope: Scope;
  bot_ids: number[] | null;
  expires_at: string;
  disabled: boolean;
  created_by: string;
  created_at: string;
  last_used_at: string;
}

export interface User {
  id: number;
  username: string;
  role: 'admin' | 'user';
  bot_ids: number[];
  disabled: boolean;
  created_at: string;
  last_sign_in_at: string;
}

import type { Vault } from '../core/access/vault.ts';
import { type ApiKeyRepository, createApiKeyRepository } from './access/api-keys.ts';
import { type AuditStore, createAuditStore } from './access/audit.ts';
import { type BotStore, createBotStore } from './bots/bots.ts';
import { type ChatStore, createChatStore } from './people/chats.ts';
import type { Engine } from './engine.ts';
import { createIdempotencyStore, type IdempotencyStore } from './outbox/idempotency.ts';
import { createLogRepository, type LogRepository } from './log/log.ts';
import { createMemberStore, type MemberStore } from './people/members.ts';
import { createNoteStore, type NoteStore } from './people/notes.ts';
import { createOutboxRepository, type OutboxRepository } from './outbox/outbox.ts';
import { createMessageStore, type MessageStore } from './messages/messages.ts';
import { createPeopleStore, type PeopleStore } from './people/people.ts';
import { createRoutingStore, type RoutingStore } from './routing/routing.ts';
import { createRouteStore, type RouteStore } from './routing/routes.ts';
import { createSessionRepository, type SessionRepository } from './access/sessions.ts';
import { createSettingsRepository, type SettingsRepository } from './access/settings.ts';
import {
  createSignInAttemptRepository,
  type SignInAttemptRepository,
} from './access/sign-in-attempts.ts';
import { createStatsStore, type StatsStore } from './stats/stats.ts';
import { createTagStore, type TagStore } from './people/tags.ts';
import { createUserRepository, type UserRepository } from './access/users.ts';
import { createWarningStore, type WarningStore } from './people/warnings.ts';

/**
 * Everything that is kept. Each member is one kind of thing with its queries, written once for
 * both engines in the file of that name.
 */
export interface Store {
  engine: Engine;
  vault: Vault;
  apiKeys: ApiKeyRepository;
  users: UserRepository;
  sessions: SessionRepository;
  signInAttempts: SignInAttemptRepository;
  settings: SettingsRepository;
  bots: BotStore;
  routes: RouteStore;
  messages: MessageStore;
  tags: TagStore;
  chats: ChatStore;
  people: PeopleStore;
  members: MemberStore;
  warnings: WarningStore;
  notes: NoteStore;
  audit: AuditStore;
  stats: StatsStore;
  idempotency: IdempotencyStore;
  log: LogRepository;
  outbox: OutboxRepository;
  routing: RoutingStore;
}

export function createStore(engine: Engine, vault: Vault): Store {
  return {
    engine,
    vault,
    apiKeys: createApiKeyRepository(engine),
    users: createUserRepository(engine),
    sessions: createSessionRepository(engine),
    signInAttempts: createSignInAttemptRepository(engine),
    settings: createSettingsRepository(engine),
    bots: createBotStore(engine, vault),
    routes: createRouteStore(engine),
    messages: createMessageStore(engine),
    tags: createTagStore(engine),
    chats: createChatStore(engine),
    people: createPeopleStore(engine),
    members: createMemberStore(engine),
    warnings: createWarningStore(engine),
    notes: createNoteStore(engine),
    audit: createAuditStore(engine),
    stats: createStatsStore(engine),
    idempotency: createIdempotencyStore(engine),
    log: createLogRepository(engine.reserved),
    outbox: createOutboxRepository(engine.reserved),
    routing: createRoutingStore(engine),
  };
}

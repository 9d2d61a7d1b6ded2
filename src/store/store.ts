import type { Vault } from '../core/access/vault.ts';
import { type ApiKeyRepository, createApiKeyRepository } from './access/api-keys.ts';
import { type AuditRepository, createAuditRepository } from './access/audit.ts';
import { type BotRepository, createBotRepository } from './bots/bots.ts';
import { type ChatRepository, createChatRepository } from './people/chats.ts';
import type { Engine } from './engine.ts';
import { createIdempotencyRepository, type IdempotencyRepository } from './outbox/idempotency.ts';
import { createLogRepository, type LogRepository } from './log/log.ts';
import { createMemberRepository, type MemberRepository } from './people/members.ts';
import { createNoteRepository, type NoteRepository } from './people/notes.ts';
import { createOutboxRepository, type OutboxRepository } from './outbox/outbox.ts';
import { createMessageRepository, type MessageRepository } from './messages/messages.ts';
import { createPeopleRepository, type PeopleRepository } from './people/people.ts';
import { createRoutingRepository, type RoutingRepository } from './routing/routing.ts';
import { createRouteRepository, type RouteRepository } from './routing/routes.ts';
import { createSessionRepository, type SessionRepository } from './access/sessions.ts';
import { createSettingsRepository, type SettingsRepository } from './access/settings.ts';
import {
  createSignInAttemptRepository,
  type SignInAttemptRepository,
} from './access/sign-in-attempts.ts';
import { createStatsRepository, type StatsRepository } from './stats/stats.ts';
import { createTagRepository, type TagRepository } from './people/tags.ts';
import { createUserRepository, type UserRepository } from './access/users.ts';
import { createWarningRepository, type WarningRepository } from './people/warnings.ts';

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
  bots: BotRepository;
  routes: RouteRepository;
  messages: MessageRepository;
  tags: TagRepository;
  chats: ChatRepository;
  people: PeopleRepository;
  members: MemberRepository;
  warnings: WarningRepository;
  notes: NoteRepository;
  audit: AuditRepository;
  stats: StatsRepository;
  idempotency: IdempotencyRepository;
  log: LogRepository;
  outbox: OutboxRepository;
  routing: RoutingRepository;
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
    bots: createBotRepository(engine, vault),
    routes: createRouteRepository(engine),
    messages: createMessageRepository(engine),
    tags: createTagRepository(engine),
    chats: createChatRepository(engine),
    people: createPeopleRepository(engine),
    members: createMemberRepository(engine),
    warnings: createWarningRepository(engine),
    notes: createNoteRepository(engine),
    audit: createAuditRepository(engine),
    stats: createStatsRepository(engine),
    idempotency: createIdempotencyRepository(engine),
    log: createLogRepository(engine.reserved),
    outbox: createOutboxRepository(engine.reserved),
    routing: createRoutingRepository(engine),
  };
}

import { randomBytes } from 'node:crypto';
import { newNonce } from '../core/messages/own-buttons.ts';
import { createPatternTimes, type PatternTimes } from '../core/search/pattern-time.ts';
import type { Vault } from '../core/access/vault.ts';
import { type ApiKeyRepository, createApiKeyRepository } from './access/api-keys.ts';
import { type AuditRepository, createAuditRepository } from './access/audit.ts';
import { createSessionRepository, type SessionRepository } from './access/sessions.ts';
import { createSettingsRepository, type SettingsRepository } from './access/settings.ts';
import {
  createSignInAttemptRepository,
  type SignInAttemptRepository,
} from './access/sign-in-attempts.ts';
import { createUserRepository, type UserRepository } from './access/users.ts';
import { type AppSendRepository, createAppSendRepository } from './apps/app-sends.ts';
import { type AppRepository, createAppRepository } from './apps/apps.ts';
import { createClaimRegistry } from './apps/claim-registry.ts';
import { type BotRepository, createBotRepository } from './bots/bots.ts';
import { type BotRuntimeRepository, createBotRuntimeRepository } from './cluster/bot-runtime.ts';
import { createLeaseRepository, type LeaseRepository } from './cluster/leases.ts';
import { createDeadLetterRepository, type DeadLetterRepository } from './delivery/dead-letters.ts';
import { createDeliveryRepository, type DeliveryRepository } from './delivery/deliveries.ts';
import {
  createDeliveredUpdateRepository,
  type DeliveredUpdateRepository,
} from './delivery/delivered-updates.ts';
import {
  createPushOverviewRepository,
  type PushOverviewRepository,
} from './delivery/push-overview.ts';
import { createRetryQueueRepository, type RetryQueueRepository } from './delivery/retry-queues.ts';
import { createWebhookRepository, type WebhookRepository } from './delivery/webhooks.ts';
import { takeBack } from './delivery/take-back.ts';
import type { Engine } from './engine.ts';
import { type ConsumerRepository, createConsumerRepository } from './apps/consumers.ts';
import { createDeskRepository, type DeskRepository } from './desks/desks.ts';
import { deskClaims } from './desks/desk-claims.ts';
import { showInTopics } from './desks/desk-shows.ts';
import { deskSendEnded } from './desks/desk-outcomes.ts';
import { createLogHeadRepository, type LogHeadRepository } from './log/log-heads.ts';
import { createLogRepository, type LogRepository } from './log/log.ts';
import { createReaderRepository, type ReaderRepository } from './log/readers.ts';
import { createRetentionRepository, type RetentionRepository } from './log/retention.ts';
import { createUnreadCounts, type UnreadCounts } from './apps/unread.ts';
import { archive } from './messages/archive.ts';
import { type ChatMoveRepository, createChatMoveRepository } from './messages/chat-moves.ts';
import { createHistoryRepository, type HistoryRepository } from './import/history.ts';
import {
  createMessageHistoryRepository,
  type MessageHistoryRepository,
} from './messages/message-history.ts';
import {
  createMessageSearchRepository,
  type MessageSearchRepository,
} from './messages/message-search.ts';
import {
  createMessageTraceRepository,
  type MessageTraceRepository,
} from './messages/message-traces.ts';
import { createMessageRepository, type MessageRepository } from './messages/messages.ts';
import { createTopicRepository, type TopicRepository } from './messages/topics.ts';
import { type AlertFactRepository, createAlertFactRepository } from './alerts/alert-facts.ts';
import { createMetricFactRepository, type MetricFactRepository } from './service/metric-facts.ts';
import {
  type AlertChannelRepository,
  createAlertChannelRepository,
} from './alerts/alert-channels.ts';
import {
  type AlertConditionRepository,
  createAlertConditionRepository,
} from './alerts/alert-conditions.ts';
import { type AlertLogRepository, createAlertLogRepository } from './alerts/alert-log.ts';
import {
  type AlertMessageRepository,
  createAlertMessageRepository,
} from './alerts/alert-messages.ts';
import {
  createServiceFactRepository,
  type ServiceFactRepository,
} from './service/service-facts.ts';
import { type CaptureRepository, createCaptureRepository } from './outbox/captures.ts';
import { createIdempotencyRepository, type IdempotencyRepository } from './outbox/idempotency.ts';
import { type BroadcastSteps, createBroadcastSteps } from './outbox/broadcast-steps.ts';
import { type BroadcastRepository, createBroadcastRepository } from './outbox/broadcasts.ts';
import { createOutboxRepository, type OutboxRepository } from './outbox/outbox.ts';
import type { ShowAnswers } from './outbox/store-answers.ts';
import { createKeptFileRepository, type KeptFileRepository } from './outbox/kept-files.ts';
import {
  createScheduledSendRepository,
  type ScheduledSendRepository,
} from './outbox/scheduled-sends.ts';
import { createSendLimitRepository, type SendLimitRepository } from './outbox/send-limits.ts';
import { type ChatRepository, createChatRepository } from './people/chats.ts';
import {
  type ConversationRepository,
  createConversationRepository,
} from './people/conversations.ts';
import { createMemberRepository, type MemberRepository } from './people/members.ts';
import { createNoteRepository, type NoteRepository } from './people/notes.ts';
import { createQuestionAnswers } from './questions/question-answers.ts';
import { ratingSent } from './desks/desk-ratings.ts';
import { questionSent } from './questions/question-steps.ts';
import { createQuestionRepository, type QuestionRepository } from './questions/questions.ts';
import { createPeopleRepository, type PeopleRepository } from './people/people.ts';
import { createSavedReplyRepository, type SavedReplyRepository } from './messages/saved-replies.ts';
import { createTagRepository, type TagRepository } from './people/tags.ts';
import { createWarningRepository, type WarningRepository } from './people/warnings.ts';
import { createRouteRepository, type RouteRepository } from './routing/routes.ts';
import { createRoutingRepository, type RoutingRepository } from './routing/routing.ts';
import { createStatsRepository, type StatsRepository } from './stats/stats.ts';
import { createTopicStatsRepository, type TopicStatsRepository } from './stats/topic-stats.ts';

/**
 * Everything that is stored, and the only place where repositories are made. Each member is one
 * kind of thing with its queries, written once for both engines in the file of that name.
 */
export interface Store {
  engine: Engine;
  vault: Vault;
  apiKeys: ApiKeyRepository;
  users: UserRepository;
  sessions: SessionRepository;
  signInAttempts: SignInAttemptRepository;
  settings: SettingsRepository;
  audit: AuditRepository;
  bots: BotRepository;
  apps: AppRepository;
  appSends: AppSendRepository;
  runtime: BotRuntimeRepository;
  leases: LeaseRepository;
  log: LogRepository;
  logHeads: LogHeadRepository;
  consumers: ConsumerRepository;
  readers: ReaderRepository;
  retention: RetentionRepository;
  unread: UnreadCounts;
  deliveries: DeliveryRepository;
  deliveredUpdates: DeliveredUpdateRepository;
  deadLetters: DeadLetterRepository;
  retryQueues: RetryQueueRepository;
  pushOverview: PushOverviewRepository;
  webhooks: WebhookRepository;
  outbox: OutboxRepository;
  scheduledSends: ScheduledSendRepository;
  broadcasts: BroadcastRepository;
  broadcastSteps: BroadcastSteps;
  keptFiles: KeptFileRepository;
  questions: QuestionRepository;
  captures: CaptureRepository;
  idempotency: IdempotencyRepository;
  sendLimits: SendLimitRepository;
  routes: RouteRepository;
  routing: RoutingRepository;
  desks: DeskRepository;
  messages: MessageRepository;
  messageHistory: MessageHistoryRepository;
  messageSearch: MessageSearchRepository;
  messageTraces: MessageTraceRepository;
  chatMoves: ChatMoveRepository;
  history: HistoryRepository;
  chats: ChatRepository;
  topics: TopicRepository;
  conversations: ConversationRepository;
  people: PeopleRepository;
  members: MemberRepository;
  notes: NoteRepository;
  savedReplies: SavedReplyRepository;
  tags: TagRepository;
  warnings: WarningRepository;
  stats: StatsRepository;
  topicStats: TopicStatsRepository;
  /** The conditions that need attention. */
  alertFacts: AlertFactRepository;
  alertLog: AlertLogRepository;
  alertChannels: AlertChannelRepository;
  alertMessages: AlertMessageRepository;
  alertConditions: AlertConditionRepository;
  serviceFacts: ServiceFactRepository;
  metricFacts: MetricFactRepository;
  /** Limits how long patterns of users may take, here and elsewhere. */
  patterns: PatternTimes;
  /** The same repositories over connections that never wait for slow reads and management. */
  reserved: Pick<Store, 'engine' | 'deliveries' | 'retryQueues' | 'runtime' | 'webhooks'>;
}

export function createStore(
  engine: Engine,
  vault: Vault,
  patterns: PatternTimes = createPatternTimes(),
  random: (bytes: number) => Buffer = randomBytes,
): Store {
  const bots = createBotRepository(engine, vault);
  const apps = createAppRepository(engine.reserved, vault);
  const claims = createClaimRegistry(engine.dialect, patterns.live, deskClaims(engine.dialect));
  const log = createLogRepository(engine.reserved, {
    claims,
    archive,
    questions: createQuestionAnswers(engine.dialect),
  });
  const consumers = createConsumerRepository(engine.reserved);
  const readers = createReaderRepository(engine, { push: takeBack });
  const desks = createDeskRepository(engine, () => newNonce(random));
  const show: ShowAnswers = (...answered) =>
    showInTopics(engine.dialect, desks.mayHaveDesk, ...answered);
  return {
    engine,
    vault,
    patterns,
    unread: createUnreadCounts({ bots, apps, log, consumers, readers, patterns }),
    apiKeys: createApiKeyRepository(engine),
    users: createUserRepository(engine),
    sessions: createSessionRepository(engine),
    signInAttempts: createSignInAttemptRepository(),
    settings: createSettingsRepository(engine),
    audit: createAuditRepository(engine),
    bots,
    apps,
    appSends: createAppSendRepository(engine.reserved),
    runtime: createBotRuntimeRepository(engine, vault),
    leases: createLeaseRepository(engine.reserved),
    log,
    logHeads: createLogHeadRepository(engine),
    consumers,
    readers,
    retention: createRetentionRepository(engine, patterns),
    deliveries: createDeliveryRepository(engine),
    deliveredUpdates: createDeliveredUpdateRepository(engine),
    deadLetters: createDeadLetterRepository(engine),
    retryQueues: createRetryQueueRepository(engine),
    pushOverview: createPushOverviewRepository(engine),
    webhooks: createWebhookRepository(engine),
    outbox: createOutboxRepository(engine.reserved, {
      *onSent(send, messageId, nowMs) {
        yield* questionSent(send, messageId, nowMs);
        yield* ratingSent(send, messageId);
      },
      ended: (...end) => deskSendEnded(engine.dialect, ...end),
      show,
    }),
    questions: createQuestionRepository(engine),
    scheduledSends: createScheduledSendRepository(engine),
    broadcasts: createBroadcastRepository(engine),
    broadcastSteps: createBroadcastSteps(engine.reserved),
    keptFiles: createKeptFileRepository(engine),
    captures: createCaptureRepository(engine, show),
    idempotency: createIdempotencyRepository(engine),
    sendLimits: createSendLimitRepository(engine),
    routes: createRouteRepository(engine),
    routing: createRoutingRepository(engine),
    desks,
    messages: createMessageRepository(engine),
    messageHistory: createMessageHistoryRepository(engine),
    messageSearch: createMessageSearchRepository(engine),
    messageTraces: createMessageTraceRepository(engine),
    chatMoves: createChatMoveRepository(engine),
    history: createHistoryRepository(engine),
    chats: createChatRepository(engine),
    topics: createTopicRepository(engine),
    conversations: createConversationRepository(engine),
    people: createPeopleRepository(engine),
    members: createMemberRepository(engine),
    notes: createNoteRepository(engine),
    savedReplies: createSavedReplyRepository(engine),
    tags: createTagRepository(engine),
    warnings: createWarningRepository(engine),
    stats: createStatsRepository(engine),
    topicStats: createTopicStatsRepository(engine),
    alertFacts: createAlertFactRepository(engine),
    alertLog: createAlertLogRepository(engine),
    alertChannels: createAlertChannelRepository(engine, vault),
    alertMessages: createAlertMessageRepository(engine),
    alertConditions: createAlertConditionRepository(engine),
    serviceFacts: createServiceFactRepository(engine),
    metricFacts: createMetricFactRepository(engine),
    reserved: {
      engine: engine.reserved,
      deliveries: createDeliveryRepository(engine.reserved),
      retryQueues: createRetryQueueRepository(engine.reserved),
      runtime: createBotRuntimeRepository(engine.reserved, vault),
      webhooks: createWebhookRepository(engine.reserved),
    },
  };
}

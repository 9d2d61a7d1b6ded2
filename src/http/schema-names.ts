import type { TSchema } from 'typebox';
import { ApiKey, NewApiKey } from './api/api-keys.ts';
import { Entry } from './api/audit.ts';
import { Send } from './api/outbox.ts';
import { IssuedBot, Time } from './api/sandbox-fields.ts';
import { Payment } from './api/sandbox-payments.ts';
import { Session } from './api/sessions.ts';
import { StatsAnswer } from './api/stats.ts';
import { PollAnswer } from './api/updates.ts';
import { User } from './api/users.ts';
import { FindingAnswer } from './schemas/attention.ts';
import { Bot, BotHealth, RestoredWebhook, TokenVerdict } from './schemas/bot.ts';
import { Chat, LastMessage } from './schemas/chat.ts';
import {
  Attempt,
  BackendCheckResult,
  DeadLetter,
  LoggedUpdate,
  Queues,
} from './schemas/delivery.ts';
import { ActionAnswer } from './schemas/message-action.ts';
import {
  ContextMessage,
  DetailedMessage,
  Highlight,
  Message,
  MessageContent,
  MessageText,
  SearchAnswer,
} from './schemas/message.ts';
import {
  Admin,
  ListedPerson,
  ModerationResult,
  Note,
  Profile,
  RightsAnswer,
  Warning,
  WarnOutcome,
  WarnSettings,
} from './schemas/person.ts';
import { Reader, Readers, RemovedConsumer, Rewound } from './schemas/reader.ts';
import { Route } from './schemas/route.ts';
import { Decision, LlmConfig, ModelRecord, RouteGraph, Simulation } from './schemas/routing.ts';
import { ServiceAnswer } from './schemas/service.ts';
import { Tag } from './schemas/tag.ts';
import { Slice, VitalsAnswer } from './schemas/vitals.ts';
import { asJsonSchema, type JsonSchema } from './schemas.ts';

/**
 * What the answers are called in the OpenAPI document, and so in generated clients. What is part of
 * another comes before it.
 */
const named: Record<string, TSchema> = {
  Bot,
  BotHealth,
  TokenCheck: TokenVerdict,
  RestoredWebhook,
  Route,
  ModelDecision: ModelRecord,
  RoutingDecision: Decision,
  RouteSimulation: Simulation,
  RouteGraph,
  LlmConfig,
  MessageContent,
  Message,
  DetailedMessage,
  ContextMessage,
  TextRange: Highlight,
  MessageSearch: SearchAnswer,
  MessageText,
  MessageAction: ActionAnswer,
  Tag,
  LastMessage,
  Chat,
  Person: ListedPerson,
  ChatMember: Admin,
  Note,
  Warning,
  WarningResult: WarnOutcome,
  WarningSettings: WarnSettings,
  ModerationResult,
  Profile,
  BotRights: RightsAnswer,
  DeliveryAttempt: Attempt,
  DeadLetter,
  DeliveryQueues: Queues,
  BackendCheck: BackendCheckResult,
  OutboxEntry: Send,
  LoggedUpdate,
  UpdateBatch: PollAnswer,
  Reader,
  Readers,
  MovedReader: Rewound,
  RemovedConsumer,
  Alert: FindingAnswer,
  TimeBucket: Slice,
  LiveMetrics: VitalsAnswer,
  Statistics: StatsAnswer,
  ServiceStatus: ServiceAnswer,
  AuditEntry: Entry,
  ApiKey,
  // Not NewApiKey: in Go that is what makes an ApiKey.
  CreatedApiKey: NewApiKey,
  Session,
  User,
  SandboxBot: IssuedBot,
  SandboxTime: Time,
  SandboxPayment: Payment,
};

export const schemaNames = Object.fromEntries(
  Object.entries(named).map(([name, schema]) => [name, asJsonSchema(schema)]),
) as Record<string, JsonSchema>;

import type { TSchema } from 'typebox';
import { ApiKey, NewApiKey } from '../api/access/api-keys.ts';
import { Entry } from '../api/access/audit.ts';
import { Broadcast, BroadcastResult } from '../api/outbox/broadcast-schemas.ts';
import { Send } from '../api/outbox/outbox.ts';
import { Session } from '../api/access/sessions.ts';
import { StatsAnswer } from '../api/stats/stats.ts';
import { PollAnswer } from '../api/log/updates.ts';
import { User } from '../api/access/users.ts';
import { ConfigFile } from '../api/config/config-schema.ts';
import { AlertAnswer, ChannelUse, OpenAlertAnswer } from '../api/alerts/alert-schema.ts';
import { Channel, ChannelWithSecret } from '../api/alerts/alert-channel-schema.ts';
import { App, AppFilterSchema, AppWithToken, FilterMatches } from '../api/bots/app-schema.ts';
import { Bot, BotHealth, RestoredWebhook, TokenCheck } from '../api/bots/bot-schema.ts';
import {
  Assignee,
  Chat,
  ConversationCounts,
  LastMessage,
  Topic,
} from '../api/people/chat-schema.ts';
import { DeskReply } from '../api/desks/desk-schema.ts';
import { DeliveredUpdateAnswer } from '../api/delivery/delivered-update-schema.ts';
import {
  DeliveryAttempt,
  Backend,
  BackendCheckResult,
  DeadLetter,
  LoggedUpdate,
  DeliveryQueues,
} from '../api/delivery/delivery-schema.ts';
import { ActionAnswer } from '../api/messages/message-action-schema.ts';
import {
  ContextMessage,
  DetailedMessage,
  Highlight,
  Message,
  MessageAuthor,
  MessageContent,
  MessageText,
  SearchAnswer,
  SentMessage,
} from '../api/messages/message-schema.ts';
import { ScheduledMessage } from '../api/messages/scheduled.ts';
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
} from '../api/people/person-schema.ts';
import { QuestionAnswer } from '../api/questions/question-schema.ts';
import { Reader, Readers, RemovedConsumer, Rewound } from '../api/log/reader-schema.ts';
import { Route } from '../api/routing/route-schema.ts';
import {
  Decision,
  LlmConfig,
  ModelRecord,
  RouteGraph,
  Simulation,
} from '../api/routing/routing-schema.ts';
import { ImportReport, Taken } from '../api/import/import-schema.ts';
import { ServiceAnswer } from '../api/service/service-schema.ts';
import { SavedReply } from '../api/messages/saved-reply-schema.ts';
import { Tag } from '../api/people/tag-schema.ts';
import { TimeBucketAnswer, LiveMetricsAnswer } from '../api/stats/live-metrics-schema.ts';
import type { Endpoint } from '../endpoint.ts';
import { asJsonSchema, Detail, type JsonSchema } from '../schemas.ts';

/**
 * The names of responses in the OpenAPI document, and so in generated clients. Parts come before
 * the objects that contain them.
 */
const named: Record<string, TSchema> = {
  Reason: Detail('text'),
  Bot,
  BotHealth,
  TokenCheck,
  RestoredWebhook,
  AppFilter: AppFilterSchema,
  App,
  CreatedApp: AppWithToken,
  FilterMatches,
  DeskReply,
  Configuration: ConfigFile,
  Route,
  ModelDecision: ModelRecord,
  RoutingDecision: Decision,
  RouteSimulation: Simulation,
  RouteGraph,
  LlmConfig,
  Topic,
  MessageContent,
  MessageAuthor,
  Message,
  ScheduledMessage,
  SentMessage,
  DetailedMessage,
  ContextMessage,
  TextRange: Highlight,
  MessageSearch: SearchAnswer,
  MessageText,
  MessageAction: ActionAnswer,
  SavedReply,
  Tag,
  LastMessage,
  Assignee,
  ConversationCounts,
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
  DeliveryAttempt,
  DeliveredUpdate: DeliveredUpdateAnswer,
  DeadLetter,
  DeliveryQueues,
  Backend,
  BackendCheck: BackendCheckResult,
  OutboxEntry: Send,
  Question: QuestionAnswer,
  Broadcast,
  BroadcastResult,
  LoggedUpdate,
  UpdateBatch: PollAnswer,
  Reader,
  Readers,
  MovedReader: Rewound,
  RemovedConsumer,
  AlertChannelUse: ChannelUse,
  Alert: AlertAnswer,
  OpenAlert: OpenAlertAnswer,
  AlertChannel: Channel,
  CreatedAlertChannel: ChannelWithSecret,
  TimeBucket: TimeBucketAnswer,
  LiveMetrics: LiveMetricsAnswer,
  Statistics: StatsAnswer,
  ServiceStatus: ServiceAnswer,
  ImportResult: Taken,
  ImportReport,
  AuditEntry: Entry,
  ApiKey,
  // It is not called NewApiKey, because in Go that is the name of a constructor of ApiKey.
  CreatedApiKey: NewApiKey,
  Session,
  User,
};

export function schemaNames(endpoints: readonly Endpoint[]): Record<string, JsonSchema> {
  const own = endpoints.flatMap(({ responseName, response }): [string, TSchema][] =>
    responseName === undefined ? [] : [[responseName, response]],
  );
  return Object.fromEntries(
    [...Object.entries(named), ...own].map(([name, schema]) => [name, asJsonSchema(schema)]),
  );
}

import { auditEndpoints } from '../http/api/access/audit.ts';
import { appEndpoints } from '../http/api/bots/apps.ts';
import { botEndpoints } from '../http/api/bots/bots.ts';
import { configEndpoints } from '../http/api/config/config.ts';
import { deliveryEndpoints } from '../http/api/delivery/deliveries.ts';
import { readerEndpoints } from '../http/api/log/readers.ts';
import { updateEndpoints } from '../http/api/log/updates.ts';
import { timelineEndpoints } from '../http/api/messages/timeline.ts';
import { messageEndpoints } from '../http/api/messages/messages.ts';
import { scheduledEndpoints } from '../http/api/messages/scheduled.ts';
import { importEndpoints } from '../http/api/import/import.ts';
import { broadcastEndpoints } from '../http/api/outbox/broadcasts.ts';
import { outboxEndpoints } from '../http/api/outbox/outbox.ts';
import { adminEndpoints } from '../http/api/people/admins.ts';
import { peopleEndpoints } from '../http/api/people/people.ts';
import { savedReplyEndpoints } from '../http/api/messages/saved-replies.ts';
import { tagEndpoints } from '../http/api/people/tags.ts';
import { deskEndpoints } from '../http/api/desks/desks.ts';
import { questionEndpoints } from '../http/api/questions/questions.ts';
import { routeEndpoints } from '../http/api/routing/routes.ts';
import { routingEndpoints } from '../http/api/routing/routing.ts';
import { sandboxEndpoints } from '../http/api/sandbox/sandbox.ts';
import { statsEndpoints } from '../http/api/stats/stats.ts';
import type { Gate } from '../http/auth.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createDeskService } from '../manage/desks/desks.ts';
import { createConfigService } from '../manage/config/config.ts';
import { createImportService } from '../manage/import/import.ts';
import { createMessageService } from '../manage/messages/messages.ts';
import type { ScheduledMessages } from '../manage/messages/scheduled.ts';
import { createBroadcastService } from '../manage/outbox/broadcasts.ts';
import { createOutboxService } from '../manage/outbox/outbox.ts';
import { createAdmins } from '../manage/people/admins.ts';
import { createChatMembers } from '../manage/people/chat-members.ts';
import { createModeration } from '../manage/people/moderation.ts';
import { createProfiles } from '../manage/people/profiles.ts';
import { createSavedReplyService } from '../manage/messages/saved-replies.ts';
import { createTagService } from '../manage/people/tags.ts';
import type { QuestionService } from '../manage/questions/questions.ts';
import { createStatsService } from '../manage/stats/stats.ts';
import { createAppReaders } from '../relay/apps/app-readers.ts';
import { createTimelineService } from '../relay/messages/timeline.ts';
import { createPollService } from '../relay/pull/poll-service.ts';
import { createRoutingService } from '../relay/routing/routing-service.ts';
import { controlActions } from '../../sandbox/src/index.ts';
import { markBots, markDeliveries } from './alert-marks.ts';
import type { Alerts } from './alerts.ts';
import type { Foundation } from './foundation.ts';
import { operationEndpoints } from './operation.ts';
import type { Relay } from './relay.ts';
import type { Services } from './services.ts';

/** Connects the endpoints of the API with their services. */
export function composeEndpoints({
  foundation,
  relay,
  services,
  alerts,
  scheduled,
  questions,
  gate,
}: {
  foundation: Foundation;
  relay: Relay;
  services: Services;
  alerts: Alerts;
  scheduled: ScheduledMessages;
  questions: QuestionService;
  gate: Gate;
}): Endpoint[] {
  const { clock, config, events, logger, sandbox, store, telegram } = foundation;
  const { apps, audit, backup, backups, bots, counter, routes, users } = services;
  const { llmConfig, sender } = relay;
  const routing = createRoutingService({ store, routes, choose: relay.choose, clock });
  const members = createChatMembers({ store, telegram, sender, clock });
  return [
    ...botEndpoints({ bots: markBots(bots, alerts.acted) }),
    ...appEndpoints({ apps }),
    ...routeEndpoints({ routes }),
    ...deskEndpoints({
      desks: createDeskService({ ...relay, store, telegram, clock, events }),
    }),
    ...configEndpoints({
      service: createConfigService({
        store,
        telegram,
        config,
        llmConfig,
        bots,
        runner: relay.runner,
        passwords: services.passwords,
        clock,
        events,
        logger,
        whileDrained: relay.whileDrained,
      }),
    }),
    ...routingEndpoints({ routing, llmConfig }),
    ...timelineEndpoints({
      timeline: createTimelineService({
        store,
        apps: createAppReaders({ ...store, patterns: { live: store.patterns.asked } }),
        routing,
      }),
    }),
    ...messageEndpoints({ messages: createMessageService({ store, sender, clock, scheduled }) }),
    ...scheduledEndpoints({ scheduled }),
    ...broadcastEndpoints({
      broadcasts: createBroadcastService({
        store,
        sender,
        clock,
        events,
        onChanged: relay.wakeBroadcasts,
      }),
    }),
    ...outboxEndpoints({
      outbox: createOutboxService({ store, clock, onQueued: relay.wakeSends }),
    }),
    ...savedReplyEndpoints({ replies: createSavedReplyService({ store, clock }) }),
    ...questionEndpoints({ questions, gate }),
    ...tagEndpoints({ tags: createTagService({ store, clock }) }),
    ...deliveryEndpoints({ service: markDeliveries(relay.deliveryService, alerts.acted) }),
    ...peopleEndpoints({
      profiles: createProfiles({ store, members, stats: counter, clock }),
      moderation: createModeration({ store, members, clock }),
      clock,
    }),
    ...adminEndpoints({ admins: createAdmins({ store, members }) }),
    ...auditEndpoints({ audit }),
    ...statsEndpoints({ stats: createStatsService({ store, counter, clock }) }),
    ...sandboxEndpoints({
      actions: controlActions,
      act: sandbox?.act,
      fileOf: sandbox?.fileOf,
    }),
    ...importEndpoints({
      imports: createImportService({ store, bots, users, routes, llmConfig, config, clock }),
    }),
    ...operationEndpoints({ config, clock, store, relay, backup, backups }),
    ...alerts.endpoints,
    ...updateEndpoints({
      polls: createPollService({ pullers: relay.pullers, bots: store.bots, apps: store.apps }),
      gate,
    }),
    ...readerEndpoints({ service: relay.readerService }),
  ];
}

import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { EventBus, Sender } from '../core/ports.ts';
import { chatEndpoints } from '../http/api/people/chats.ts';
import { conversationEndpoints } from '../http/api/people/conversations.ts';
import { exportEndpoints } from '../http/api/messages/export.ts';
import { mediaEndpoints } from '../http/api/messages/media.ts';
import { messageActionEndpoints } from '../http/api/messages/message-actions.ts';
import { messageLookupEndpoints } from '../http/api/messages/message-lookup.ts';
import { installUploads } from '../http/api/messages/uploads.ts';
import { registerEndpoint } from '../http/register-endpoint.ts';
import type { Logger } from '../logger.ts';
import { watchChatMoves } from '../manage/people/chat-moves.ts';
import { createChatMembers } from '../manage/people/chat-members.ts';
import { createChatService } from '../manage/people/chats.ts';
import { createTopicService } from '../manage/people/topics.ts';
import { createConversationService } from '../manage/people/conversations.ts';
import { createExportService } from '../manage/messages/export.ts';
import { createMediaService } from '../manage/messages/media.ts';
import { createMessageActions } from '../manage/messages/message-actions.ts';
import { createMessageLookup } from '../manage/messages/message-lookup.ts';
import type { ScheduledMessages } from '../manage/messages/scheduled.ts';
import { createSearchIndexer, type SearchIndexer } from '../manage/messages/search-indexer.ts';
import { createMediaCache } from '../store/messages/media-cache.ts';
import type { Store } from '../store/store.ts';
import type { TelegramClient } from '../telegram/client.ts';

export interface ChatManagementDeps {
  config: Pick<Config, 'dataDir' | 'mediaCacheBytes'>;
  clock: Clock;
  logger: Logger;
  store: Store;
  telegram: TelegramClient;
  sender: Sender;
  events: EventBus;
  scheduled: ScheduledMessages;
  isFirstNode(): boolean;
  wakeSends(botIds: ReadonlySet<number>): void;
}

export interface ChatManagement {
  indexer: SearchIndexer;
  /** Ends the background work on messages. */
  stop(): Promise<void>;
}

/**
 * Serves chats, their messages and files over HTTP. Search is indexed once the app listens: a
 * command that works on the data without a port leaves that to the service.
 */
export function installChatManagement(
  app: FastifyInstance,
  deps: ChatManagementDeps,
): ChatManagement {
  const { config, clock, logger, store, telegram, sender, events, scheduled, wakeSends } = deps;
  const members = createChatMembers({ store, telegram, sender, clock });
  const actions = createMessageActions({ store, sender, members, events, scheduled });
  const cache = createMediaCache({
    folder: path.join(config.dataDir, 'media'),
    maxBytes: config.mediaCacheBytes,
    clock,
  });
  const chats = createChatService({ store, telegram, clock, events });
  const endpoints = [
    ...chatEndpoints({ chats, topics: createTopicService({ store }) }),
    ...conversationEndpoints(createConversationService({ store, chats, clock, events, wakeSends })),
    ...messageLookupEndpoints({ lookup: createMessageLookup({ store, clock }) }),
    ...messageActionEndpoints({ actions }),
    ...exportEndpoints({ exports: createExportService({ store }) }),
    ...mediaEndpoints({ media: createMediaService({ store, telegram, cache, clock }) }),
  ];
  for (const endpoint of endpoints) registerEndpoint(app, endpoint);
  installUploads(app, { actions });

  const indexer = createSearchIndexer({
    search: store.messageSearch,
    clock,
    logger,
    isFirstNode: deps.isFirstNode,
  });
  const shutdown = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  app.addHook('onListen', async () => {
    running = Promise.all([
      indexer.run(shutdown.signal),
      watchChatMoves({ moves: store.chatMoves, events, clock }, shutdown.signal),
    ]);
  });
  return {
    indexer,
    async stop() {
      shutdown.abort(new Error('stopping'));
      await running;
    },
  };
}

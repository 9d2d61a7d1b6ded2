// Written by `npm run docs` from the declarations of the endpoints.

/** GET, by path. */
export interface Gets {
  '/api/adminlog': {
    query?: {
      bot_id?: number | undefined;
      actor_kind?: 'key' | 'user' | 'local' | undefined;
      actor_id?: number | undefined;
      action?: string | undefined;
      since?: string | undefined;
      until?: string | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: AuditEntry[];
  };
  '/api/adminlog/export': {
    query?: {
      bot_id?: number | undefined;
      actor_kind?: 'key' | 'user' | 'local' | undefined;
      actor_id?: number | undefined;
      action?: string | undefined;
      since?: string | undefined;
      until?: string | undefined;
      before_id?: number | undefined;
      format?: 'jsonl' | 'csv' | undefined;
    };
    response: string;
  };
  '/api/admins': {
    query: {
      bot_id: number;
      chat_id: number;
    };
    response: ChatMember[];
  };
  '/api/alerts': {
    query?: {
      state?: 'open' | 'resolved' | undefined;
      bot_id?: number | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: Alert[];
  };
  '/api/alerts/channels': {
    query?: Record<string, never>;
    response: AlertChannel[];
  };
  '/api/ask': {
    query: {
      id: number;
      timeout?: number | undefined;
    };
    response: Question;
  };
  '/api/ask/list': {
    query?: {
      bot_id?: number | undefined;
      chat_id?: number | undefined;
      state?: 'open' | 'answered' | 'expired' | 'cancelled' | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: Question[];
  };
  '/api/attention': {
    query?: Record<string, never>;
    response: OpenAlert[];
  };
  '/api/auth/api-keys': {
    query?: Record<string, never>;
    response: ApiKey[];
  };
  '/api/auth/session': {
    query?: Record<string, never>;
    response: Session;
  };
  '/api/auth/users': {
    query?: Record<string, never>;
    response: User[];
  };
  '/api/backends': {
    query?: {
      bot_id?: number | undefined;
    };
    response: Backend[];
  };
  '/api/bots': {
    query?: Record<string, never>;
    response: Bot[];
  };
  '/api/bots/apps': {
    query: {
      bot_id: number;
    };
    response: App[];
  };
  '/api/bots/health': {
    query: {
      id: number;
    };
    response: BotHealth;
  };
  '/api/bots/readers': {
    query: {
      bot_id: number;
    };
    response: Readers;
  };
  '/api/broadcasts': {
    query?: {
      bot_id?: number | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: Broadcast[];
  };
  '/api/broadcasts/results': {
    query: {
      id: number;
      state?:
        | 'queued'
        | 'sent'
        | 'blocked'
        | 'gone'
        | 'failed'
        | 'unknown'
        | 'opted_out'
        | undefined;
      after_chat_id?: number | undefined;
      limit?: number | undefined;
    };
    response: BroadcastResult[];
  };
  '/api/chats': {
    query?: {
      bot_id?: number | undefined;
      assignee?: string | undefined;
      tag?: string | undefined;
      message_thread_id?: number | undefined;
      state?: 'waiting' | 'snoozed' | 'open' | 'done' | 'unfinished' | undefined;
      order?: 'last_message' | 'waiting' | undefined;
      q?: string | undefined;
      limit?: number | undefined;
      before?: string | undefined;
    };
    response: Chat[];
  };
  '/api/chats/assignees': {
    query?: {
      bot_id?: number | undefined;
    };
    response: Assignee[];
  };
  '/api/chats/counts': {
    query?: {
      bot_id?: number | undefined;
      assignee?: string | undefined;
      tag?: string | undefined;
      message_thread_id?: number | undefined;
    };
    response: ConversationCounts;
  };
  '/api/chats/get': {
    query: {
      bot_id: number;
      chat_id: number;
      message_thread_id?: number | undefined;
    };
    response: Chat;
  };
  '/api/chats/topics': {
    query: {
      bot_id: number;
      chat_id: number;
      q?: string | undefined;
      limit?: number | undefined;
      before?: string | undefined;
    };
    response: Topic[];
  };
  '/api/chats/warn-settings': {
    query: {
      bot_id: number;
      chat_id: number;
    };
    response: WarningSettings;
  };
  '/api/config': {
    query?: {
      with_secrets?: boolean | undefined;
    };
    response: ConfigResponse;
  };
  '/api/deliveries': {
    query?: {
      bot_id?: number | undefined;
      app?: string | undefined;
      status?: 'delivered' | 'failed' | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: DeliveryAttempt[];
  };
  '/api/deliveries/dead': {
    query?: {
      bot_id?: number | undefined;
      app?: string | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: DeadLetter[];
  };
  '/api/deliveries/queues': {
    query: {
      bot_id: number;
      app?: string | undefined;
    };
    response: DeliveryQueues;
  };
  '/api/deliveries/update': {
    query: {
      bot_id: number;
      app?: string | undefined;
      position: number;
    };
    response: WholeDeliveredUpdate;
  };
  '/api/deliveries/updates': {
    query: {
      bot_id: number;
      app?: string | undefined;
      q?: string | undefined;
      since?: string | undefined;
      until?: string | undefined;
      state?: 'delivered' | 'waiting' | 'retrying' | 'failed' | 'unknown' | undefined;
      order?: 'newest' | 'oldest' | undefined;
      cursor?: number | undefined;
      limit?: number | undefined;
    };
    response: DeliveredUpdatePage;
  };
  '/api/desks': {
    query?: Record<string, never>;
    response: DesksResponseItem[];
  };
  '/api/events': {
    query?: {
      live_metrics?: boolean | undefined;
      heartbeats?: boolean | undefined;
    };
    response: string;
  };
  '/api/live-metrics': {
    query?: {
      bot_id?: number | undefined;
      since?: number | undefined;
    };
    response: LiveMetrics;
  };
  '/api/llm-config': {
    query?: Record<string, never>;
    response: LlmConfig;
  };
  '/api/media': {
    query: {
      bot_id: number;
      file_id: string;
      chat_id?: number | undefined;
      message_id?: number | undefined;
    };
    response: string;
  };
  '/api/messages': {
    query: {
      chat_id: number;
      bot_id: number;
      limit?: number | undefined;
      offset?: number | undefined;
      before_id?: number | undefined;
      message_thread_id?: number | undefined;
      guest?: boolean | undefined;
    };
    response: Message[];
  };
  '/api/messages/context': {
    query: {
      bot_id: number;
      chat_id: number;
      id: number;
      before?: number | undefined;
      after?: number | undefined;
      message_thread_id?: number | undefined;
    };
    response: ContextMessage[];
  };
  '/api/messages/edits': {
    query: {
      bot_id: number;
      chat_id: number;
      id: number;
    };
    response: MessageText[];
  };
  '/api/messages/export': {
    query: {
      bot_id: number;
      chat_id: number;
      format?: 'jsonl' | 'csv' | undefined;
      message_thread_id?: number | undefined;
    };
    response: string;
  };
  '/api/messages/marks': {
    query?: {
      bot_id?: number | undefined;
      chat_id?: number | undefined;
      ids?: string | undefined;
      messages?: string | undefined;
    };
    response: MessageMark[];
  };
  '/api/messages/pinned': {
    query: {
      bot_id: number;
      chat_id: number;
      limit?: number | undefined;
    };
    response: DetailedMessage[];
  };
  '/api/messages/scheduled': {
    query?: {
      bot_id?: number | undefined;
      chat_id?: number | undefined;
      limit?: number | undefined;
      after_id?: number | undefined;
    };
    response: ScheduledMessage[];
  };
  '/api/messages/search': {
    query: {
      bot_id: number;
      q: string;
      chat_id?: number | undefined;
      message_thread_id?: number | undefined;
      user_id?: number | undefined;
      media_type?: string | undefined;
      from?: number | undefined;
      to?: number | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    response: MessageSearch;
  };
  '/api/messages/thread': {
    query: {
      bot_id: number;
      chat_id: number;
      id: number;
      limit?: number | undefined;
    };
    response: DetailedMessage[];
  };
  '/api/messages/timeline': {
    query: {
      bot_id: number;
      chat_id: number;
      message_id: number;
    };
    response: MessageTimeline;
  };
  '/api/outbox': {
    query?: {
      bot_id?: number | undefined;
      state?: 'queued' | 'sending' | 'sent' | 'failed' | 'unknown' | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: OutboxEntry[];
  };
  '/api/replies': {
    query?: {
      bot_id?: number | undefined;
    };
    response: SavedReply[];
  };
  '/api/routes': {
    query?: {
      bot_id?: number | undefined;
    };
    response: Route[];
  };
  '/api/routes/decisions': {
    query?: {
      bot_id?: number | undefined;
      chat_id?: number | undefined;
      outcome?:
        | 'routed'
        | 'dropped'
        | 'returned'
        | 'edited'
        | 'deleted'
        | 'none'
        | 'own'
        | 'album'
        | 'asking'
        | 'desk'
        | 'failed'
        | undefined;
      failed?: boolean | undefined;
      q?: string | undefined;
      before_id?: number | undefined;
      limit?: number | undefined;
    };
    response: RoutingDecision[];
  };
  '/api/routes/graph': {
    query?: Record<string, never>;
    response: RouteGraph;
  };
  '/api/sandbox/callback-answer': {
    query: {
      id: string;
    };
    response: unknown;
  };
  '/api/sandbox/chats/join-status': {
    query: {
      user: number | string;
      chat: number | string;
    };
    response: SandboxChatsJoinStatusResponse;
  };
  '/api/sandbox/ephemeral': {
    query: {
      user: number | string;
      chat: number | string;
    };
    response: unknown;
  };
  '/api/sandbox/faults/list': {
    query?: Record<string, never>;
    response: unknown;
  };
  '/api/sandbox/file': {
    query: {
      id: string;
    };
    response: string;
  };
  '/api/sandbox/history': {
    query: {
      user: number | string;
      chat: number | string;
      limit?: number | undefined;
      before?: number | undefined;
      message_thread_id?: number | undefined;
    };
    response: unknown;
  };
  '/api/sandbox/inline-results': {
    query: {
      id: string;
    };
    response: unknown;
  };
  '/api/sandbox/pay/status': {
    query: {
      id: string;
    };
    response: SandboxPayment;
  };
  '/api/sandbox/snapshot': {
    query?: Record<string, never>;
    response: unknown;
  };
  '/api/sandbox/time': {
    query?: Record<string, never>;
    response: SandboxTime;
  };
  '/api/sandbox/topics': {
    query: {
      user: number | string;
      chat: number | string;
    };
    response: unknown;
  };
  '/api/sandbox/users/chats': {
    query: {
      user: number | string;
    };
    response: unknown;
  };
  '/api/service': {
    query?: Record<string, never>;
    response: ServiceStatus;
  };
  '/api/stats': {
    query: {
      bot_id: number;
      chat_id?: number | undefined;
      message_thread_id?: number | undefined;
      from?: string | undefined;
      to?: string | undefined;
    };
    response: Statistics;
  };
  '/api/tags': {
    query: {
      chat_id: number;
    };
    response: Tag[];
  };
  '/api/tags/user': {
    query: {
      chat_id: number;
      user_id: number;
    };
    response: Tag[];
  };
  '/api/updates/log': {
    query: {
      bot_id: number;
      after?: number | undefined;
      before?: number | undefined;
      kind?: string | undefined;
      limit?: number | undefined;
    };
    response: LoggedUpdate[];
  };
  '/api/updates/poll': {
    query: {
      bot_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      timeout?: number | undefined;
      consumer?: string | undefined;
      allowed_updates?: string | undefined;
    };
    response: UpdateBatch;
  };
  '/api/users/list': {
    query: {
      bot_id: number;
      chat_id?: number | undefined;
      q?: string | undefined;
      limit?: number | undefined;
      after?: number | undefined;
    };
    response: Person[];
  };
  '/api/users/profile': {
    query: {
      bot_id: number;
      chat_id?: number | undefined;
      user_id: number;
    };
    response: Profile;
  };
  '/api/users/rights': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id?: number | undefined;
    };
    response: BotRights;
  };
  '/api/version': {
    query?: Record<string, never>;
    response: VersionResponse;
  };
  '/readyz': {
    query?: Record<string, never>;
    response: ReadyzResponse;
  };
}

/** POST, by path. */
export interface Posts {
  '/api/admins/demote': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
    };
    response: ChatMember;
  };
  '/api/admins/promote': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
    };
    body: AdminsPromoteRequest;
    response: ChatMember;
  };
  '/api/admins/title': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
    };
    body: AdminsTitleRequest;
    response: ChatMember;
  };
  '/api/alerts/acknowledge': {
    body: AlertsAcknowledgeRequest;
    response: Alert;
  };
  '/api/alerts/channels/add': {
    body: AlertsChannelsAddRequest;
    response: CreatedAlertChannel;
  };
  '/api/alerts/channels/delete': {
    query: {
      id: number;
    };
    response: AlertChannel;
  };
  '/api/alerts/channels/test': {
    query: {
      id: number;
    };
    response: AlertsChannelsTestResponse;
  };
  '/api/alerts/channels/toggle-disabled': {
    query: {
      id: number;
    };
    response: AlertChannel;
  };
  '/api/alerts/channels/update': {
    body: AlertsChannelsUpdateRequest;
    response: AlertChannel;
  };
  '/api/alerts/mute': {
    body: AlertsMuteRequest;
    response: Alert;
  };
  '/api/ask': {
    headers?: {
      'idempotency-key'?: string | undefined;
    };
    body: AskRequest;
    response: Question;
  };
  '/api/ask/cancel': {
    query: {
      id: number;
    };
    response: Question;
  };
  '/api/auth/api-keys': {
    body: AuthApiKeysRequest;
    response: CreatedApiKey;
  };
  '/api/auth/api-keys/create': {
    body: AuthApiKeysCreateRequest;
    response: CreatedApiKey;
  };
  '/api/auth/api-keys/delete': {
    query: {
      id: number;
    };
    response: ApiKey;
  };
  '/api/auth/api-keys/toggle': {
    query: {
      id: number;
    };
    response: ApiKey;
  };
  '/api/auth/setup': {
    body: AuthSetupRequest;
    response: Session;
  };
  '/api/auth/setup/check': {
    body: AuthSetupCheckRequest;
    response: AuthSetupCheckResponse;
  };
  '/api/auth/sign-in': {
    body: AuthSignInRequest;
    response: Session;
  };
  '/api/auth/sign-out': {
    response: AuthSignOutResponse;
  };
  '/api/auth/users/create': {
    body: AuthUsersCreateRequest;
    response: User;
  };
  '/api/auth/users/delete': {
    query: {
      id: number;
    };
    response: User;
  };
  '/api/auth/users/password': {
    body: AuthUsersPasswordRequest;
    response: User;
  };
  '/api/auth/users/update': {
    body: AuthUsersUpdateRequest;
    response: User;
  };
  '/api/bots/add': {
    body: BotsAddRequest;
    response: Bot;
  };
  '/api/bots/apps/add': {
    body: BotsAppsAddRequest;
    response: CreatedApp;
  };
  '/api/bots/apps/delete': {
    query: {
      id: number;
    };
    response: App;
  };
  '/api/bots/apps/preview': {
    body: BotsAppsPreviewRequest;
    response: FilterMatches;
  };
  '/api/bots/apps/rotate': {
    query: {
      id: number;
    };
    response: CreatedApp;
  };
  '/api/bots/apps/toggle-disabled': {
    query: {
      id: number;
    };
    response: App;
  };
  '/api/bots/apps/update': {
    body: BotsAppsUpdateRequest;
    response: App;
  };
  '/api/bots/check-backend': {
    query: {
      id: number;
      app?: string | undefined;
      deliver?: boolean | undefined;
    };
    response: BackendCheck;
  };
  '/api/bots/delete': {
    query: {
      id: number;
    };
    response: Bot;
  };
  '/api/bots/readers/remove': {
    query: {
      bot_id: number;
      consumer: string;
    };
    response: RemovedConsumer;
  };
  '/api/bots/readers/rewind': {
    body: BotsReadersRewindRequest;
    response: MovedReader;
  };
  '/api/bots/restore-webhook': {
    query: {
      id: number;
    };
    body?: BotsRestoreWebhookRequest;
    response: RestoredWebhook;
  };
  '/api/bots/toggle-disabled': {
    query: {
      id: number;
    };
    response: Bot;
  };
  '/api/bots/update': {
    body: BotsUpdateRequest;
    response: Bot;
  };
  '/api/bots/validate': {
    body: BotsValidateRequest;
    response: TokenCheck;
  };
  '/api/broadcasts/add': {
    body: BroadcastsAddRequest;
    response: Broadcast;
  };
  '/api/broadcasts/cancel': {
    body: BroadcastsCancelRequest;
    response: Broadcast;
  };
  '/api/broadcasts/count': {
    body: BroadcastsCountRequest;
    response: AudienceCount;
  };
  '/api/broadcasts/delete': {
    body: BroadcastsDeleteRequest;
    response: Broadcast;
  };
  '/api/broadcasts/edit': {
    body: BroadcastsEditRequest;
    response: Broadcast;
  };
  '/api/broadcasts/pause': {
    body: BroadcastsPauseRequest;
    response: Broadcast;
  };
  '/api/broadcasts/resume': {
    body: BroadcastsResumeRequest;
    response: Broadcast;
  };
  '/api/broadcasts/start': {
    body: BroadcastsStartRequest;
    response: Broadcast;
  };
  '/api/broadcasts/test': {
    body: BroadcastsTestRequest;
    response: BroadcastTest;
  };
  '/api/chats/assign': {
    body: ChatsAssignRequest;
    response: Chat;
  };
  '/api/chats/forget': {
    query: {
      bot_id: number;
      chat_id: number;
    };
    response: Chat;
  };
  '/api/chats/read': {
    body: ChatsReadRequest;
    response: Chat;
  };
  '/api/chats/refresh': {
    query: {
      bot_id: number;
      chat_id: number;
    };
    response: Chat;
  };
  '/api/chats/snooze': {
    body: ChatsSnoozeRequest;
    response: Chat;
  };
  '/api/chats/state': {
    body: ChatsStateRequest;
    response: Chat;
  };
  '/api/chats/warn-settings': {
    query: {
      bot_id: number;
      chat_id: number;
    };
    body?: ChatsWarnSettingsRequest;
    response: WarningSettings;
  };
  '/api/chats/writing': {
    body: ChatsWritingRequest;
    response: ChatsWritingResponse;
  };
  '/api/config/apply': {
    body: ConfigApplyRequest;
    response: ConfigApplyResponse;
  };
  '/api/deliveries/discard': {
    body: DeliveriesDiscardRequest;
    response: DeliveriesDiscardResponse;
  };
  '/api/deliveries/replay': {
    body: DeliveriesReplayRequest;
    response: DeliveriesReplayResponse;
  };
  '/api/deliveries/retry-now': {
    query: {
      bot_id: number;
      app?: string | undefined;
      queue?: string | undefined;
    };
    response: DeliveriesRetryNowResponse;
  };
  '/api/desks/add': {
    body: DesksAddRequest;
    response: DesksAddResponse;
  };
  '/api/desks/check': {
    query: {
      id: number;
    };
    response: DesksCheckResponse;
  };
  '/api/desks/delete': {
    query: {
      id: number;
    };
    response: DesksDeleteResponse;
  };
  '/api/desks/import-topics': {
    body: DesksImportTopicsRequest;
    response: DesksImportTopicsResponse;
  };
  '/api/desks/update': {
    body: DesksUpdateRequest;
    response: DesksUpdateResponse;
  };
  '/api/import': {
    body?: ImportRequest;
    response: ImportReport;
  };
  '/api/llm-config': {
    body?: LlmConfigRequest;
    response: LlmConfig;
  };
  '/api/messages/delete': {
    query: {
      bot_id: number;
      chat_id: number;
      message_id: number;
    };
    response: MessageAction;
  };
  '/api/messages/edit': {
    query: {
      bot_id: number;
      chat_id: number;
      message_id: number;
    };
    body?: MessagesEditRequest;
    response: Message;
  };
  '/api/messages/pin': {
    query: {
      bot_id: number;
      chat_id: number;
      message_id: number;
      notify?: boolean | undefined;
    };
    response: MessageAction;
  };
  '/api/messages/preview': {
    body: MessagesPreviewRequest;
    response: MessagesPreviewResponse;
  };
  '/api/messages/scheduled/cancel': {
    body: MessagesScheduledCancelRequest;
    response: ScheduledMessage;
  };
  '/api/messages/scheduled/update': {
    body: MessagesScheduledUpdateRequest;
    response: ScheduledMessage;
  };
  '/api/messages/send': {
    headers?: {
      'idempotency-key'?: string | undefined;
    };
    body: MessagesSendRequest;
    response: SentMessage;
  };
  '/api/messages/send-media': {
    body?: MessagesSendMediaRequest;
    response: SentMessage;
  };
  '/api/messages/unpin': {
    query: {
      bot_id: number;
      chat_id: number;
      message_id: number;
    };
    response: MessageAction;
  };
  '/api/messages/unpin-all': {
    query: {
      bot_id: number;
      chat_id: number;
    };
    response: MessageAction;
  };
  '/api/outbox/send-again': {
    query: {
      id: number;
    };
    response: OutboxEntry;
  };
  '/api/replies/add': {
    body: RepliesAddRequest;
    response: SavedReply;
  };
  '/api/replies/delete': {
    query: {
      id: number;
    };
    response: SavedReply;
  };
  '/api/replies/update': {
    body: RepliesUpdateRequest;
    response: SavedReply;
  };
  '/api/replies/used': {
    query: {
      id: number;
    };
    response: SavedReply;
  };
  '/api/routes/add': {
    body: RoutesAddRequest;
    response: Route;
  };
  '/api/routes/delete': {
    query: {
      id: number;
    };
    response: Route;
  };
  '/api/routes/simulate': {
    body: RoutesSimulateRequest;
    response: RouteSimulation;
  };
  '/api/routes/update': {
    body: RoutesUpdateRequest;
    response: Route;
  };
  '/api/sandbox/bots': {
    body?: SandboxBotsRequest;
    response: SandboxBot;
  };
  '/api/sandbox/bots/add-game': {
    body: SandboxBotsAddGameRequest;
    response: unknown;
  };
  '/api/sandbox/bots/create': {
    body?: SandboxBotsCreateRequest;
    response: SandboxBot;
  };
  '/api/sandbox/bots/give-stars': {
    body: SandboxBotsGiveStarsRequest;
    response: SandboxBotsGiveStarsResponse;
  };
  '/api/sandbox/bots/jump-update-ids': {
    body: SandboxBotsJumpUpdateIdsRequest;
    response: unknown;
  };
  '/api/sandbox/business/connect': {
    body: SandboxBusinessConnectRequest;
    response: unknown;
  };
  '/api/sandbox/business/disconnect': {
    body: SandboxBusinessDisconnectRequest;
    response: unknown;
  };
  '/api/sandbox/chats/add-member': {
    body: SandboxChatsAddMemberRequest;
    response: unknown;
  };
  '/api/sandbox/chats/answer-request': {
    body: SandboxChatsAnswerRequestRequest;
    response: unknown;
  };
  '/api/sandbox/chats/create': {
    body: SandboxChatsCreateRequest;
    response: unknown;
  };
  '/api/sandbox/chats/guard-bot': {
    body: SandboxChatsGuardBotRequest;
    response: unknown;
  };
  '/api/sandbox/chats/join': {
    body: SandboxChatsJoinRequest;
    response: SandboxChatsJoinResponse;
  };
  '/api/sandbox/chats/join-web-app': {
    body: SandboxChatsJoinWebAppRequest;
    response: SandboxChatsJoinWebAppResponse;
  };
  '/api/sandbox/chats/leave': {
    body: SandboxChatsLeaveRequest;
    response: unknown;
  };
  '/api/sandbox/chats/promote': {
    body: SandboxChatsPromoteRequest;
    response: unknown;
  };
  '/api/sandbox/chats/remove-member': {
    body: SandboxChatsRemoveMemberRequest;
    response: unknown;
  };
  '/api/sandbox/chats/upgrade': {
    body: SandboxChatsUpgradeRequest;
    response: unknown;
  };
  '/api/sandbox/delete': {
    body: SandboxDeleteRequest;
    response: unknown;
  };
  '/api/sandbox/edit': {
    body: SandboxEditRequest;
    response: unknown;
  };
  '/api/sandbox/ephemeral/press': {
    body: SandboxEphemeralPressRequest;
    response: unknown;
  };
  '/api/sandbox/ephemeral/say': {
    body: SandboxEphemeralSayRequest;
    response: unknown;
  };
  '/api/sandbox/faults/add': {
    body: SandboxFaultsAddRequest;
    response: unknown;
  };
  '/api/sandbox/faults/clear': {
    body?: SandboxFaultsClearRequest;
    response: unknown;
  };
  '/api/sandbox/faults/remove': {
    body: SandboxFaultsRemoveRequest;
    response: unknown;
  };
  '/api/sandbox/flood-limits': {
    body?: SandboxFloodLimitsRequest;
    response: unknown;
  };
  '/api/sandbox/forward': {
    body: SandboxForwardRequest;
    response: unknown;
  };
  '/api/sandbox/inline-choose': {
    body: SandboxInlineChooseRequest;
    response: unknown;
  };
  '/api/sandbox/inline-query': {
    body: SandboxInlineQueryRequest;
    response: SandboxInlineQueryResponse;
  };
  '/api/sandbox/pay': {
    body: SandboxPayRequest;
    response: SandboxPayment;
  };
  '/api/sandbox/pay/shipping': {
    body: SandboxPayShippingRequest;
    response: SandboxPayment;
  };
  '/api/sandbox/pin': {
    body: SandboxPinRequest;
    response: unknown;
  };
  '/api/sandbox/press': {
    body: SandboxPressRequest;
    response: unknown;
  };
  '/api/sandbox/react': {
    body: SandboxReactRequest;
    response: unknown;
  };
  '/api/sandbox/say': {
    body: SandboxSayRequest;
    response: unknown;
  };
  '/api/sandbox/send-album': {
    body: SandboxSendAlbumRequest;
    response: unknown;
  };
  '/api/sandbox/send-content': {
    body: SandboxSendContentRequest;
    response: unknown;
  };
  '/api/sandbox/send-media': {
    body: SandboxSendMediaRequest;
    response: unknown;
  };
  '/api/sandbox/stop-draft': {
    body: SandboxStopDraftRequest;
    response: unknown;
  };
  '/api/sandbox/talk': {
    body: SandboxTalkRequest;
    response: SandboxTalkResponse;
  };
  '/api/sandbox/time/advance': {
    body: SandboxTimeAdvanceRequest;
    response: SandboxTime;
  };
  '/api/sandbox/time/reset': {
    body?: Record<string, unknown>;
    response: SandboxTime;
  };
  '/api/sandbox/time/set': {
    body: SandboxTimeSetRequest;
    response: SandboxTime;
  };
  '/api/sandbox/topics/create': {
    body: SandboxTopicsCreateRequest;
    response: SandboxTopicsCreateResponse;
  };
  '/api/sandbox/topics/delete': {
    body: SandboxTopicsDeleteRequest;
    response: unknown;
  };
  '/api/sandbox/topics/edit': {
    body: SandboxTopicsEditRequest;
    response: unknown;
  };
  '/api/sandbox/topics/enable': {
    body: SandboxTopicsEnableRequest;
    response: unknown;
  };
  '/api/sandbox/topics/prune': {
    body: SandboxTopicsPruneRequest;
    response: unknown;
  };
  '/api/sandbox/users/block-bot': {
    body: SandboxUsersBlockBotRequest;
    response: unknown;
  };
  '/api/sandbox/users/create': {
    body?: SandboxUsersCreateRequest;
    response: unknown;
  };
  '/api/sandbox/users/photo': {
    body: SandboxUsersPhotoRequest;
    response: unknown;
  };
  '/api/sandbox/vote': {
    body: SandboxVoteRequest;
    response: unknown;
  };
  '/api/service/backup': {
    response: ServiceStatusBackup;
  };
  '/api/tags/add': {
    body: TagsAddRequest;
    response: Tag;
  };
  '/api/tags/remove': {
    query: {
      id: number;
    };
    response: Tag;
  };
  '/api/users/ban': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
      until?: string | undefined;
      duration_seconds?: number | undefined;
      revoke_messages?: boolean | undefined;
    };
    response: ModerationResult;
  };
  '/api/users/kick': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
    };
    response: ModerationResult;
  };
  '/api/users/mute': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
      until?: string | undefined;
      duration_seconds?: number | undefined;
    };
    response: ModerationResult;
  };
  '/api/users/notes/add': {
    body: UsersNotesAddRequest;
    response: Note;
  };
  '/api/users/notes/delete': {
    query: {
      bot_id: number;
      id: number;
    };
    response: Note;
  };
  '/api/users/unban': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
    };
    response: ModerationResult;
  };
  '/api/users/unmute': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
    };
    response: ModerationResult;
  };
  '/api/users/unwarn': {
    query: {
      bot_id: number;
      id: number;
    };
    response: Warning;
  };
  '/api/users/warn': {
    query: {
      bot_id: number;
      chat_id: number;
      user_id: number;
    };
    body?: UsersWarnRequest;
    response: WarningResult;
  };
}

export interface AdminsPromoteRequest {
  rights: (
    | 'can_manage_chat'
    | 'can_delete_messages'
    | 'can_manage_video_chats'
    | 'can_restrict_members'
    | 'can_promote_members'
    | 'can_change_info'
    | 'can_invite_users'
    | 'can_post_stories'
    | 'can_edit_stories'
    | 'can_delete_stories'
    | 'can_post_messages'
    | 'can_edit_messages'
    | 'can_pin_messages'
    | 'can_manage_topics'
    | 'can_manage_direct_messages'
    | 'can_manage_tags'
    | 'is_anonymous'
  )[];
  title?: string;
}

export interface AdminsTitleRequest {
  title: string;
}

export interface Alert {
  id: number;
  kind:
    | 'bot_refused'
    | 'bot_conflict'
    | 'backend_down'
    | 'reader_failing'
    | 'desk_waiting'
    | 'disk_low'
    | 'database_unreachable'
    | 'node_lost'
    | 'bot_trouble'
    | 'chats_in_retry'
    | 'backlog'
    | 'dead_letters'
    | 'certificate_expiring'
    | 'polling_stopped'
    | 'updates_dropped'
    | 'reader_lag'
    | 'app_not_seen'
    | 'app_rate_limited'
    | 'pattern_undecided'
    | 'unknown_sends'
    | 'failed_sends'
    | 'broadcast_paused'
    | 'question_call_failed'
    | 'scheduled_held'
    | 'chat_flood_wait'
    | 'desk_unanswered'
    | 'route_failing'
    | 'route_topic_gone'
    | 'model_budget'
    | 'backup_old'
    | 'channel_failing'
    | 'weak_secret'
    | 'webhook_moved'
    | 'bot_disabled'
    | 'route_to_disabled';
  severity: 'info' | 'warning' | 'critical';
  bot_id: number;
  params: Record<string, unknown>;
  text: string;
  url: string;
  opened_at: string;
  changed_at: string;
  resolved_at: string;
  occurrences: number;
  acknowledged_by: string;
  acknowledged_at: string;
  muted_until: string;
  muted_by: string;
  action: 'retry' | 'replay' | 'enable_bot' | 'enable_target' | '';
  action_by: string;
  action_at: string;
  channels: AlertChannelUse[];
}

export interface AlertChannel {
  id: number;
  type: 'telegram' | 'webhook';
  bot_id: number;
  chat_id: number;
  message_thread_id: number;
  url: string;
  kinds: (
    | 'bot_refused'
    | 'bot_conflict'
    | 'backend_down'
    | 'reader_failing'
    | 'desk_waiting'
    | 'disk_low'
    | 'database_unreachable'
    | 'node_lost'
    | 'bot_trouble'
    | 'chats_in_retry'
    | 'backlog'
    | 'dead_letters'
    | 'certificate_expiring'
    | 'polling_stopped'
    | 'updates_dropped'
    | 'reader_lag'
    | 'app_not_seen'
    | 'app_rate_limited'
    | 'pattern_undecided'
    | 'unknown_sends'
    | 'failed_sends'
    | 'broadcast_paused'
    | 'question_call_failed'
    | 'scheduled_held'
    | 'chat_flood_wait'
    | 'desk_unanswered'
    | 'route_failing'
    | 'route_topic_gone'
    | 'model_budget'
    | 'backup_old'
    | 'channel_failing'
    | 'weak_secret'
    | 'webhook_moved'
    | 'bot_disabled'
    | 'route_to_disabled'
  )[];
  bot_ids: number[];
  min_severity: 'info' | 'warning' | 'critical';
  delay_seconds: number;
  quiet_hours: AlertChannelQuietHours | null;
  allowed_user_ids: number[];
  disabled: boolean;
  error: string;
  error_detail: Reason;
  failed_at: string;
  sent_at: string;
  created_at: string;
  updated_at: string;
}

export interface AlertChannelQuietHours {
  start: string;
  end: string;
  timezone: string;
}

export interface AlertChannelUse {
  channel_id: number;
  state: 'sending' | 'sent' | 'failed' | 'skipped';
  error: string;
  error_detail: Reason;
  used_channel_id: number;
}

export interface AlertsAcknowledgeRequest {
  id: number;
  acknowledged?: boolean;
}

export interface AlertsChannelsAddRequest {
  type: 'telegram' | 'webhook';
  bot_id?: number;
  chat_id?: number;
  message_thread_id?: number;
  url?: string;
  kinds?: (
    | 'bot_refused'
    | 'bot_conflict'
    | 'backend_down'
    | 'reader_failing'
    | 'desk_waiting'
    | 'disk_low'
    | 'database_unreachable'
    | 'node_lost'
    | 'bot_trouble'
    | 'chats_in_retry'
    | 'backlog'
    | 'dead_letters'
    | 'certificate_expiring'
    | 'polling_stopped'
    | 'updates_dropped'
    | 'reader_lag'
    | 'app_not_seen'
    | 'app_rate_limited'
    | 'pattern_undecided'
    | 'unknown_sends'
    | 'failed_sends'
    | 'broadcast_paused'
    | 'question_call_failed'
    | 'scheduled_held'
    | 'chat_flood_wait'
    | 'desk_unanswered'
    | 'route_failing'
    | 'route_topic_gone'
    | 'model_budget'
    | 'backup_old'
    | 'channel_failing'
    | 'weak_secret'
    | 'webhook_moved'
    | 'bot_disabled'
    | 'route_to_disabled'
  )[];
  bot_ids?: number[];
  min_severity?: 'info' | 'warning' | 'critical';
  delay_seconds?: number;
  quiet_hours?: AlertsChannelsAddRequestQuietHours | null;
  allowed_user_ids?: number[];
}

export interface AlertsChannelsAddRequestQuietHours {
  start: string;
  end: string;
  timezone: string;
}

export interface AlertsChannelsTestResponse {
  delivered: boolean;
  error: string;
  error_detail: Reason;
}

export interface AlertsChannelsUpdateRequest {
  id: number;
  bot_id?: number;
  chat_id?: number;
  message_thread_id?: number;
  url?: string;
  kinds?: (
    | 'bot_refused'
    | 'bot_conflict'
    | 'backend_down'
    | 'reader_failing'
    | 'desk_waiting'
    | 'disk_low'
    | 'database_unreachable'
    | 'node_lost'
    | 'bot_trouble'
    | 'chats_in_retry'
    | 'backlog'
    | 'dead_letters'
    | 'certificate_expiring'
    | 'polling_stopped'
    | 'updates_dropped'
    | 'reader_lag'
    | 'app_not_seen'
    | 'app_rate_limited'
    | 'pattern_undecided'
    | 'unknown_sends'
    | 'failed_sends'
    | 'broadcast_paused'
    | 'question_call_failed'
    | 'scheduled_held'
    | 'chat_flood_wait'
    | 'desk_unanswered'
    | 'route_failing'
    | 'route_topic_gone'
    | 'model_budget'
    | 'backup_old'
    | 'channel_failing'
    | 'weak_secret'
    | 'webhook_moved'
    | 'bot_disabled'
    | 'route_to_disabled'
  )[];
  bot_ids?: number[];
  min_severity?: 'info' | 'warning' | 'critical';
  delay_seconds?: number;
  quiet_hours?: AlertsChannelsUpdateRequestQuietHours | null;
  allowed_user_ids?: number[];
}

export interface AlertsChannelsUpdateRequestQuietHours {
  start: string;
  end: string;
  timezone: string;
}

export interface AlertsMuteRequest {
  id: number;
  minutes?: number;
}

export interface ApiKey {
  id: number;
  name: string;
  hint: string;
  scope: 'read' | 'send' | 'manage' | 'admin';
  bot_ids: number[] | null;
  read_chats: number[] | null;
  write_chats: number[] | null;
  daily_writes: number;
  writes_today: number;
  expires_at: string;
  disabled: boolean;
  created_by: string;
  created_at: string;
  last_used_at: string;
}

export interface App {
  id: number;
  bot_id: number;
  name: string;
  has_token: boolean;
  mode: 'poll' | 'webhook' | 'send';
  backend_url: string;
  secret_token: string;
  max_connections: number;
  allowed_updates: string[];
  filter: AppFilter;
  exclusive: boolean;
  priority: number;
  own_replies: boolean;
  keep_pending: boolean;
  urgent: string[];
  per_topic: boolean;
  pacing: 'off' | 'on';
  patience: number;
  format: '' | 'markdown';
  methods: string[];
  disabled: boolean;
  created_at: string;
  last_seen_at: string;
  behind: number;
  claimed: number;
  position: number;
  dropped: number;
  sent: number;
  rate_limited: number;
  last_rate_limited_at: string;
  last_retry_after: number;
  warnings?: AppWarning[];
}

export interface AppFilter {
  kinds?: string[];
  chat_ids?: number[];
  user_ids?: number[];
  chat_types?: ('private' | 'group' | 'supergroup' | 'channel')[];
  commands?: string[];
  keywords?: string[];
  regex?: string;
  callback_prefixes?: string[];
  thread_ids?: number[];
}

export interface AppWarning {
  code: string;
  params: Record<string, unknown>;
  text: string;
}

export interface AskRequest {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
  text: string;
  options?: string[];
  user_ids?: number[];
  expires_at?: string;
  callback_url?: string;
}

export interface Assignee {
  kind: 'user' | 'person';
  id: number;
  name: string;
}

export interface AudienceCount {
  recipients: number;
  left_out: number;
  stars: number;
}

export interface AuditEntry {
  id: number;
  at: string;
  actor: AuditEntryActor;
  action: string;
  bot_id: number;
  chat_id: number;
  user_id: number;
  input: unknown;
  before: unknown;
  after: unknown;
  address: string;
  request_id: string;
}

export interface AuditEntryActor {
  kind: string;
  id: number;
  name: string;
}

export interface AuthApiKeysCreateRequest {
  name: string;
  scope?: 'read' | 'send' | 'manage' | 'admin';
  bot_ids?: number[] | null;
  read_chats?: number[] | null;
  write_chats?: number[] | null;
  daily_writes?: number;
  expires_at?: string;
}

export interface AuthApiKeysRequest {
  name: string;
  scope?: 'read' | 'send' | 'manage' | 'admin';
  bot_ids?: number[] | null;
  read_chats?: number[] | null;
  write_chats?: number[] | null;
  daily_writes?: number;
  expires_at?: string;
}

export interface AuthSetupCheckRequest {
  token: string;
}

export interface AuthSetupCheckResponse {
  usable: boolean;
}

export interface AuthSetupRequest {
  token: string;
  username: string;
  password: string;
}

export interface AuthSignInRequest {
  username: string;
  password: string;
}

export interface AuthSignOutResponse {
  signed_out: boolean;
}

export interface AuthUsersCreateRequest {
  username: string;
  password: string;
  role?: 'viewer' | 'agent' | 'manager' | 'admin' | 'user';
  bot_ids?: number[];
  telegram_user_id?: number;
}

export interface AuthUsersPasswordRequest {
  id?: number;
  current_password?: string;
  password: string;
}

export interface AuthUsersUpdateRequest {
  id: number;
  role?: 'viewer' | 'agent' | 'manager' | 'admin' | 'user';
  bot_ids?: number[];
  disabled?: boolean;
  telegram_user_id?: number;
}

export interface Backend {
  bot_id: number;
  app: string;
  backend_status: '' | 'ok' | 'unknown' | 'failing' | 'paused';
  backend_error: string;
  backend_error_detail: Reason;
  backend_seen_at: string;
  pending_updates: number;
}

export interface BackendCheck {
  reachable: boolean;
  accepted?: boolean;
  status: number;
  duration_ms: number;
  error: string;
  error_detail: Reason;
}

export interface Bot {
  id: number;
  token: string;
  name: string;
  source: 'cli' | 'web';
  manage_enabled: boolean;
  proxy_enabled: boolean;
  backend_url: string;
  secret_token: string;
  long_poll_enabled: boolean;
  description: string;
  running: boolean;
  webhook_mode: boolean;
  disabled: boolean;
  username: string;
  platform_id: number;
  last_error: string;
  last_error_detail: Reason;
  last_activity: string;
  backend_status: '' | 'ok' | 'unknown' | 'failing' | 'paused';
  backend_error: string;
  backend_error_detail: Reason;
  backend_seen_at: string;
  pending_updates: number;
  urgent: string[];
  per_topic: boolean;
  keep_pending: boolean;
  pacing: 'off' | 'on';
  patience: number;
  automatic_answers: 'count' | 'ignore';
  handoff: string[];
  llm_routing_enabled: boolean;
  created_at: string;
}

export interface BotHealth {
  id: number;
  healthy: boolean;
  running: boolean;
  disabled: boolean;
  platform_ok: boolean;
  platform_latency_ms: number;
  last_error: string;
  last_error_detail: Reason;
  last_activity: string;
  backend_status: '' | 'ok' | 'unknown' | 'failing' | 'paused';
  pending_updates: number;
  previous_webhook?: BotHealthPreviousWebhook;
}

export interface BotHealthPreviousWebhook {
  url: string;
  allowed_updates: string[];
  max_connections: number;
  has_custom_certificate: boolean;
  removed_at: string;
}

export interface BotRights {
  actions: BotRightsAction[];
}

export interface BotRightsAction {
  action:
    | 'ban'
    | 'unban'
    | 'kick'
    | 'mute'
    | 'unmute'
    | 'delete'
    | 'pin'
    | 'unpin'
    | 'promote'
    | 'demote'
    | 'title';
  allowed: boolean;
  right:
    | 'can_manage_chat'
    | 'can_delete_messages'
    | 'can_manage_video_chats'
    | 'can_restrict_members'
    | 'can_promote_members'
    | 'can_change_info'
    | 'can_invite_users'
    | 'can_post_stories'
    | 'can_edit_stories'
    | 'can_delete_stories'
    | 'can_post_messages'
    | 'can_edit_messages'
    | 'can_pin_messages'
    | 'can_manage_topics'
    | 'can_manage_direct_messages'
    | 'can_manage_tags'
    | 'is_anonymous';
  missing:
    | ''
    | 'can_manage_chat'
    | 'can_delete_messages'
    | 'can_manage_video_chats'
    | 'can_restrict_members'
    | 'can_promote_members'
    | 'can_change_info'
    | 'can_invite_users'
    | 'can_post_stories'
    | 'can_edit_stories'
    | 'can_delete_stories'
    | 'can_post_messages'
    | 'can_edit_messages'
    | 'can_pin_messages'
    | 'can_manage_topics'
    | 'can_manage_direct_messages'
    | 'can_manage_tags'
    | 'is_anonymous';
  reason: string;
  reason_detail: Reason;
}

export interface BotsAddRequest {
  token: string;
  name?: string;
  manage_enabled?: boolean;
  proxy_enabled?: boolean;
  backend_url?: string;
  secret_token?: string;
  long_poll_enabled?: boolean;
  description?: string;
  webhook_mode?: boolean;
  urgent?: string[];
  per_topic?: boolean;
  keep_pending?: boolean;
  pacing?: 'off' | 'on';
  patience?: number;
  automatic_answers?: 'count' | 'ignore';
  handoff?: string[];
  llm_routing_enabled?: boolean;
}

export interface BotsAppsAddRequest {
  bot_id: number;
  name: string;
  mode?: 'poll' | 'webhook' | 'send';
  backend_url?: string;
  secret_token?: string;
  max_connections?: number;
  allowed_updates?: string[];
  filter?: AppFilter;
  exclusive?: boolean;
  priority?: number;
  own_replies?: boolean;
  keep_pending?: boolean;
  urgent?: string[];
  per_topic?: boolean;
  pacing?: 'off' | 'on';
  patience?: number;
  format?: '' | 'markdown';
  methods?: string[];
}

export interface BotsAppsPreviewRequest {
  bot_id: number;
  filter: AppFilter;
}

export interface BotsAppsUpdateRequest {
  id: number;
  name?: string;
  mode?: 'poll' | 'webhook' | 'send';
  backend_url?: string;
  secret_token?: string;
  max_connections?: number;
  allowed_updates?: string[];
  filter?: AppFilter;
  exclusive?: boolean;
  priority?: number;
  own_replies?: boolean;
  keep_pending?: boolean;
  urgent?: string[];
  per_topic?: boolean;
  pacing?: 'off' | 'on';
  patience?: number;
  format?: '' | 'markdown';
  methods?: string[];
}

export interface BotsReadersRewindRequest {
  bot_id: number;
  reader: string;
  position?: number;
  since?: number;
  to?: 'start' | 'end';
}

export interface BotsRestoreWebhookRequest {
  secret_token?: string;
}

export interface BotsUpdateRequest {
  id: number;
  token?: string;
  name?: string;
  manage_enabled?: boolean;
  proxy_enabled?: boolean;
  backend_url?: string;
  secret_token?: string;
  long_poll_enabled?: boolean;
  description?: string;
  webhook_mode?: boolean;
  urgent?: string[];
  per_topic?: boolean;
  keep_pending?: boolean;
  pacing?: 'off' | 'on';
  patience?: number;
  automatic_answers?: 'count' | 'ignore';
  handoff?: string[];
  llm_routing_enabled?: boolean;
}

export interface BotsValidateRequest {
  token: string;
}

export interface Broadcast {
  id: number;
  bot_id: number;
  name: string;
  state: 'draft' | 'running' | 'paused' | 'done' | 'canceled';
  reason: string;
  reason_detail: Reason;
  text: string;
  audience: BroadcastAudience;
  recipients: number;
  counts: BroadcastCounts;
  blocked_percent: number;
  opt_out_button: string;
  opt_out_word: string;
  opt_out_reply: string;
  stop_at_blocked_percent: number;
  allow_paid_broadcast: boolean;
  stars: number;
  task: 'send' | 'edit' | 'delete';
  task_counts: BroadcastTaskCounts;
  author: MessageAuthor;
  created_at: string;
  started_at: string;
  ended_at: string;
}

export interface BroadcastAudience {
  chat_types: ('private' | 'group' | 'supergroup' | 'channel')[];
  tags: string[];
  languages: string[];
  seen_within_days: number;
  states: ('waiting' | 'open' | 'done')[];
}

export interface BroadcastCounts {
  queued: number;
  sent: number;
  blocked: number;
  gone: number;
  failed: number;
  unknown: number;
  opted_out: number;
}

export interface BroadcastResult {
  chat_id: number;
  title: string;
  state: 'queued' | 'sent' | 'blocked' | 'gone' | 'failed' | 'unknown' | 'opted_out';
  message_id: number;
  error: string;
  error_detail: Reason;
  task_state: string;
  task_error: string;
}

export interface BroadcastTaskCounts {
  total: number;
  done: number;
  failed: number;
  unknown: number;
}

export interface BroadcastTest {
  message_id: number;
}

export interface BroadcastsAddRequest {
  bot_id: number;
  name: string;
  audience?: BroadcastsAddRequestAudience;
  text?: string;
  format?: 'markdown';
  parse_mode?: 'HTML' | 'MarkdownV2' | 'Markdown';
  entities?: Record<string, unknown>[];
  link_preview_options?: Record<string, unknown>;
  rich_message?: Record<string, unknown>;
  type?:
    | 'photo'
    | 'document'
    | 'video'
    | 'audio'
    | 'voice'
    | 'animation'
    | 'sticker'
    | 'video_note';
  file_id?: string;
  caption?: string;
  caption_entities?: Record<string, unknown>[];
  reply_markup?: Record<string, unknown>;
  disable_notification?: boolean;
  protect_content?: boolean;
  opt_out_button?: string;
  opt_out_word?: string;
  opt_out_reply?: string;
  stop_at_blocked_percent?: number;
  allow_paid_broadcast?: boolean;
}

export interface BroadcastsAddRequestAudience {
  chat_types?: ('private' | 'group' | 'supergroup' | 'channel')[];
  tags?: string[];
  languages?: string[];
  seen_within_days?: number;
  states?: ('waiting' | 'open' | 'done')[];
}

export interface BroadcastsCancelRequest {
  id: number;
}

export interface BroadcastsCountRequest {
  bot_id: number;
  audience?: BroadcastsCountRequestAudience;
}

export interface BroadcastsCountRequestAudience {
  chat_types?: ('private' | 'group' | 'supergroup' | 'channel')[];
  tags?: string[];
  languages?: string[];
  seen_within_days?: number;
  states?: ('waiting' | 'open' | 'done')[];
}

export interface BroadcastsDeleteRequest {
  id: number;
}

export interface BroadcastsEditRequest {
  id: number;
  text?: string;
  format?: 'markdown';
  parse_mode?: 'HTML' | 'MarkdownV2' | 'Markdown';
  entities?: Record<string, unknown>[];
  link_preview_options?: Record<string, unknown>;
  rich_message?: Record<string, unknown>;
}

export interface BroadcastsPauseRequest {
  id: number;
}

export interface BroadcastsResumeRequest {
  id: number;
}

export interface BroadcastsStartRequest {
  id: number;
  recipients: number;
  stars?: number;
}

export interface BroadcastsTestRequest {
  id: number;
  chat_id: number;
}

export interface Chat {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
  topic_name?: string;
  type: string;
  title: string;
  username: string;
  description: string;
  photo_file_id: string;
  member_count?: number;
  status: string;
  rights: Record<string, unknown>;
  message_count: number;
  has_topics: boolean;
  last_message_at: string;
  last_message?: TopicLastMessage;
  state?: 'waiting' | 'open' | 'done';
  unanswered_since: string;
  snoozed_until: string;
  unread?: boolean;
  assignee?: Assignee;
  migrated_to: number;
  refreshed_at: string;
  cursor: string;
}

export interface ChatMember {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  is_bot: boolean;
  status: string;
  title: string;
  can_be_edited: boolean;
  rights: (
    | 'can_manage_chat'
    | 'can_delete_messages'
    | 'can_manage_video_chats'
    | 'can_restrict_members'
    | 'can_promote_members'
    | 'can_change_info'
    | 'can_invite_users'
    | 'can_post_stories'
    | 'can_edit_stories'
    | 'can_delete_stories'
    | 'can_post_messages'
    | 'can_edit_messages'
    | 'can_pin_messages'
    | 'can_manage_topics'
    | 'can_manage_direct_messages'
    | 'can_manage_tags'
    | 'is_anonymous'
  )[];
  until: string;
}

export interface ChatsAssignRequest {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
  assignee: string;
  confirm?: boolean;
}

export interface ChatsReadRequest {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
}

export interface ChatsSnoozeRequest {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
  until?: string;
}

export interface ChatsStateRequest {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
  state: 'open' | 'done';
}

export interface ChatsWarnSettingsRequest {
  threshold?: number;
  action?: 'none' | 'mute' | 'kick' | 'ban';
  action_seconds?: number;
  expire_seconds?: number;
}

export interface ChatsWritingRequest {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
}

export interface ChatsWritingResponse {
  told: boolean;
}

export interface ConfigApplyRequest {
  config: Configuration;
  dry_run?: boolean;
  prune?: boolean;
  deletions?: ConfigApplyRequestDeletion[];
}

export interface ConfigApplyRequestDeletion {
  kind: 'bot' | 'app' | 'route' | 'desk' | 'reply' | 'model' | 'user' | 'key' | 'channel';
  id: number;
}

export interface ConfigApplyResponse {
  dry_run: boolean;
  changes: ConfigApplyResponseChange[];
  notes: ConfigApplyResponseNote[];
  failed: ConfigApplyResponseFailedItem[];
}

export interface ConfigApplyResponseChange {
  change: 'add' | 'update' | 'delete';
  kind: 'bot' | 'app' | 'route' | 'desk' | 'reply' | 'model' | 'user' | 'key' | 'channel';
  name: string;
  id: number;
  fields: string[];
}

export interface ConfigApplyResponseFailedItem {
  kind: 'bot';
  name: string;
  problem: string;
  problem_detail: Reason;
}

export interface ConfigApplyResponseNote {
  note: string;
  note_detail: Reason;
}

export interface ConfigResponse {
  config: Configuration;
  self_set: ConfigResponseSelfSetItem[];
  variables: string[];
}

export interface ConfigResponseSelfSetItem {
  kind: 'bot' | 'app';
  name: string;
  fields: ConfigResponseSelfSetItemFields;
}

export interface ConfigResponseSelfSetItemFields {
  mode?: 'poll' | 'webhook' | 'send';
  backend_url: string;
  secret_token: string;
  proxy_enabled?: boolean;
  max_connections?: number;
  allowed_updates?: string[];
}

export interface Configuration {
  version: number;
  bots?: ConfigurationBot[];
  routes?: ConfigurationRoute[];
  desks?: ConfigurationDesk[];
  saved_replies?: ConfigurationSavedReply[];
  model?: ConfigurationModel;
  users?: ConfigurationUser[];
  keys?: ConfigurationKey[];
  alert_channels?: ConfigurationAlertChannel[];
}

export interface ConfigurationAlertChannel {
  bot?: number;
  secret?: string;
  chat_id?: number;
  message_thread_id?: number;
  url?: string;
  kinds?: (
    | 'bot_refused'
    | 'bot_conflict'
    | 'backend_down'
    | 'reader_failing'
    | 'desk_waiting'
    | 'disk_low'
    | 'database_unreachable'
    | 'node_lost'
    | 'bot_trouble'
    | 'chats_in_retry'
    | 'backlog'
    | 'dead_letters'
    | 'certificate_expiring'
    | 'polling_stopped'
    | 'updates_dropped'
    | 'reader_lag'
    | 'app_not_seen'
    | 'app_rate_limited'
    | 'pattern_undecided'
    | 'unknown_sends'
    | 'failed_sends'
    | 'broadcast_paused'
    | 'question_call_failed'
    | 'scheduled_held'
    | 'chat_flood_wait'
    | 'desk_unanswered'
    | 'route_failing'
    | 'route_topic_gone'
    | 'model_budget'
    | 'backup_old'
    | 'channel_failing'
    | 'weak_secret'
    | 'webhook_moved'
    | 'bot_disabled'
    | 'route_to_disabled'
  )[];
  min_severity?: 'info' | 'warning' | 'critical';
  delay_seconds?: number;
  quiet_hours?: ConfigurationAlertChannelQuietHours | null;
  allowed_user_ids?: number[];
  bots?: number[];
  disabled?: boolean;
}

export interface ConfigurationAlertChannelQuietHours {
  start: string;
  end: string;
  timezone: string;
}

export interface ConfigurationBot {
  platform_id: number;
  token?: string;
  disabled?: boolean;
  name?: string;
  manage_enabled?: boolean;
  proxy_enabled?: boolean;
  backend_url?: string;
  secret_token?: string;
  long_poll_enabled?: boolean;
  description?: string;
  webhook_mode?: boolean;
  urgent?: string[];
  per_topic?: boolean;
  keep_pending?: boolean;
  pacing?: 'off' | 'on';
  patience?: number;
  automatic_answers?: 'count' | 'ignore';
  handoff?: string[];
  llm_routing_enabled?: boolean;
  apps?: ConfigurationBotApp[];
}

export interface ConfigurationBotApp {
  name: string;
  token?: string;
  mode?: 'poll' | 'webhook' | 'send';
  backend_url?: string;
  secret_token?: string;
  max_connections?: number;
  allowed_updates?: string[];
  filter?: AppFilter;
  exclusive?: boolean;
  priority?: number;
  own_replies?: boolean;
  keep_pending?: boolean;
  urgent?: string[];
  per_topic?: boolean;
  pacing?: 'off' | 'on';
  patience?: number;
  format?: '' | 'markdown';
  methods?: string[];
  disabled?: boolean;
}

export interface ConfigurationDesk {
  name?: string;
  language?: 'en' | 'ru' | 'zh-CN';
  person_ids?: number[];
  unanswered_minutes?: number;
  working_hours?: ConfigurationDeskWorkingHours | null;
  away_replies?: ConfigurationDeskAwayReply[];
  ban_replies?: ConfigurationDeskAwayReply[];
  rating_questions?: ConfigurationDeskAwayReply[];
  chat_id: number;
  desk_bot: number;
  bots: number[];
}

export interface ConfigurationDeskAwayReply {
  language: string;
  text: string;
}

export interface ConfigurationDeskWorkingHours {
  timezone: string;
  times: ConfigurationDeskWorkingHoursTime[];
}

export interface ConfigurationDeskWorkingHoursTime {
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  start: string;
  end: string;
}

export interface ConfigurationKey {
  name: string;
  key?: string;
  scope?: 'read' | 'send' | 'manage' | 'admin';
  bots?: number[];
  read_chats?: number[];
  write_chats?: number[];
  daily_writes?: number;
  expires_at?: string;
  disabled?: boolean;
}

export interface ConfigurationModel {
  api_url?: string;
  model?: string;
  system_prompt?: string;
  enabled?: boolean;
  temperature?: number;
  timeout_ms?: number;
  monthly_call_limit?: number;
  monthly_token_limit?: number;
  offline_threshold?: number;
  api_key?: string;
}

export interface ConfigurationRoute {
  source: number;
  target: number;
  action: 'forward' | 'copy' | 'drop';
  condition_type?:
    | 'chat_id'
    | 'user_id'
    | 'keyword'
    | 'all'
    | 'regex'
    | 'command'
    | 'media'
    | 'llm'
    | '';
  condition_value?: string;
  target_chat_id?: number;
  enabled?: boolean;
  description?: string;
  priority?: number;
  source_chat_id?: number;
  source_thread_id?: number;
  target_thread_id?: number;
  return_mode?: 'off' | 'reply' | 'latest';
}

export interface ConfigurationSavedReply {
  name: string;
  text: string;
  bot?: number;
}

export interface ConfigurationUser {
  username: string;
  password?: string;
  role?: 'viewer' | 'agent' | 'manager' | 'admin' | 'user';
  bots?: number[];
  disabled?: boolean;
  telegram_user_id?: number;
}

export interface ContextMessage {
  id: number;
  chat_id: number;
  bot_id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  date: number;
  media_type?: string;
  file_id?: string;
  reply_to_message_id?: number;
  message_thread_id?: number;
  edited_at?: number;
  deleted_at?: number;
  pinned?: boolean;
  content?: TopicLastMessageContent;
  entities?: MessageEntity[];
  buttons?: MessageButtonItem[][];
  button_text?: string;
  business_connection_id?: string;
  author?: MessageAuthor;
  origin: string;
  media_group_id?: string;
  extra?: Record<string, unknown>;
  can_delete?: boolean;
  delete_until?: number;
}

export interface ConversationCounts {
  waiting: number;
  waiting_since: string;
  snoozed: number;
  open: number;
  mine: number;
  mine_waiting: number;
  mine_waiting_since: string;
  unassigned: number;
  total: number;
}

export interface CreatedAlertChannel {
  id: number;
  type: 'telegram' | 'webhook';
  bot_id: number;
  chat_id: number;
  message_thread_id: number;
  url: string;
  kinds: (
    | 'bot_refused'
    | 'bot_conflict'
    | 'backend_down'
    | 'reader_failing'
    | 'desk_waiting'
    | 'disk_low'
    | 'database_unreachable'
    | 'node_lost'
    | 'bot_trouble'
    | 'chats_in_retry'
    | 'backlog'
    | 'dead_letters'
    | 'certificate_expiring'
    | 'polling_stopped'
    | 'updates_dropped'
    | 'reader_lag'
    | 'app_not_seen'
    | 'app_rate_limited'
    | 'pattern_undecided'
    | 'unknown_sends'
    | 'failed_sends'
    | 'broadcast_paused'
    | 'question_call_failed'
    | 'scheduled_held'
    | 'chat_flood_wait'
    | 'desk_unanswered'
    | 'route_failing'
    | 'route_topic_gone'
    | 'model_budget'
    | 'backup_old'
    | 'channel_failing'
    | 'weak_secret'
    | 'webhook_moved'
    | 'bot_disabled'
    | 'route_to_disabled'
  )[];
  bot_ids: number[];
  min_severity: 'info' | 'warning' | 'critical';
  delay_seconds: number;
  quiet_hours: AlertChannelQuietHours | null;
  allowed_user_ids: number[];
  disabled: boolean;
  error: string;
  error_detail: Reason;
  failed_at: string;
  sent_at: string;
  created_at: string;
  updated_at: string;
  secret: string;
}

export interface CreatedApiKey {
  id: number;
  name: string;
  hint: string;
  scope: 'read' | 'send' | 'manage' | 'admin';
  bot_ids: number[] | null;
  read_chats: number[] | null;
  write_chats: number[] | null;
  daily_writes: number;
  writes_today: number;
  expires_at: string;
  disabled: boolean;
  created_by: string;
  created_at: string;
  last_used_at: string;
  key: string;
}

export interface CreatedApp {
  id: number;
  bot_id: number;
  name: string;
  has_token: boolean;
  mode: 'poll' | 'webhook' | 'send';
  backend_url: string;
  secret_token: string;
  max_connections: number;
  allowed_updates: string[];
  filter: AppFilter;
  exclusive: boolean;
  priority: number;
  own_replies: boolean;
  keep_pending: boolean;
  urgent: string[];
  per_topic: boolean;
  pacing: 'off' | 'on';
  patience: number;
  format: '' | 'markdown';
  methods: string[];
  disabled: boolean;
  created_at: string;
  last_seen_at: string;
  behind: number;
  claimed: number;
  position: number;
  dropped: number;
  sent: number;
  rate_limited: number;
  last_rate_limited_at: string;
  last_retry_after: number;
  token: string;
  warnings?: AppWarning[];
}

export interface DeadLetter {
  id: number;
  bot_id: number;
  app: string;
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  reason: string;
  reason_detail: Reason;
  attempts: number;
  received_at: string;
  died_at: string;
  replayed_at: string;
  raw: string;
}

export interface DeliveredUpdate {
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  received_at: string;
  user_id: number;
  person: string;
  username: string;
  chat_id: number;
  chat_title: string;
  message_id: number;
  text: string;
  state: 'delivered' | 'waiting' | 'retrying' | 'failed' | 'unknown';
  tries: number;
  last_attempt_at: string;
  duration_ms: number;
  status: number;
  error: string;
  error_detail: Reason;
  response: string;
  next_attempt_at: string;
  dead_letter_id: number;
}

export interface DeliveredUpdatePage {
  updates: DeliveredUpdate[];
  next: number;
  reached_at: string;
}

export interface DeliveriesDiscardRequest {
  bot_id: number;
  app?: string;
  ids?: number[];
  all_dead?: boolean;
}

export interface DeliveriesDiscardResponse {
  discarded: number;
}

export interface DeliveriesReplayRequest {
  bot_id: number;
  app?: string;
  ids?: number[];
  all_dead?: boolean;
  from_position?: number;
  to_position?: number;
  matching?: DeliveriesReplayRequestMatching;
}

export interface DeliveriesReplayRequestMatching {
  q?: string;
  since?: string;
  until?: string;
  state?: 'delivered' | 'failed' | 'unknown';
  cursor?: number;
}

export interface DeliveriesReplayResponse {
  queued: number;
  next: number;
}

export interface DeliveriesRetryNowResponse {
  queues: number;
}

export interface DeliveryAttempt {
  id: number;
  bot_id: number;
  app: string;
  position: number;
  update_id: number;
  queue: string;
  started_at: string;
  duration_ms: number;
  status: number;
  delivered: boolean;
  error: string;
  error_detail: Reason;
  answer: string;
  replay: boolean;
}

export interface DeliveryQueues {
  bot_id: number;
  last_position: number;
  trimmed_to: number;
  backend_status: string;
  pending_updates: number;
  dead_letters: number;
  readers: DeliveryQueuesReader[];
  queues: number;
  retry_queues: DeliveryQueuesRetryQueue[];
}

export interface DeliveryQueuesReader {
  name: string;
  position: number;
  lag: number;
  updated_at: string;
}

export interface DeliveryQueuesRetryQueue {
  queue: string;
  waiting: number;
  first_position: number;
  attempts: number;
  first_failed_at: string;
  next_attempt_at: string;
  due: boolean;
  reason: string;
  reason_detail: Reason;
}

export interface DeskReply {
  language: string;
  text: string;
}

export interface DesksAddRequest {
  name?: string;
  language?: 'en' | 'ru' | 'zh-CN';
  person_ids?: number[];
  unanswered_minutes?: number;
  working_hours?: DesksAddRequestWorkingHours | null;
  away_replies?: DesksAddRequestAwayReply[];
  ban_replies?: DesksAddRequestBanReply[];
  rating_questions?: DesksAddRequestRatingQuestion[];
  desk_bot_id: number;
  chat_id: number;
  bot_ids: number[];
}

export interface DesksAddRequestAwayReply {
  language: string;
  text: string;
}

export interface DesksAddRequestBanReply {
  language: string;
  text: string;
}

export interface DesksAddRequestRatingQuestion {
  language: string;
  text: string;
}

export interface DesksAddRequestWorkingHours {
  timezone: string;
  times: DesksAddRequestWorkingHoursTime[];
}

export interface DesksAddRequestWorkingHoursTime {
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  start: string;
  end: string;
}

export interface DesksAddResponse {
  id: number;
  name: string;
  language: 'en' | 'ru' | 'zh-CN';
  person_ids: number[];
  unanswered_minutes: number;
  working_hours: DesksAddResponseWorkingHours | null;
  away_replies: DeskReply[];
  ban_replies: DeskReply[];
  rating_questions: DeskReply[];
  desk_bot_id: number;
  chat_id: number;
  bot_ids: number[];
  waiting_customers: number;
  problem: string;
  problem_detail: Reason;
  problems: DesksAddResponseProblem[];
  checked_at: string;
  rating_count: number;
  rating_average: number;
  created_at: string;
  updated_at: string;
  changed_bot_ids: number[];
}

export interface DesksAddResponseProblem {
  problem: string;
  problem_detail: Reason;
}

export interface DesksAddResponseWorkingHours {
  timezone: string;
  times: DesksAddResponseWorkingHoursTime[];
}

export interface DesksAddResponseWorkingHoursTime {
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  start: string;
  end: string;
}

export interface DesksCheckResponse {
  problems: DesksCheckResponseProblem[];
}

export interface DesksCheckResponseProblem {
  problem: string;
  problem_detail: Reason;
}

export interface DesksDeleteResponse {
  id: number;
  name: string;
  language: 'en' | 'ru' | 'zh-CN';
  person_ids: number[];
  unanswered_minutes: number;
  working_hours: DesksDeleteResponseWorkingHours | null;
  away_replies: DeskReply[];
  ban_replies: DeskReply[];
  rating_questions: DeskReply[];
  desk_bot_id: number;
  chat_id: number;
  bot_ids: number[];
  waiting_customers: number;
  problem: string;
  problem_detail: Reason;
  problems: DesksDeleteResponseProblem[];
  checked_at: string;
  rating_count: number;
  rating_average: number;
  created_at: string;
  updated_at: string;
}

export interface DesksDeleteResponseProblem {
  problem: string;
  problem_detail: Reason;
}

export interface DesksDeleteResponseWorkingHours {
  timezone: string;
  times: DesksDeleteResponseWorkingHoursTime[];
}

export interface DesksDeleteResponseWorkingHoursTime {
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  start: string;
  end: string;
}

export interface DesksImportTopicsRequest {
  id: number;
  bot_id: number;
  topics: DesksImportTopicsRequestTopic[];
  dry_run?: boolean;
}

export interface DesksImportTopicsRequestTopic {
  user_id: number;
  message_thread_id: number;
  name?: string;
  banned?: boolean;
  closed?: boolean;
}

export interface DesksImportTopicsResponse {
  added: number;
  known: number;
  conflicts: DesksImportTopicsResponseConflict[];
}

export interface DesksImportTopicsResponseConflict {
  user_id: number;
  message_thread_id: number;
  problem: string;
  problem_detail: Reason;
}

export interface DesksResponseItem {
  id: number;
  name: string;
  language: 'en' | 'ru' | 'zh-CN';
  person_ids: number[];
  unanswered_minutes: number;
  working_hours: DesksResponseItemWorkingHours | null;
  away_replies: DeskReply[];
  ban_replies: DeskReply[];
  rating_questions: DeskReply[];
  desk_bot_id: number;
  chat_id: number;
  bot_ids: number[];
  waiting_customers: number;
  problem: string;
  problem_detail: Reason;
  problems: DesksResponseItemProblem[];
  checked_at: string;
  rating_count: number;
  rating_average: number;
  created_at: string;
  updated_at: string;
}

export interface DesksResponseItemProblem {
  problem: string;
  problem_detail: Reason;
}

export interface DesksResponseItemWorkingHours {
  timezone: string;
  times: DesksResponseItemWorkingHoursTime[];
}

export interface DesksResponseItemWorkingHoursTime {
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  start: string;
  end: string;
}

export interface DesksUpdateRequest {
  name?: string;
  language?: 'en' | 'ru' | 'zh-CN';
  person_ids?: number[];
  unanswered_minutes?: number;
  working_hours?: DesksUpdateRequestWorkingHours | null;
  away_replies?: DesksUpdateRequestAwayReply[];
  ban_replies?: DesksUpdateRequestBanReply[];
  rating_questions?: DesksUpdateRequestRatingQuestion[];
  desk_bot_id?: number;
  bot_ids?: number[];
  id: number;
}

export interface DesksUpdateRequestAwayReply {
  language: string;
  text: string;
}

export interface DesksUpdateRequestBanReply {
  language: string;
  text: string;
}

export interface DesksUpdateRequestRatingQuestion {
  language: string;
  text: string;
}

export interface DesksUpdateRequestWorkingHours {
  timezone: string;
  times: DesksUpdateRequestWorkingHoursTime[];
}

export interface DesksUpdateRequestWorkingHoursTime {
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  start: string;
  end: string;
}

export interface DesksUpdateResponse {
  id: number;
  name: string;
  language: 'en' | 'ru' | 'zh-CN';
  person_ids: number[];
  unanswered_minutes: number;
  working_hours: DesksUpdateResponseWorkingHours | null;
  away_replies: DeskReply[];
  ban_replies: DeskReply[];
  rating_questions: DeskReply[];
  desk_bot_id: number;
  chat_id: number;
  bot_ids: number[];
  waiting_customers: number;
  problem: string;
  problem_detail: Reason;
  problems: DesksUpdateResponseProblem[];
  checked_at: string;
  rating_count: number;
  rating_average: number;
  created_at: string;
  updated_at: string;
  changed_bot_ids: number[];
}

export interface DesksUpdateResponseProblem {
  problem: string;
  problem_detail: Reason;
}

export interface DesksUpdateResponseWorkingHours {
  timezone: string;
  times: DesksUpdateResponseWorkingHoursTime[];
}

export interface DesksUpdateResponseWorkingHoursTime {
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  start: string;
  end: string;
}

export interface DetailedMessage {
  id: number;
  chat_id: number;
  bot_id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  date: number;
  media_type?: string;
  file_id?: string;
  reply_to_message_id?: number;
  message_thread_id?: number;
  edited_at?: number;
  deleted_at?: number;
  pinned?: boolean;
  content?: TopicLastMessageContent;
  entities?: MessageEntity[];
  buttons?: MessageButtonItem[][];
  button_text?: string;
  business_connection_id?: string;
  author?: MessageAuthor;
  origin: string;
  media_group_id?: string;
  extra?: Record<string, unknown>;
}

export interface FilterMatches {
  matched: number;
  of: number;
}

export interface ImportReport {
  bots: ImportResult[];
  users: ImportResult[];
  routes: ImportResult[];
  model: ImportResult | null;
  enabled: number[];
  chats: number;
  people: number;
  members: number;
  messages: number;
  tags: number;
  pairs: number;
}

export interface ImportRequest {
  dry_run?: boolean;
  bots?: ImportRequestBot[];
  users?: ImportRequestUser[];
  routes?: ImportRequestRoute[];
  model?: ImportRequestModel;
  chats?: ImportRequestChat[];
  people?: ImportRequestPeopleItem[];
  members?: ImportRequestMember[];
  messages?: ImportRequestMessage[];
  tags?: ImportRequestTag[];
  pairs?: ImportRequestPair[];
  enable?: number[];
}

export interface ImportRequestBot {
  token: string;
  name: string;
  description: string;
  backend_url: string;
  secret_token: string;
  proxy_enabled: boolean;
  manage_enabled: boolean;
  long_poll_enabled: boolean;
  llm_routing_enabled: boolean;
  next_update_id: number;
  disabled: boolean;
}

export interface ImportRequestChat {
  bot_id: number;
  chat_id: number;
  type: string;
  title: string;
  username: string;
  member_status: string;
  member_count: number;
  description: string;
  last_message_at: number;
}

export interface ImportRequestMember {
  bot_id: number;
  chat_id: number;
  user_id: number;
}

export interface ImportRequestMessage {
  bot_id: number;
  chat_id: number;
  id: number;
  user_id: number;
  username: string;
  first_name: string;
  text: string;
  date: number;
  media_type: string | null;
  file_id: string | null;
  reply_to_message_id: number | null;
  origin: 'received' | 'sent';
  deleted: boolean;
}

export interface ImportRequestModel {
  api_url: string;
  api_key: string;
  model: string;
  system_prompt: string;
  enabled: boolean;
}

export interface ImportRequestPair {
  bot_id: number;
  chat_id: number;
  message_id: number;
  peer_bot_id: number;
  peer_chat_id: number;
  peer_message_id: number;
  route_id: number;
  style: 'forward' | 'copy';
  created_at: number;
}

export interface ImportRequestPeopleItem {
  user_id: number;
  username: string;
  first_name: string;
  is_bot: boolean;
}

export interface ImportRequestRoute {
  source_bot_id: number;
  target_bot_id: number;
  source_chat_id: number;
  condition_type: 'chat_id' | 'user_id' | 'keyword' | 'all' | 'regex' | 'command' | 'media' | 'llm';
  condition_value: string;
  action: 'forward' | 'copy' | 'drop';
  target_chat_id: number;
  enabled: boolean;
  description: string;
}

export interface ImportRequestTag {
  chat_id: number;
  user_id: number;
  username: string;
  tag: string;
  color: string;
}

export interface ImportRequestUser {
  username: string;
  role: 'viewer' | 'agent' | 'manager' | 'admin' | 'user';
  bot_ids: number[];
}

export interface ImportResult {
  id: number;
  outcome: 'added' | 'known' | 'refused';
  problem: string;
  problem_detail: Reason;
}

export interface LiveMetrics {
  slice_seconds: number;
  slices: TimeBucket[];
}

export interface LlmConfig {
  api_url: string;
  model: string;
  system_prompt: string;
  enabled: boolean;
  temperature: number;
  timeout_ms: number;
  monthly_call_limit: number;
  monthly_token_limit: number;
  offline_threshold: number;
  api_key_set: boolean;
  usage: LlmConfigUsage;
}

export interface LlmConfigRequest {
  api_url?: string;
  model?: string;
  system_prompt?: string;
  enabled?: boolean;
  temperature?: number;
  timeout_ms?: number;
  monthly_call_limit?: number;
  monthly_token_limit?: number;
  offline_threshold?: number;
  api_key?: string;
}

export interface LlmConfigUsage {
  month: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
}

export interface LoggedUpdate {
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  received_at: string;
  raw: string;
}

export interface Message {
  id: number;
  chat_id: number;
  bot_id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  date: number;
  media_type?: string;
  file_id?: string;
  reply_to_message_id?: number;
  message_thread_id?: number;
  edited_at?: number;
  deleted_at?: number;
  pinned?: boolean;
  content?: TopicLastMessageContent;
  entities?: MessageEntity[];
  buttons?: MessageButtonItem[][];
  button_text?: string;
  business_connection_id?: string;
  author?: MessageAuthor;
}

export interface MessageAction {
  ok: boolean;
  message?: Message;
}

export interface MessageAuthor {
  kind: 'user' | 'key' | 'app' | 'backend' | 'route' | 'broadcast' | 'ask' | 'desk' | 'relay';
  id: number;
  name: string;
  person?: MessageAuthorPerson;
}

export interface MessageAuthorPerson {
  id: number;
  name: string;
}

export interface MessageButtonItem {
  text: string;
  type: string;
  value?: string;
}

export interface MessageEntity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

export interface MessageMark {
  id: number;
  bot_id: number;
  chat_id: number;
  mark: 'failed' | 'waiting' | 'delivered' | 'nobody' | 'none';
}

export interface MessageSearch {
  messages: MessageSearchMessage[];
  next: string;
}

export interface MessageSearchMessage {
  id: number;
  chat_id: number;
  bot_id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  date: number;
  media_type?: string;
  file_id?: string;
  reply_to_message_id?: number;
  message_thread_id?: number;
  edited_at?: number;
  deleted_at?: number;
  pinned?: boolean;
  content?: TopicLastMessageContent;
  entities?: MessageEntity[];
  buttons?: MessageButtonItem[][];
  button_text?: string;
  business_connection_id?: string;
  author?: MessageAuthor;
  origin: string;
  media_group_id?: string;
  extra?: Record<string, unknown>;
  chat_title: string;
  snippet: MessageSearchMessageSnippet;
}

export interface MessageSearchMessageSnippet {
  text: string;
  highlights: TextRange[];
}

export interface MessageText {
  text: string;
  date: number;
}

export interface MessageTimeline {
  bot_id: number;
  chat_id: number;
  message_id: number;
  mark: 'failed' | 'waiting' | 'delivered' | 'nobody' | 'none';
  position: number;
  steps: MessageTimelineStep[];
}

export interface MessageTimelineStep {
  kind:
    | 'received'
    | 'sent'
    | 'stored'
    | 'claimed'
    | 'routing'
    | 'route'
    | 'send'
    | 'attempt'
    | 'delivery'
    | 'reading'
    | 'reply';
  state: 'done' | 'delivered' | 'waiting' | 'failed' | 'removed';
  at: string;
  text: string;
  detail: Reason;
  why?: MessageTimelineStepWhy;
  author?: MessageAuthor;
  target?: MessageTimelineStepTarget;
  action?: MessageTimelineStepAction;
}

export interface MessageTimelineStepAction {
  type: 'retry_now' | 'replay' | 'send_again' | 'edit_route';
  app?: string;
  queue?: string;
  dead_letter_id?: number;
  send_id?: number;
  route_id?: number;
}

export interface MessageTimelineStepTarget {
  bot_id: number;
  chat_id: number;
  message_id: number;
}

export interface MessageTimelineStepWhy {
  text: string;
  detail: Reason;
}

export interface MessagesEditRequest {
  text?: string;
  format?: 'markdown';
  parse_mode?: 'HTML' | 'MarkdownV2' | 'Markdown';
  entities?: Record<string, unknown>[];
  link_preview_options?: Record<string, unknown>;
  rich_message?: Record<string, unknown>;
  reply_markup?: Record<string, unknown>;
}

export interface MessagesPreviewRequest {
  text: string;
}

export interface MessagesPreviewResponse {
  parts: MessagesPreviewResponsePart[];
  is_file: boolean;
}

export interface MessagesPreviewResponsePart {
  text: string;
  entities: MessageEntity[];
}

export interface MessagesScheduledCancelRequest {
  scheduled_id: number;
}

export interface MessagesScheduledUpdateRequest {
  scheduled_id: number;
  send_at?: number;
  text?: string;
  format?: 'markdown';
  parse_mode?: 'HTML' | 'MarkdownV2' | 'Markdown';
  entities?: Record<string, unknown>[];
  link_preview_options?: Record<string, unknown>;
  rich_message?: Record<string, unknown>;
  reply_markup?: Record<string, unknown>;
}

export interface MessagesSendMediaRequest {
  bot_id: number;
  chat_id: number;
  type: 'photo' | 'document' | 'video' | 'audio' | 'voice' | 'animation' | 'sticker' | 'video_note';
  caption?: string;
  format?: 'markdown';
  parse_mode?: 'HTML' | 'MarkdownV2' | 'Markdown';
  caption_entities?: Record<string, unknown>[];
  reply_to_message_id?: number;
  business_connection_id?: string;
  message_thread_id?: number;
  disable_notification?: boolean;
  protect_content?: boolean;
  message_effect_id?: string;
  reply_markup?: Record<string, unknown>;
  send_at?: number;
  file_id: string;
}

export interface MessagesSendRequest {
  bot_id: number;
  chat_id: number;
  text?: string;
  format?: 'markdown';
  parse_mode?: 'HTML' | 'MarkdownV2' | 'Markdown';
  entities?: Record<string, unknown>[];
  link_preview_options?: Record<string, unknown>;
  rich_message?: Record<string, unknown>;
  reply_to_message_id?: number;
  business_connection_id?: string;
  message_thread_id?: number;
  disable_notification?: boolean;
  protect_content?: boolean;
  message_effect_id?: string;
  reply_markup?: Record<string, unknown>;
  send_at?: number;
}

export interface ModelDecision {
  by: string;
  model: string;
  prompt_version: string;
  candidates: number[];
  target_bot_id: number | null;
  confidence: number;
  reason: string;
  reason_detail?: Reason;
  latency_ms: number;
  input_tokens: number;
  output_tokens: number;
  failure: string;
  failure_detail?: Reason;
}

export interface ModerationResult {
  bot_id: number;
  chat_id: number;
  user_id: number;
  action:
    | 'ban'
    | 'unban'
    | 'kick'
    | 'mute'
    | 'unmute'
    | 'delete'
    | 'pin'
    | 'unpin'
    | 'promote'
    | 'demote'
    | 'title';
  status: string;
  until: string;
}

export interface MovedReader {
  bot_id: number;
  reader: string;
  position: number;
  previous_position: number;
  read_again: number;
  skipped: number;
}

export interface Note {
  id: number;
  user_id: number;
  text: string;
  author: string;
  created_at: string;
}

export interface OpenAlert {
  kind:
    | 'bot_refused'
    | 'bot_conflict'
    | 'backend_down'
    | 'reader_failing'
    | 'desk_waiting'
    | 'disk_low'
    | 'database_unreachable'
    | 'node_lost'
    | 'bot_trouble'
    | 'chats_in_retry'
    | 'backlog'
    | 'dead_letters'
    | 'certificate_expiring'
    | 'polling_stopped'
    | 'updates_dropped'
    | 'reader_lag'
    | 'app_not_seen'
    | 'app_rate_limited'
    | 'pattern_undecided'
    | 'unknown_sends'
    | 'failed_sends'
    | 'broadcast_paused'
    | 'question_call_failed'
    | 'scheduled_held'
    | 'chat_flood_wait'
    | 'desk_unanswered'
    | 'route_failing'
    | 'route_topic_gone'
    | 'model_budget'
    | 'backup_old'
    | 'channel_failing'
    | 'weak_secret'
    | 'webhook_moved'
    | 'bot_disabled'
    | 'route_to_disabled';
  severity: 'info' | 'warning' | 'critical';
  bot_id: number;
  params: Record<string, unknown>;
  acknowledged_by: string;
  acknowledged_at: string;
  muted_until: string;
  muted_by: string;
  action: 'retry' | 'replay' | 'enable_bot' | 'enable_target' | '';
  action_by: string;
  action_at: string;
  alert_id: number;
  count: number;
  since: string;
  text: string;
  text_detail: Reason;
  app?: string;
  reader?: string;
  reason?: string;
  reason_detail?: Reason;
  seen_at?: string;
  route_id?: number;
  target_bot_id?: number;
}

export interface OutboxEntry {
  id: number;
  bot_id: number;
  chat_id: number;
  method: string;
  origin: string;
  author?: MessageAuthor;
  state: string;
  attempts: number;
  error: string;
  error_detail: Reason;
  message_id: number;
  text: string;
  created_at: string;
  updated_at: string;
}

export interface Person {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  is_bot: boolean;
  language_code: string;
  status: string;
  until: string;
  messages: number;
  last_seen_at: string;
}

export interface Profile {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  is_bot: boolean;
  language_code: string;
  last_seen_at: string;
  messages: number;
  names: ProfileName[];
  chats: ProfileChat[];
  tags: ProfileTag[];
  notes: Note[];
  warnings: Warning[];
  member?: ChatMember;
}

export interface ProfileChat {
  chat_id: number;
  type: string;
  title: string;
  status: string;
  until: string;
  admin_title: string;
  rights: (
    | 'can_manage_chat'
    | 'can_delete_messages'
    | 'can_manage_video_chats'
    | 'can_restrict_members'
    | 'can_promote_members'
    | 'can_change_info'
    | 'can_invite_users'
    | 'can_post_stories'
    | 'can_edit_stories'
    | 'can_delete_stories'
    | 'can_post_messages'
    | 'can_edit_messages'
    | 'can_pin_messages'
    | 'can_manage_topics'
    | 'can_manage_direct_messages'
    | 'can_manage_tags'
    | 'is_anonymous'
  )[];
  messages: number;
}

export interface ProfileName {
  username: string;
  first_name: string;
  last_name: string;
  since: string;
}

export interface ProfileTag {
  id: number;
  chat_id: number;
  tag: string;
  color: string;
}

export interface Question {
  id: number;
  bot_id: number;
  chat_id: number;
  message_thread_id?: number;
  message_id: number;
  text: string;
  options: string[];
  user_ids: number[];
  state: 'open' | 'answered' | 'expired' | 'cancelled';
  send_state: string;
  send_error: string;
  send_error_detail: Reason;
  answer: string;
  answered_by: number;
  answered_by_name: string;
  answered_at: string;
  asked_by: MessageAuthor;
  created_at: string;
  expires_at: string;
  ended_at: string;
  callback_state: '' | 'waiting' | 'delivered' | 'failed';
  callback_error: string;
}

export interface Reader {
  reader: string;
  kind: 'push' | 'routing' | 'pull' | 'export';
  name: string;
  app: string;
  removable: boolean;
  position: number;
  behind: number;
  in_retry: number;
  oldest_waiting_seconds: number;
  dropped: number;
  last_moved_at: string;
  active: boolean;
  waiting: boolean;
  failure: string;
}

export interface Readers {
  bot_id: number;
  log_start: number;
  log_end: number;
  readers: Reader[];
}

export interface ReadyzResponse {
  status: string;
  reasons: string[];
  reasons_detail: Reason[];
}

export type Reason = {
  code: string;
  params: Record<string, unknown>;
} | null;

export interface RemovedConsumer {
  bot_id: number;
  consumer: string;
  position: number;
}

export interface RepliesAddRequest {
  name: string;
  text: string;
  bot_id?: number;
}

export interface RepliesUpdateRequest {
  id: number;
  name?: string;
  text?: string;
  bot_id?: number;
}

export interface RestoredWebhook {
  id: number;
  disabled: boolean;
  url: string;
  allowed_updates: string[];
  max_connections: number;
  pending_update_count: number;
  warnings: string[];
  warnings_detail: Reason[];
}

export interface Route {
  id: number;
  source_bot_id: number;
  target_bot_id: number;
  condition_type: string;
  condition_value: string;
  action: string;
  target_chat_id: number;
  enabled: boolean;
  description: string;
  priority: number;
  source_chat_id: number;
  source_thread_id: number;
  target_thread_id: number;
  return_mode: string;
}

export interface RouteGraph {
  bots: RouteGraphBot[];
  routes: RouteGraphRoute[];
  problems: RouteGraphProblem[];
}

export interface RouteGraphBot {
  id: number;
  name: string;
  disabled: boolean;
  llm_routing_enabled: boolean;
  has_description: boolean;
}

export interface RouteGraphProblem {
  kind: string;
  bot_ids: number[];
  route_ids: number[];
  explanation: string;
  explanation_detail: Reason;
}

export interface RouteGraphRoute {
  id: number;
  source_bot_id: number;
  target_bot_id: number;
  condition_type: string;
  action: string;
  enabled: boolean;
  messages_last_day: number;
}

export interface RouteSimulation {
  outcome: string;
  target_bot_id: number;
  reason: string;
  reason_detail: Reason;
  warning: string;
  warning_detail: Reason;
  rules: RouteSimulationRule[];
  model: ModelDecision | null;
}

export interface RouteSimulationRule {
  route_id: number;
  matched: boolean;
  acts: boolean;
  action: string;
  target_bot_id: number;
  target_chat_id: number;
  target_thread_id?: number;
  reason: string;
  reason_detail: Reason;
  warning: string;
  warning_detail: Reason;
}

export interface RoutesAddRequest {
  source_bot_id: number;
  target_bot_id: number;
  action: 'forward' | 'copy' | 'drop';
  condition_type?:
    | 'chat_id'
    | 'user_id'
    | 'keyword'
    | 'all'
    | 'regex'
    | 'command'
    | 'media'
    | 'llm'
    | '';
  condition_value?: string;
  target_chat_id?: number;
  enabled?: boolean;
  description?: string;
  priority?: number;
  source_chat_id?: number;
  source_thread_id?: number;
  target_thread_id?: number;
  return_mode?: 'off' | 'reply' | 'latest';
}

export interface RoutesSimulateRequest {
  bot_id: number;
  text: string;
  chat_id?: number;
  message_thread_id?: number;
  user_id?: number;
  media_type?:
    | 'photo'
    | 'video'
    | 'animation'
    | 'sticker'
    | 'voice'
    | 'audio'
    | 'document'
    | 'video_note'
    | '';
}

export interface RoutesUpdateRequest {
  id: number;
  source_bot_id: number;
  target_bot_id: number;
  action: 'forward' | 'copy' | 'drop';
  condition_type?:
    | 'chat_id'
    | 'user_id'
    | 'keyword'
    | 'all'
    | 'regex'
    | 'command'
    | 'media'
    | 'llm'
    | '';
  condition_value?: string;
  target_chat_id?: number;
  enabled?: boolean;
  description?: string;
  priority?: number;
  source_chat_id?: number;
  source_thread_id?: number;
  target_thread_id?: number;
  return_mode?: 'off' | 'reply' | 'latest';
}

export interface RoutingDecision {
  id: number;
  bot_id: number;
  position: number;
  update_id: number;
  business_connection_id: string;
  chat_id: number;
  user_id: number;
  message_id: number;
  person: string;
  text: string;
  outcome: string;
  delivery: '' | 'pending' | 'sent' | 'failed' | 'unknown';
  reason: string;
  reason_detail: Reason;
  asked: string;
  matched: RoutingDecisionMatchedItem[];
  model: ModelDecision | null;
  created_at: string;
}

export interface RoutingDecisionMatchedItem {
  route_id: number;
  action: string;
  reason: string;
  reason_detail?: Reason;
  target_bot_id: number;
  target_chat_id: number;
  target_thread_id?: number;
  result: string;
  result_detail: Reason;
  sends: RoutingDecisionMatchedItemSend[];
}

export interface RoutingDecisionMatchedItemSend {
  id: number;
  state: string;
  method: string;
  message_id: number;
  error: string;
  error_detail: Reason;
  updated_at: string;
}

export interface SandboxBot {
  id: number;
  token: string;
  username: string;
  first_name: string;
}

export interface SandboxBotsAddGameRequest {
  bot: number | string;
  short_name: string;
  title?: string;
  description?: string;
}

export interface SandboxBotsCreateRequest {
  username?: string;
  first_name?: string;
  description?: string;
  privacy_mode?: boolean;
  can_join_groups?: boolean;
  inline_mode?: boolean;
  join_request_queries?: boolean;
  has_topics_enabled?: boolean;
  allows_users_to_create_topics?: boolean;
}

export interface SandboxBotsGiveStarsRequest {
  bot: number | string;
  stars: number;
}

export interface SandboxBotsGiveStarsResponse {
  stars: number;
}

export interface SandboxBotsJumpUpdateIdsRequest {
  bot: number | string;
}

export interface SandboxBotsRequest {
  username?: string;
  first_name?: string;
  description?: string;
  privacy_mode?: boolean;
  can_join_groups?: boolean;
  inline_mode?: boolean;
  join_request_queries?: boolean;
  has_topics_enabled?: boolean;
  allows_users_to_create_topics?: boolean;
}

export interface SandboxBusinessConnectRequest {
  user: number | string;
  bot: number | string;
  rights?: SandboxBusinessConnectRequestRights;
}

export interface SandboxBusinessConnectRequestRights {
  can_reply?: boolean;
  can_read_messages?: boolean;
  can_delete_outgoing_messages?: boolean;
  can_delete_all_messages?: boolean;
}

export interface SandboxBusinessDisconnectRequest {
  user: number | string;
}

export interface SandboxChatsAddMemberRequest {
  user: number | string;
  chat: number | string;
  by: number | string;
}

export interface SandboxChatsAnswerRequestRequest {
  user: number | string;
  chat: number | string;
  by: number | string;
  approve?: boolean;
}

export interface SandboxChatsCreateRequest {
  type?: 'group' | 'supergroup' | 'channel';
  title: string;
  owner: number | string;
  members?: (number | string)[];
  username?: string;
  description?: string;
  join_by_request?: boolean;
  is_forum?: boolean;
}

export interface SandboxChatsGuardBotRequest {
  chat: number | string;
  by: number | string;
  bot?: number | string;
  invite_links?: boolean;
}

export interface SandboxChatsJoinRequest {
  user: number | string;
  chat: number | string;
  invite_link?: string;
}

export interface SandboxChatsJoinResponse {
  status: 'joined' | 'requested' | 'asked';
}

export interface SandboxChatsJoinStatusResponse {
  status: 'joined' | 'waiting' | 'web_app' | 'requested' | 'declined' | 'banned' | 'none';
  web_app?: SandboxChatsJoinStatusResponseWebApp;
}

export interface SandboxChatsJoinStatusResponseWebApp {
  bot: unknown;
  url: string;
}

export interface SandboxChatsJoinWebAppRequest {
  user: number | string;
  chat: number | string;
}

export interface SandboxChatsJoinWebAppResponse {
  url: string;
  init_data: string;
}

export interface SandboxChatsLeaveRequest {
  user: number | string;
  chat: number | string;
}

export interface SandboxChatsPromoteRequest {
  user: number | string;
  chat: number | string;
  by: number | string;
  rights?: boolean | Record<string, unknown>;
}

export interface SandboxChatsRemoveMemberRequest {
  user: number | string;
  chat: number | string;
  by: number | string;
}

export interface SandboxChatsUpgradeRequest {
  user: number | string;
  chat: number | string;
}

export interface SandboxDeleteRequest {
  user: number | string;
  chat: number | string;
  message_id: number;
}

export interface SandboxEditRequest {
  user: number | string;
  chat: number | string;
  message_id: number;
  text: string;
}

export interface SandboxEphemeralPressRequest {
  user: number | string;
  chat: number | string;
  ephemeral_message_id: number;
  button: string;
}

export interface SandboxEphemeralSayRequest {
  user: number | string;
  chat: number | string;
  text: string;
  reply_to?: number;
}

export interface SandboxFaultsAddRequest {
  kind:
    | 'too_many_requests'
    | 'unauthorized'
    | 'conflict'
    | 'server_error'
    | 'truncated'
    | 'not_json'
    | 'slow'
    | 'reset_before'
    | 'reset_after'
    | 'duplicate_batch';
  bot?: number | string;
  method?: string;
  times?: number;
  probability?: number;
  status?: number;
  delayMs?: number;
  retryAfterSeconds?: number;
  delay_ms?: number;
  retry_after_seconds?: number;
}

export interface SandboxFaultsClearRequest {
  bot?: number | string;
}

export interface SandboxFaultsRemoveRequest {
  id: number;
}

export interface SandboxFloodLimitsRequest {
  on?: boolean;
  counting?: 'apart' | 'together';
  group_seconds?: number;
}

export interface SandboxForwardRequest {
  user: number | string;
  chat: number | string;
  message_id: number;
  from_chat: number | string;
  message_thread_id?: number;
}

export interface SandboxInlineChooseRequest {
  id: string;
  result_id: string;
}

export interface SandboxInlineQueryRequest {
  user: number | string;
  chat: number | string;
  bot: number | string;
  query?: string;
}

export interface SandboxInlineQueryResponse {
  id: string;
}

export interface SandboxPayRequest {
  user: number | string;
  chat?: number | string;
  message_id?: number;
  invoice_link?: string;
  tip?: number;
  order_info?: SandboxPayRequestOrderInfo;
}

export interface SandboxPayRequestOrderInfo {
  name?: string;
  phone_number?: string;
  email?: string;
  shipping_address?: SandboxPayRequestOrderInfoShippingAddress;
}

export interface SandboxPayRequestOrderInfoShippingAddress {
  country_code: string;
  state?: string;
  city?: string;
  street_line1?: string;
  street_line2?: string;
  post_code?: string;
}

export interface SandboxPayShippingRequest {
  id: string;
  option: string;
}

export interface SandboxPayment {
  id: string;
  status: 'shipping' | 'choose_shipping' | 'checkout' | 'paid' | 'refused' | 'expired' | 'refunded';
  currency: string;
  total_amount: number;
  shipping_options?: unknown[];
  error_message?: string;
  telegram_payment_charge_id?: string;
}

export interface SandboxPinRequest {
  user: number | string;
  chat: number | string;
  message_id: number;
  pinned?: boolean;
}

export interface SandboxPressRequest {
  user: number | string;
  chat: number | string;
  message_id: number;
  button: string;
}

export interface SandboxReactRequest {
  user: number | string;
  chat: number | string;
  message_id: number;
  emoji: string;
}

export interface SandboxSayRequest {
  user: number | string;
  chat: number | string;
  text: string;
  message_thread_id?: number;
  reply_to?: number;
}

export interface SandboxSendAlbumRequest {
  user: number | string;
  chat: number | string;
  items: SandboxSendAlbumRequestItem[];
  message_thread_id?: number;
  reply_to?: number;
}

export interface SandboxSendAlbumRequestItem {
  kind?: string;
  data?: string;
  name?: string;
  caption?: string;
}

export interface SandboxSendContentRequest {
  user: number | string;
  chat: number | string;
  location?: Record<string, unknown>;
  contact?: Record<string, unknown>;
  venue?: Record<string, unknown>;
  dice?: Record<string, unknown>;
  message_thread_id?: number;
}

export interface SandboxSendMediaRequest {
  user: number | string;
  chat: number | string;
  kind?: string;
  data?: string;
  name?: string;
  caption?: string;
  media_group_id?: string;
  message_thread_id?: number;
  reply_to?: number;
}

export interface SandboxStopDraftRequest {
  user: number | string;
  bot: number | string;
  message_thread_id?: number;
}

export interface SandboxTalkRequest {
  lines: SandboxTalkRequestLine[];
}

export interface SandboxTalkRequestLine {
  user: number | string;
  chat: number | string;
  text: string;
  message_thread_id?: number;
  after_seconds?: number;
  reply?: boolean;
}

export interface SandboxTalkResponse {
  message_ids: number[];
}

export interface SandboxTime {
  now: number;
  ahead_seconds: number;
}

export interface SandboxTimeAdvanceRequest {
  seconds: number;
}

export interface SandboxTimeSetRequest {
  now: number;
}

export interface SandboxTopicsCreateRequest {
  user: number | string;
  chat: number | string;
  name?: string;
  icon_color?: number;
  icon_custom_emoji_id?: string;
}

export interface SandboxTopicsCreateResponse {
  message_thread_id: number;
}

export interface SandboxTopicsDeleteRequest {
  user: number | string;
  chat: number | string;
  message_thread_id: number;
}

export interface SandboxTopicsEditRequest {
  user: number | string;
  chat: number | string;
  message_thread_id: number;
  name?: string;
  icon_custom_emoji_id?: string;
  is_closed?: boolean;
  is_hidden?: boolean;
}

export interface SandboxTopicsEnableRequest {
  user: number | string;
  chat: number | string;
  enabled?: boolean;
}

export interface SandboxTopicsPruneRequest {
  user: number | string;
  chat: number | string;
  message_thread_id: number;
}

export interface SandboxUsersBlockBotRequest {
  user: number | string;
  bot: number | string;
  blocked?: boolean;
}

export interface SandboxUsersCreateRequest {
  first_name?: string;
  last_name?: string;
  username?: string;
  language_code?: string;
  is_premium?: boolean;
  bio?: string;
}

export interface SandboxUsersPhotoRequest {
  user: number | string;
}

export interface SandboxVoteRequest {
  user: number | string;
  chat: number | string;
  message_id: number;
  options: number[];
}

export interface SavedReply {
  id: number;
  bot_id: number;
  name: string;
  text: string;
  uses: number;
  last_used_at: string;
  created_at: string;
  updated_at: string;
}

export interface ScheduledMessage {
  scheduled_id: number;
  bot_id: number;
  chat_id: number;
  send_at: number;
  state: 'scheduled' | 'held';
  error: string;
  error_detail: Reason;
  text: string;
  format?: string;
  parse_mode?: string;
  media_type?: string;
  file_name?: string;
  message_thread_id?: number;
  reply_to_message_id?: number;
  author?: MessageAuthor;
  created_at: number;
}

export interface SentMessage {
  id: number;
  chat_id: number;
  bot_id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  date: number;
  media_type?: string;
  file_id?: string;
  reply_to_message_id?: number;
  message_thread_id?: number;
  edited_at?: number;
  deleted_at?: number;
  pinned?: boolean;
  content?: TopicLastMessageContent;
  entities?: MessageEntity[];
  buttons?: MessageButtonItem[][];
  button_text?: string;
  business_connection_id?: string;
  author?: MessageAuthor;
  parts?: number[];
  scheduled_id?: number;
  send_at?: number;
}

export interface ServiceStatus {
  version: string;
  started_at: string;
  memory_bytes: number;
  database: ServiceStatusDatabase;
  disk?: ServiceStatusDisk;
  nodes: ServiceStatusNode[];
  retention: ServiceStatusRetention;
  sandbox: boolean;
  public_url: string;
  backup?: ServiceStatusBackup;
}

export interface ServiceStatusBackup {
  directory: string;
  every_seconds: number;
  keep: number;
  count: number;
  running: boolean;
  last_at: string;
  last_file: string;
  last_bytes: number;
  next_at: string;
  error: string;
  error_detail: Reason;
  error_at: string;
}

export interface ServiceStatusDatabase {
  engine: 'sqlite' | 'postgres';
  bytes: number;
  answer_ms: number;
}

export interface ServiceStatusDisk {
  free_bytes: number;
  total_bytes: number;
}

export interface ServiceStatusNode {
  id: string;
  here: boolean;
  bots: number;
  seen_at: string;
}

export interface ServiceStatusRetention {
  max_age_seconds: number;
  max_bytes_per_bot: number;
  ran_at: string;
  unread_dropped: number;
}

export interface Session {
  kind: 'key' | 'user';
  id: number;
  name: string;
  scope: 'read' | 'send' | 'manage' | 'admin';
  role: 'viewer' | 'agent' | 'manager' | 'admin' | 'user' | '';
  rights: SessionRights;
  bot_ids: number[] | null;
  csrf_token: string;
}

export interface SessionRights {
  account: 'read' | 'send' | 'manage' | 'admin' | 'none';
  chats: 'read' | 'send' | 'manage' | 'admin' | 'none';
  notes: 'read' | 'send' | 'manage' | 'admin' | 'none';
  bots: 'read' | 'send' | 'manage' | 'admin' | 'none';
  service: 'read' | 'send' | 'manage' | 'admin' | 'none';
}

export interface Statistics {
  bot_id: number;
  chat_id: number;
  message_thread_id: number;
  from: string;
  to: string;
  messages: StatisticsMessages;
  by_day: StatisticsByDayItem[];
  by_hour: StatisticsByHourItem[];
  by_hour_of_day: number[];
  active_users: number;
  top_people: StatisticsTopPeopleItem[];
  by_topic: StatisticsByTopicItem[];
  responses: StatisticsResponses;
  deliveries: StatisticsDeliveries;
  ratings: StatisticsRatings;
}

export interface StatisticsByDayItem {
  day: string;
  received: number;
  sent: number;
  media: number;
}

export interface StatisticsByHourItem {
  hour: string;
  received: number;
  sent: number;
  media: number;
}

export interface StatisticsByTopicItem {
  message_thread_id: number;
  name: string;
  received: number;
  sent: number;
  media: number;
}

export interface StatisticsDeliveries {
  delivered: number;
  failed: number;
  success_rate: number;
  mean_duration_ms: number;
  in_retry: number;
  dead_letters: number;
}

export interface StatisticsMessages {
  total: number;
  received: number;
  sent: number;
  media: number;
  media_share: number;
}

export interface StatisticsRatings {
  count: number;
  average: number;
  by_rating: number[];
  by_assignee: StatisticsRatingsByAssigneeItem[];
}

export interface StatisticsRatingsByAssigneeItem {
  assignee?: Assignee;
  count: number;
  average: number;
}

export interface StatisticsResponses {
  answers: number;
  median_seconds?: number;
}

export interface StatisticsTopPeopleItem {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  messages: number;
}

export interface Tag {
  id: number;
  chat_id: number;
  user_id: number;
  username: string;
  tag: string;
  color: string;
  created_at: string;
}

export interface TagsAddRequest {
  chat_id: number;
  user_id: number;
  tag: string;
  bot_id?: number;
  username?: string;
  color?: string;
}

export interface TextRange {
  offset: number;
  length: number;
}

export interface TimeBucket {
  at: number;
  received: number;
  sent: number;
  send_failures: number;
  delivered: number;
  delivery_failures: number;
  backlog: number;
  p50_ms?: number;
  p95_ms?: number;
}

export interface TokenCheck {
  valid: boolean;
  platform_id: number;
  username: string;
  name: string;
  error: string;
}

export interface Topic {
  bot_id: number;
  chat_id: number;
  message_thread_id: number;
  name: string;
  icon_color: number;
  icon_custom_emoji_id: string;
  closed: boolean;
  hidden: boolean;
  gone: boolean;
  last_message_at: string;
  last_message?: TopicLastMessage;
  cursor: string;
}

export interface TopicLastMessage {
  id: number;
  text: string;
  date: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  media_type?: string;
  content?: TopicLastMessageContent;
  button_text?: string;
}

export interface TopicLastMessageContent {
  type: string;
  names?: string[];
  text?: string;
}

export interface UpdateBatch {
  ok: true;
  result: UpdateBatchResultItem[];
}

export interface UpdateBatchResultItem {
  update_id: number;
}

export interface User {
  id: number;
  username: string;
  role: 'viewer' | 'agent' | 'manager' | 'admin' | 'user';
  bot_ids: number[];
  disabled: boolean;
  telegram_user_id: number;
  has_password: boolean;
  created_at: string;
  last_sign_in_at: string;
}

export interface UsersNotesAddRequest {
  bot_id: number;
  user_id: number;
  text: string;
}

export interface UsersWarnRequest {
  reason?: string;
  expires_in_seconds?: number;
}

export interface VersionResponse {
  name: string;
  version: string;
}

export interface Warning {
  id: number;
  chat_id: number;
  user_id: number;
  reason: string;
  warned_by: string;
  created_at: string;
  expires_at: string;
  cleared_at: string;
  active: boolean;
}

export interface WarningResult {
  warning: Warning;
  active: number;
  threshold: number;
  action: '' | 'mute' | 'kick' | 'ban';
  until: string;
}

export interface WarningSettings {
  threshold: number;
  action: 'none' | 'mute' | 'kick' | 'ban';
  action_seconds: number;
  expire_seconds: number;
}

export interface WholeDeliveredUpdate {
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  received_at: string;
  user_id: number;
  person: string;
  username: string;
  chat_id: number;
  chat_title: string;
  message_id: number;
  text: string;
  state: 'delivered' | 'waiting' | 'retrying' | 'failed' | 'unknown';
  tries: number;
  last_attempt_at: string;
  duration_ms: number;
  status: number;
  error: string;
  error_detail: Reason;
  response: string;
  next_attempt_at: string;
  dead_letter_id: number;
  raw: string;
  url: string;
  attempts: WholeDeliveredUpdateAttempt[];
}

export interface WholeDeliveredUpdateAttempt {
  id: number;
  bot_id: number;
  app: string;
  position: number;
  update_id: number;
  queue: string;
  started_at: string;
  duration_ms: number;
  status: number;
  delivered: boolean;
  error: string;
  error_detail: Reason;
  answer: string;
  replay: boolean;
  headers: WholeDeliveredUpdateAttemptHeader[];
  curl: string;
}

export interface WholeDeliveredUpdateAttemptHeader {
  name: string;
  value: string;
}

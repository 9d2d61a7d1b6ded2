import { type Caller, hasScope } from '../../core/access/access.ts';
import { type AppMode, type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { maskAddress, maskSecret } from '../../core/bots/bot-token.ts';
import { isoTime } from '../../core/iso-time.ts';
import { readerOf } from '../../core/log/reader-kinds.ts';
import { kindsOnRequest, updateKinds } from '../../core/log/update-kinds.ts';
import { type Reason, reasonText } from '../../core/reasons/reason.ts';
import type { AppActivity } from '../../store/apps/app-activity.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { StoredWebhook } from '../../store/delivery/webhooks.ts';
import type { ListedReader } from '../../store/log/readers.ts';
import type { Unread } from '../../store/apps/unread.ts';

/** The current state of a bot's apps. */
export interface AppStates {
  readers: readonly ListedReader[];
  webhooks: ReadonlyMap<string, StoredWebhook>;
  activity: ReadonlyMap<number, AppActivity>;
  unread: ReadonlyMap<string, Unread>;
}

/** The app in the API's form. */
export type AppView = ReturnType<typeof viewApp> & { warnings?: AppWarning[] };

/** The form right after its token was created. */
export type AppViewWithToken = AppView & { token: string };

export interface AppWarning {
  code: string;
  params: object;
  text: string;
}

/** Secrets are shown only to callers who could change them. */
export function viewApp(caller: Caller, app: AppRecord, states: AppStates) {
  const trusted = hasScope(caller, 'manage');
  const name = readerOfApp(app);
  const reader = states.readers.find((one) => one.name === name);
  const unread = states.unread.get(name ?? '');
  const activity = states.activity.get(app.id);
  return {
    id: app.id,
    bot_id: app.bot_id,
    name: app.name,
    has_token: app.hasToken,
    mode: app.mode,
    backend_url: trusted ? app.backend_url : maskAddress(app.backend_url),
    secret_token: trusted ? app.secret_token : maskSecret(app.secret_token),
    ...optionsOf(name === undefined ? undefined : states.webhooks.get(name)),
    filter: app.filter,
    exclusive: app.exclusive,
    priority: app.priority,
    own_replies: app.own_replies,
    keep_pending: app.keep_pending,
    urgent: [...app.urgent],
    per_topic: app.per_topic,
    pacing: app.pacing,
    patience: app.patience,
    format: app.format,
    methods: [...app.methods],
    disabled: app.disabled,
    created_at: isoTime(app.created_at),
    last_seen_at: isoTime(activity?.last_seen_at ?? 0),
    behind: (reader?.inRetry ?? 0) + (unread?.count ?? 0),
    claimed: unread?.claimed ?? 0,
    position: reader?.position ?? 0,
    dropped: reader?.dropped ?? 0,
    sent: activity?.sent ?? 0,
    rate_limited: activity?.rate_limited ?? 0,
    last_rate_limited_at: isoTime(activity?.rate_limited_at ?? 0),
    last_retry_after: activity?.retry_after ?? 0,
  };
}

/** The app `default` with the settings of its bot. */
export function withBotSettings(app: AppRecord, bot: BotRecord): AppRecord {
  if (app.name !== defaultApp) return app;
  const { backend_url, keep_pending, pacing, patience, per_topic, secret_token, urgent } = bot;
  const shared = { backend_url, keep_pending, pacing, patience, per_topic, secret_token, urgent };
  return { ...app, mode: modeOf(bot), ...shared };
}

function modeOf(bot: BotRecord): AppMode {
  if (bot.proxy_enabled && bot.backend_url !== '') return 'webhook';
  return bot.long_poll_enabled ? 'poll' : 'send';
}

/** The reader whose cursor is that of the app; undefined if the app receives nothing. */
export function readerOfApp({ name, mode }: Pick<AppRecord, 'name' | 'mode'>): string | undefined {
  if (mode === 'send') return undefined;
  return readerOf(mode === 'webhook' ? 'push' : 'pull', name === defaultApp ? '' : name);
}

/** Returns the options of its webhook, with its list of kinds unless it receives all of them. */
export function optionsOf(webhook: StoredWebhook | undefined) {
  const kinds: readonly string[] = webhook
    ? (webhook.allowedUpdates ?? updateKinds.filter((kind) => !kindsOnRequest.has(kind)))
    : updateKinds;
  const hasAll = updateKinds.every((kind) => kinds.includes(kind));
  return {
    max_connections: webhook?.maxConnections ?? 0,
    allowed_updates: hasAll ? [] : [...kinds],
  };
}

export function warningOf(why: Reason): AppWarning {
  return { ...why, text: reasonText(why) };
}

/* Collects everything that is wrong at the moment, for alerts. */
import type { Clock } from '../../clock.ts';
import { localCaller, type Caller } from '../../core/access/access.ts';
import { maskAddressesIn } from '../../core/bots/bot-token.ts';
import { publicName, pushReader, readerApp } from '../../core/log/reader-kinds.ts';
import { defaultApp } from '../../core/apps/app.ts';
import {
  type Alert,
  type AlertParams,
  type Condition,
  subjectOf,
} from '../../core/alerts/alerts.ts';
import { type Reason, reasonText } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { rateLimitedSpellMs } from '../../store/apps/app-activity.ts';
import { type AlertThresholds, undecidedForMs } from '../../store/alerts/alert-conditions.ts';
import type { Store } from '../../store/store.ts';

export interface ConditionDeps {
  clock: Clock;
  store: Pick<Store, 'bots' | 'alertConditions' | 'alertChannels'>;
  thresholds: AlertThresholds;
  attention(caller: Caller): Promise<Alert[]>;
  /** The nodes whose heartbeat stopped. */
  deadNodes(): readonly string[];
  /** Undefined if the file system does not tell. */
  disk(): Promise<{ freeBytes: number; totalBytes: number } | undefined>;
  /** True if the monthly limit of the language model is reached. */
  isBudgetUsed(): Promise<boolean>;
  /** Certificates of backends: the bots that use them, and the days until they end. */
  certificates(): Promise<{ botId: number; host: string; days: number }[]>;
  /** Undefined if backups are recent, or if none are configured. */
  oldBackup(): { days?: number; why?: string } | undefined;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const leastFailedSends = 5;
/** This many refusals of an app, without a pause of minutes, raise an alert. */
const leastRefusals = 5;
const scarceBytes = 1_000_000_000;
const scarceShare = 0.05;
/** A node that has been gone for this long is forgotten. */
const nodeLostForMs = 24 * hourMs;
/** These kinds already name the cause of a reader being behind. */
const behindKinds = new Set([
  'backend_down',
  'backlog',
  'chats_in_retry',
  'polling_stopped',
  'reader_failing',
]);

export function createConditions(deps: ConditionDeps): () => Promise<Condition[]> {
  const { alertConditions, alertChannels, bots } = deps.store;

  return async () => {
    const now = deps.clock.now();
    const { appNotSeenMs, readerLag } = deps.thresholds;
    const [
      records,
      attention,
      routes,
      notSeen,
      limited,
      undecided,
      slow,
      failed,
      lost,
      disk,
      isUsed,
      certificates,
      channels,
    ] = await Promise.all([
      bots.list(null),
      deps.attention(localCaller),
      alertConditions.routesToDisabled(),
      appNotSeenMs === 0 ? [] : alertConditions.appsNotSeen(now - appNotSeenMs),
      alertConditions.rateLimitedApps(now - rateLimitedSpellMs, leastRefusals),
      alertConditions.undecidedPatterns(now - undecidedForMs),
      readerLag === 0 ? [] : alertConditions.slowReaders(readerLag),
      alertConditions.failedSends(now - hourMs, leastFailedSends),
      alertConditions.nodesSeen(deps.deadNodes(), now - nodeLostForMs),
      deps.disk(),
      deps.isBudgetUsed(),
      deps.certificates(),
      alertChannels.list(),
    ]);
    const names = new Map(
      records.map(({ id, name, username }) => [id, name || username || `Bot ${id}`]),
    );
    const minutes = Math.round(appNotSeenMs / minuteMs);
    const covered = new Set(
      attention
        .filter(({ kind }) => behindKinds.has(kind))
        .map(({ botId, reader = pushReader }) => `${botId} ${reader}`),
    );
    const about = (botId: number, params: AlertParams): AlertParams => {
      const bot = names.get(botId);
      return bot === undefined ? params : { bot, ...params };
    };
    const found: Condition[] = [
      ...attention.map((alert) => ({
        kind: alert.kind,
        botId: alert.botId,
        subject: subjectOf(alert),
        params: about(alert.botId, paramsOf(alert)),
        ...(alert.since === 0 ? {} : { since: alert.since }),
      })),
      // Channels that hear of the disabled bot itself leave this alert out.
      ...routes.map(({ botId, routeId, targetBotId }) => ({
        kind: 'route_to_disabled' as const,
        botId,
        subject: String(routeId),
        params: about(botId, { route_id: routeId, target_bot_id: targetBotId }),
      })),
      ...notSeen.map(({ botId, app }) => ({
        kind: 'app_not_seen' as const,
        botId,
        subject: app,
        params: about(botId, { app, minutes }),
      })),
      ...limited.map(({ botId, app, chatId }) => ({
        kind: 'app_rate_limited' as const,
        botId,
        subject: app,
        params: about(botId, { app, ...(chatId === 0 ? {} : { chat_id: chatId }) }),
      })),
      ...undecided.map(({ botId, app, routeId }) => ({
        kind: 'pattern_undecided' as const,
        botId,
        // Names of apps contain no space, so the subjects cannot collide.
        subject: app ?? `route ${routeId}`,
        params: about(botId, app === null ? { route_id: routeId } : { app }),
      })),
      ...slow
        .filter(({ botId, reader }) => !covered.has(`${botId} ${publicName(reader)}`))
        .map(({ botId, reader, count }) => ({
          kind: 'reader_lag' as const,
          botId,
          subject: publicName(reader),
          params: about(botId, { reader: publicName(reader), count, ...appOf(reader) }),
        })),
      ...failed.map(({ botId, count }) => ({
        kind: 'failed_sends' as const,
        botId,
        subject: '',
        params: about(botId, { count }),
      })),
      ...certificates.map(({ botId, host, days }) => ({
        kind: 'certificate_expiring' as const,
        botId,
        subject: host,
        params: about(botId, { host, days }),
      })),
      ...lost.map((node) => ({
        kind: 'node_lost' as const,
        botId: 0,
        subject: node,
        params: { node },
      })),
      ...channels
        .filter(({ disabled, error }) => !disabled && error !== '')
        .map(({ id, error, url }) => {
          const { detail, text } = unpackReason(error);
          const host = hostOf(url);
          return {
            kind: 'channel_failing' as const,
            botId: 0,
            subject: String(id),
            params: { channel_id: id, ...named(host), why: whyOf(detail, text, host) },
          };
        }),
    ];
    const ofService = { botId: 0, subject: '' };
    if (disk && (disk.freeBytes < scarceBytes || disk.freeBytes < disk.totalBytes * scarceShare)) {
      // Rounded, because the exact value would change with every write.
      const params = { free_bytes: rounded(disk.freeBytes), total_bytes: rounded(disk.totalBytes) };
      found.push({ kind: 'disk_low', ...ofService, params });
    }
    if (isUsed) found.push({ kind: 'model_budget', ...ofService, params: {} });
    const backup = deps.oldBackup();
    if (backup) found.push({ kind: 'backup_old', ...ofService, params: backup });
    return found;
  };
}

const rounded = (bytes: number) => Math.round(bytes / 1e8) * 1e8;

function appOf(reader: string): { app?: string } {
  const app = readerApp(reader);
  return app === '' || app === defaultApp ? {} : { app };
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? '';
const named = (host: string): { host?: string } => (host === '' ? {} : { host });

/** Leaves out the address if the alert names the host. */
function whyOf(detail: Reason | null | undefined, text: string, host: string): string {
  const isShort = detail && host !== '' && 'address' in detail.params;
  return maskAddressesIn(
    isShort ? reasonText({ ...detail, params: { ...detail.params, address: '' } } as Reason) : text,
  );
}

/** Masks addresses, because alerts leave the service. */
function paramsOf(alert: Alert): AlertParams {
  const { app, count, kind, reader, reason, routeId, targetBotId, text } = alert;
  const isBackend = kind === 'backend_down' || kind === 'chats_in_retry';
  const host = isBackend ? hostOf(text) : '';
  const why = isBackend ? whyOf(alert.reasonDetail, reason ?? '', host) : maskAddressesIn(text);
  return {
    ...(count === 0 ? {} : { count }),
    ...(app === undefined ? {} : { app }),
    ...(reader === undefined ? {} : { reader }),
    ...named(host),
    ...(why === '' ? {} : { why }),
    ...(routeId === undefined ? {} : { route_id: routeId }),
    ...(targetBotId === undefined ? {} : { target_bot_id: targetBotId }),
  };
}

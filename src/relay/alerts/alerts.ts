/*
 * Lists what a person should look at, the most urgent first. Each thing is named once, by its
 * cause: a backlog behind a backend that is down is not a second alert, nor is a route to or from a
 * disabled bot.
 */
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { defaultApp } from '../../core/apps/app.ts';
import { isShortSecret } from '../../core/bots/bot-token.ts';
import {
  publicName,
  pushReader,
  readerApp,
  readerKind,
  readerKinds,
  readerName,
} from '../../core/log/reader-kinds.ts';
import { type Alert, attentionKinds, conditionKey, subjectOf } from '../../core/alerts/alerts.ts';
import type { BotStatus } from '../../core/ports.ts';
import { answeredCodes } from '../../core/reasons/reason.ts';
import type { LiveMetricsReader } from '../../core/stats/live-metrics.ts';
import type { BotRuntimeRecord, BotRuntimeRepository } from '../../store/cluster/bot-runtime.ts';
import type { BotRecord, BotRepository } from '../../store/bots/bots.ts';
import type { AlertLogRepository } from '../../store/alerts/alert-log.ts';
import type { AlertFacts, AlertRepository, SlowReader } from '../../store/alerts/alerts.ts';
import type { AppRepository } from '../../store/apps/apps.ts';
import type { Unread } from '../../store/apps/unread.ts';
import type { DeliveryStatus, UnreadByBot } from '../delivery/delivery-status.ts';
import { isConflict } from '../intake/intake-faults.ts';

interface AlertDeps {
  clock: Clock;
  bots: Pick<BotRepository, 'list'>;
  runtime: Pick<BotRuntimeRepository, 'get'>;
  statusOf(botIds: readonly number[]): Promise<ReadonlyMap<number, BotStatus>>;
  apps: Pick<AppRepository, 'byName'>;
  /** Reports the status of the backends to which push readers of that name deliver. */
  deliveries(
    botIds: readonly number[],
    reader: string,
    unreadByBot?: UnreadByBot,
  ): Promise<ReadonlyMap<number, DeliveryStatus>>;
  repository: AlertRepository;
  log: Pick<AlertLogRepository, 'openedAt'>;
  /** Counts the updates that wait for the readers of a bot's apps, by reader. */
  unread(botId: number): Promise<ReadonlyMap<string, Unread>>;
  liveMetrics: Pick<LiveMetricsReader, 'buckets'>;
}

const minuteMs = 60_000;
/** Sends and losses within this time count. */
const recentMs = 24 * 60 * minuteMs;
/** A healthy backend takes an update within seconds. */
const backlogOldMs = minuteMs;
const backlogGrowth = 100;
const growthSeconds = 2 * 60;
/** A client that polls may pause for a while; after this time it counts as gone. */
const readerGoneMs = 10 * minuteMs;

/** The names of readers that deliver for apps begin with this. */
const namedPush = `${pushReader}:`;

export function createAlerts(deps: AlertDeps) {
  return async (caller: Caller): Promise<Alert[]> => {
    const nowMs = deps.clock.now();
    const bots = await deps.bots.list(caller.botIds);
    const botIds = bots.map(({ id }) => id);
    const [states, statuses, facts, openedAt] = await Promise.all([
      deps.runtime.get(botIds),
      deps.statusOf(botIds),
      deps.repository.all(nowMs - recentMs),
      deps.log.openedAt(),
    ]);
    const stateOf = new Map(states.map((state) => [state.botId, state]));
    const here = new Map(bots.map((bot) => [bot.id, bot]));
    const stillRoutes = facts.stillRoutes.filter(({ botId }) => here.has(botId));
    const routesOf = countByBot(stillRoutes);
    const slowOf = Map.groupBy(facts.slowReaders, ({ botId }) => botId);
    const waitingOf = Map.groupBy(facts.waitingChats, ({ botId }) => botId);
    const deadOf = Map.groupBy(facts.deadLetters, ({ botId }) => botId);
    const alerts = [
      ...bots.flatMap((bot) =>
        ofIntake(bot, stateOf.get(bot.id), statuses.get(bot.id), routesOf.get(bot.id) ?? 0),
      ),
      ...bots.flatMap((bot) =>
        bot.proxy_enabled ? ofBackend(bot, statuses.get(bot.id), { reader: pushReader }) : [],
      ),
      ...(await ofApps(here)),
      ...ofCounts(facts),
      ...ofRoutes(stillRoutes, here),
      ...ofFailingRoutes(facts),
      ...bots.flatMap((bot) => ofFailingReaders(bot, slowOf.get(bot.id) ?? [])),
      ...(await Promise.all(bots.map(ofReaders))).flat(),
      ...bots.flatMap(ofSecret),
    ];
    return alerts
      .filter(({ botId }) => here.has(botId))
      .map((alert) => ({ ...alert, since: beganAt(alert) }))
      .toSorted(
        (left, right) =>
          attentionKinds.indexOf(left.kind) - attentionKinds.indexOf(right.kind) ||
          right.count - left.count ||
          left.botId - right.botId,
      );

    /**
     * The time shown by a condition may change while it lasts, such as that of the oldest waiting
     * update, so the stored start wins.
     */
    function beganAt(alert: Alert): number {
      return openedAt.get(conditionKey({ ...alert, subject: subjectOf(alert) })) ?? alert.since;
    }

    function ofBackend(
      bot: Pick<BotRecord, 'id' | 'backend_url' | 'disabled'>,
      status: DeliveryStatus | undefined,
      { reader, ...named }: { reader: string; app?: string },
    ): Alert[] {
      if (bot.disabled || !status) return [];
      const isHere = (one: { reader: string }) => one.reader === reader;
      const waiting = waitingOf.get(bot.id)?.find(isHere);
      const push = slowOf.get(bot.id)?.find(isHere);
      const count = status.pendingUpdates;
      const whose = { botId: bot.id, ...(named.app ? { ...named, reader } : {}) };
      const about = {
        ...whose,
        text: bot.backend_url,
        reason: status.backendError,
        ...(status.backendErrorDetail ? { reasonDetail: status.backendErrorDetail } : {}),
        seenAt: status.backendSeenAt,
      };
      // Refused updates that became dead letters have their own alert.
      const isRefused = answeredCodes.has(status.backendErrorDetail?.code ?? '');
      const isNamed = isRefused && deadOf.get(bot.id)?.some(isHere);
      // While nothing waits, the stored error may come from a check, and no delivery succeeded
      // since.
      const isUnreached = waiting
        ? waiting.backend === 'silent'
        : status.backendError !== '' && !isNamed;
      if (status.backendStatus === 'paused' || isUnreached) {
        const times = [waiting?.since ?? 0, push?.since ?? 0].filter((time) => time > 0);
        const since = times.length === 0 ? 0 : Math.min(...times);
        return [{ kind: 'backend_down', count, since, ...about }];
      }
      const alerts: Alert[] = [];
      // A check reached the backend, and the waiting updates are about to be tried again.
      if (waiting && waiting.backend !== 'checked') {
        alerts.push({
          kind: 'chats_in_retry',
          count: waiting.count,
          since: waiting.since,
          ...about,
        });
      }
      const isOld = push !== undefined && push.since > 0 && nowMs - push.since > backlogOldMs;
      // The growth of a backlog is known only for all backends of a bot together.
      const hasGrown = count > backlogGrowth && !named.app && grewBy(bot.id) > backlogGrowth;
      if (push && (isOld || hasGrown)) {
        alerts.push({ kind: 'backlog', ...whose, count, since: push.since, text: '' });
      }
      return alerts;
    }

    /** Checks only apps with a backend that fails or is slow. */
    async function ofApps(shown: ReadonlyMap<number, BotRecord>): Promise<Alert[]> {
      const suspects = [
        ...facts.waitingChats,
        ...facts.slowReaders.filter(
          ({ isOn, isPaused, since }) => isOn && (isPaused || nowMs - since > backlogOldMs),
        ),
      ].filter(({ botId, reader }) => reader.startsWith(namedPush) && shown.has(botId));
      const byReader = Map.groupBy(suspects, ({ reader }) => reader);
      const unreadByBot: UnreadByBot = new Map();
      const alerts = await Promise.all(
        [...byReader].map(async ([reader, ofReader]) => {
          const suspected = [...new Set(ofReader.map(({ botId }) => botId))];
          const known = await deps.deliveries(suspected, reader, unreadByBot);
          const app = readerName(reader);
          const each = suspected.map(async (botId) => {
            const record = await deps.apps.byName(botId, app);
            const bot = shown.get(botId);
            if (!record || !bot || record.disabled || record.mode !== 'webhook') return [];
            const { backend_url } = record;
            return ofBackend({ ...bot, backend_url }, known.get(botId), { reader, app });
          });
          return (await Promise.all(each)).flat();
        }),
      );
      return alerts.flat();
    }

    /**
     * Checks apps that read by getUpdates. An app that never called is not missed; a reader from
     * before polling was turned off does not count.
     */
    async function ofReaders(bot: BotRecord): Promise<Alert[]> {
      const gone = (slowOf.get(bot.id) ?? []).filter(
        ({ isOn, isUsed, movedAt, seenAt, reader, since }) =>
          isOn &&
          isUsed &&
          readerKinds[readerKind(reader)].byClients &&
          nowMs - Math.max(movedAt, seenAt, since) > readerGoneMs,
      );
      if (bot.disabled || gone.length === 0) return [];
      const unread = await deps.unread(bot.id);
      return gone
        .map(({ reader, since }) => ({
          kind: 'polling_stopped' as const,
          botId: bot.id,
          count: unread.get(reader)?.count ?? 0,
          since,
          text: '',
          ...named(reader),
          reader: publicName(reader),
        }))
        .filter(({ count }) => count > 0);
    }

    function grewBy(botId: number): number {
      const recent = deps.liveMetrics.buckets([botId], Math.floor(nowMs / 1_000) - growthSeconds);
      return (recent.at(-1)?.backlog ?? 0) - (recent[0]?.backlog ?? 0);
    }
  };
}

/** Names the app of a reader, unless it is the default one. */
function named(reader: string): { app?: string } {
  const app = readerApp(reader);
  return app === '' || app === defaultApp ? {} : { app };
}

function ofIntake(
  bot: BotRecord,
  state: BotRuntimeRecord | undefined,
  status: BotStatus | undefined,
  routes: number,
): Alert[] {
  const about = { botId: bot.id, count: 0, text: '' };
  if (bot.disabled) {
    return [{ ...about, kind: 'bot_disabled', count: routes, since: bot.updated_at }];
  }
  if (!status || status.lastError === '') return [];
  const { lastError: text, lastErrorDetail: detail } = status;
  const kind =
    state?.state === 'refused'
      ? 'bot_refused'
      : isConflict(detail)
        ? 'bot_conflict'
        : 'bot_trouble';
  return [{ ...about, kind, text, ...(detail ? { detail } : {}), since: state?.lastErrorAt ?? 0 }];
}

/** Counts, for each bot, the routes that start or end at it. */
function countByBot(routes: AlertFacts['stillRoutes']): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { botId, targetBotId } of routes) {
    for (const id of new Set([botId, targetBotId])) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function ofCounts(facts: AlertFacts): Alert[] {
  return [
    ...facts.deadLetters.map(({ reader, ...one }) => ({
      kind: 'dead_letters' as const,
      ...one,
      text: '',
      ...(reader === pushReader ? {} : { ...named(reader), reader }),
    })),
    ...facts.unknownSends.map((one) => ({ kind: 'unknown_sends' as const, ...one, text: '' })),
    ...facts.dropped.map(({ reader, ...one }) => ({
      kind: 'updates_dropped' as const,
      ...one,
      text: '',
      ...named(reader),
      reader: publicName(reader),
    })),
    ...facts.movedWebhooks.map(({ botId }) => ({
      kind: 'webhook_moved' as const,
      botId,
      count: 0,
      since: 0,
      text: '',
    })),
  ];
}

/**
 * Lists routes from a running bot to one that is not shown; the alert of a shown bot counts its
 * routes.
 */
function ofRoutes(
  stillRoutes: AlertFacts['stillRoutes'],
  shown: ReadonlyMap<number, BotRecord>,
): Alert[] {
  return stillRoutes
    .filter(({ botId, targetBotId }) => !shown.get(botId)?.disabled && !shown.has(targetBotId))
    .map((one) => ({ kind: 'route_to_disabled', count: 0, since: 0, text: '', ...one }));
}

/** Leaves out routes with a disabled bot, which is then the cause. */
function ofFailingRoutes({ failingRoutes, stillRoutes }: AlertFacts): Alert[] {
  const still = new Set(stillRoutes.map(({ routeId }) => routeId));
  return failingRoutes
    .filter(({ routeId }) => !still.has(routeId))
    .map((route) => ({ kind: 'route_failing', ...route }));
}

/** A client that guesses the secret can call /hooks/backend. */
function ofSecret({ disabled, id, secret_token }: BotRecord): Alert[] {
  if (disabled || !isShortSecret(secret_token)) return [];
  return [{ kind: 'weak_secret', botId: id, count: 0, since: 0, text: '' }];
}

/** Lists readers that fail for a cause outside the service. */
function ofFailingReaders(bot: BotRecord, slowReaders: readonly SlowReader[]): Alert[] {
  if (bot.disabled) return [];
  return slowReaders
    .filter(({ failure }) => failure !== '')
    .map(({ botId, count, failure, reader, since }) => ({
      kind: 'reader_failing',
      botId,
      count,
      since,
      text: failure,
      reader: publicName(reader),
    }));
}

import type { readerAlertKinds } from '../../../core/alerts/kinds/readers.ts';
import { publicName, readerKind, readerKinds } from '../../../core/log/reader-kinds.ts';
import { rateLimitedSpellMs } from '../../../store/apps/app-activity.ts';
import { undecidedForMs } from '../../../store/alerts/alert-conditions.ts';
import { appOf, type Finder, type Found, oldestOf } from './view.ts';

const minuteMs = 60_000;
/** A client that polls may pause for a while; after this time it counts as gone. */
const readerGoneMs = 10 * minuteMs;
/** This many refusals of an app, without a pause of minutes, raise an alert. */
const leastRefusals = 5;

/**
 * Finds apps that stopped reading by getUpdates. An app that never called is not missed; a reader
 * from before polling was turned off does not count.
 */
const polling: Finder = async ({ botOf, nowMs, slowReaders }, { store }) => {
  const gone = slowReaders.filter(
    ({ botId, isOn, isUsed, movedAt, seenAt, reader, since }) =>
      isOn &&
      isUsed &&
      botOf.get(botId)?.disabled === false &&
      readerKinds[readerKind(reader)].byClients &&
      nowMs - Math.max(movedAt, seenAt, since) > readerGoneMs,
  );
  const ofBots = [...Map.groupBy(gone, ({ botId }) => botId)].map(async ([botId, readers]) => {
    const unread = await store.unread.of(botId);
    return readers.flatMap((one): Found[] => {
      const { reader, since } = one;
      const count = unread.get(reader)?.count ?? 0;
      const params = { count, ...appOf(reader), reader: publicName(reader) };
      const found = { kind: 'polling_stopped', botId, params, since, ...oldestOf(one) } as const;
      return count > 0 ? [found] : [];
    });
  });
  return (await Promise.all(ofBots)).flat();
};

export const readerFinders = {
  polling_stopped: polling,
  // The cause is outside the service.
  reader_failing: ({ botOf, slowReaders }) =>
    slowReaders
      .filter(({ botId, failure }) => failure !== '' && botOf.get(botId)?.disabled === false)
      .map((one) => ({
        kind: 'reader_failing',
        botId: one.botId,
        params: { count: one.count, reader: publicName(one.reader) },
        since: one.since,
        evidence: { text: one.failure },
        ...oldestOf(one),
      })),
  updates_dropped: ({ dropped }) =>
    dropped.map(({ botId, count, reader, since }) => ({
      kind: 'updates_dropped',
      botId,
      params: { count, ...appOf(reader), reader: publicName(reader) },
      since,
    })),
  async reader_lag(_view, { store, thresholds: { readerLag } }) {
    if (readerLag === 0) return [];
    const slow = await store.alertConditions.slowReaders(readerLag);
    return slow.map(({ botId, count, oldest, reader }) => ({
      kind: 'reader_lag',
      botId,
      params: { reader: publicName(reader), count, ...appOf(reader) },
      cause: { reader, position: oldest },
    }));
  },
  async app_not_seen({ nowMs }, { store, thresholds: { appNotSeenMs } }) {
    if (appNotSeenMs === 0) return [];
    const minutes = Math.round(appNotSeenMs / minuteMs);
    const apps = await store.alertConditions.appsNotSeen(nowMs - appNotSeenMs);
    return apps.map(({ botId, app }) => ({
      kind: 'app_not_seen',
      botId,
      params: { app, minutes },
    }));
  },
  async app_rate_limited({ nowMs }, { store }) {
    const since = nowMs - rateLimitedSpellMs;
    const limited = await store.alertConditions.rateLimitedApps(since, leastRefusals);
    return limited.map(({ botId, app, chatId }) => ({
      kind: 'app_rate_limited',
      botId,
      params: { app, ...(chatId === 0 ? {} : { chat_id: chatId }) },
    }));
  },
  async pattern_undecided({ nowMs }, { store }) {
    const undecided = await store.alertConditions.undecidedPatterns(nowMs - undecidedForMs);
    return undecided.map(({ botId, app, routeId }) => ({
      kind: 'pattern_undecided',
      botId,
      params: app === null ? { route_id: routeId } : { app },
      // Names of apps contain no space, so the subjects cannot collide.
      ...(app === null ? { subject: `route ${routeId}` } : {}),
    }));
  },
} satisfies Record<keyof typeof readerAlertKinds, Finder>;

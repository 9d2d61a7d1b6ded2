import type { backendKinds } from '../../../core/alerts/kinds/backends.ts';
import { pushReader, readerName } from '../../../core/log/reader-kinds.ts';
import { answeredCodes } from '../../../core/reasons/reason.ts';
import type { BotRecord } from '../../../store/bots/bots.ts';
import type { DeliveryStatus, UnreadByBot } from '../../delivery/delivery-status.ts';
import { appOf, type Finder, type FinderDeps, type Found, oldestOf, type View } from './view.ts';

/** A healthy backend takes an update within seconds. */
const backlogOldMs = 60_000;
const backlogGrowth = 100;
const growthSeconds = 2 * 60;
/** The names of readers that deliver for apps begin with this. */
const namedPush = `${pushReader}:`;

interface Backend {
  bot: Pick<BotRecord, 'id' | 'backend_url' | 'disabled'>;
  reader: string;
  app?: string;
}

const backends: Finder = async (view, deps) => [
  ...view.bots.flatMap((bot) =>
    bot.proxy_enabled
      ? ofBackend(view, deps, { bot, reader: pushReader }, view.statusOf.get(bot.id))
      : [],
  ),
  ...(await ofApps(view, deps)),
];

/** Finds what is wrong with one backend: it is down, refuses some chats, or is slow. */
function ofBackend(
  view: View,
  { liveMetrics }: Pick<FinderDeps, 'liveMetrics'>,
  { bot, reader, app }: Backend,
  status: DeliveryStatus | undefined,
): Found[] {
  if (bot.disabled || !status) return [];
  const isHere = (one: { reader: string }) => one.reader === reader;
  const waiting = view.waitingOf.get(bot.id)?.find(isHere);
  const push = view.slowOf.get(bot.id)?.find(isHere);
  const count = status.pendingUpdates;
  const whose = app === undefined ? {} : { app, reader };
  // Refused updates that became dead letters have their own alert.
  const isRefused = answeredCodes.has(status.backendErrorDetail?.code ?? '');
  const isNamed = isRefused && view.deadOf.get(bot.id)?.some(isHere);
  const about = (of: number) => ({
    botId: bot.id,
    params: { count: of, ...whose, ...(isRefused ? { rejects: true as const } : {}) },
    evidence: {
      text: bot.backend_url,
      reason: status.backendError,
      ...(status.backendErrorDetail ? { reasonDetail: status.backendErrorDetail } : {}),
      seenAt: status.backendSeenAt,
    },
  });
  // While nothing waits, the stored error may come from a check, and no delivery succeeded since.
  const isUnreached = waiting
    ? waiting.backend === 'silent'
    : status.backendError !== '' && !isNamed;
  if (status.backendStatus === 'paused' || isUnreached) {
    const times = [waiting?.since ?? 0, push?.since ?? 0].filter((time) => time > 0);
    const since = times.length === 0 ? 0 : Math.min(...times);
    return [{ kind: 'backend_down', since, ...about(count), ...oldestOf(waiting, push) }];
  }
  const found: Found[] = [];
  // A check reached the backend, and the waiting updates are about to be tried again.
  if (waiting && waiting.backend !== 'checked') {
    const { count: chats, since } = waiting;
    found.push({ kind: 'chats_in_retry', since, ...about(chats), ...oldestOf(waiting) });
  }
  const isOld = push !== undefined && push.since > 0 && view.nowMs - push.since > backlogOldMs;
  // The growth of a backlog is known only for all backends of a bot together.
  const hasGrown = count > backlogGrowth && app === undefined && grewBy() > backlogGrowth;
  if (push && (isOld || hasGrown)) {
    const params = { count, ...whose };
    found.push({ kind: 'backlog', botId: bot.id, params, since: push.since, ...oldestOf(push) });
  }
  return found;

  function grewBy(): number {
    const from = Math.floor(view.nowMs / 1_000) - growthSeconds;
    const recent = liveMetrics.buckets([bot.id], from);
    return (recent.at(-1)?.backlog ?? 0) - (recent[0]?.backlog ?? 0);
  }
}

/** Checks only apps with a backend that fails or is slow. */
async function ofApps(view: View, deps: FinderDeps): Promise<Found[]> {
  const suspects = [
    ...view.waitingChats,
    ...view.slowReaders.filter(
      ({ isOn, isPaused, since }) => isOn && (isPaused || view.nowMs - since > backlogOldMs),
    ),
  ].filter(({ botId, reader }) => reader.startsWith(namedPush) && view.botOf.has(botId));
  const unreadByBot: UnreadByBot = new Map();
  const found = await Promise.all(
    [...Map.groupBy(suspects, ({ reader }) => reader)].map(async ([reader, ofReader]) => {
      const suspected = [...new Set(ofReader.map(({ botId }) => botId))];
      const statuses = await deps.deliveries(suspected, reader, unreadByBot);
      const app = readerName(reader);
      const each = suspected.map(async (botId) => {
        const record = await deps.store.apps.byName(botId, app);
        const bot = view.botOf.get(botId);
        if (!record || !bot || record.disabled || record.mode !== 'webhook') return [];
        const named = { ...bot, backend_url: record.backend_url };
        return ofBackend(view, deps, { bot: named, reader, app }, statuses.get(botId));
      });
      return (await Promise.all(each)).flat();
    }),
  );
  return found.flat();
}

export const backendFinders = {
  backend_down: backends,
  chats_in_retry: backends,
  backlog: backends,
  dead_letters: ({ deadLetters }) =>
    deadLetters.map(({ botId, count, oldest: position, reader, since }) => ({
      kind: 'dead_letters',
      botId,
      params: { count, ...(reader === pushReader ? {} : { ...appOf(reader), reader }) },
      since,
      cause: { reader, position },
    })),
  certificate_expiring: async (_view, deps) =>
    (await deps.certificates()).map(({ botId, ...params }) => ({
      kind: 'certificate_expiring',
      botId,
      params,
    })),
} satisfies Record<keyof typeof backendKinds, Finder>;

import { unpackReason } from '../../core/reasons/stored.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import type { BotStatus } from '../../core/ports.ts';
import type { RetryQueueRepository } from '../../store/delivery/retry-queues.ts';
import type {
  DeliveryFailure,
  PushOverviewRepository,
  PushCursor,
} from '../../store/delivery/push-overview.ts';
import { readReaderState, waitingForPush } from '../../core/log/push-progress.ts';
import type { Unread } from '../../store/apps/unread.ts';

type BackendState = Pick<
  BotStatus,
  'backendStatus' | 'backendError' | 'backendErrorDetail' | 'backendSeenAt'
>;
/** Caches, by bot, what its readers have yet to read, so that all of its apps share one query. */
export type UnreadByBot = Map<number, Promise<ReadonlyMap<string, Unread>>>;
export type DeliveryStatus = BackendState & Pick<BotStatus, 'pendingUpdates'>;

/**
 * Reports on the backends to which push readers of a given name deliver, whichever node runs them.
 */
export function createDeliveryStatuses(deps: {
  overview: Pick<PushOverviewRepository, 'cursors' | 'claimed' | 'failures'>;
  retryQueues: Pick<RetryQueueRepository, 'counts'>;
  /** Counts unread updates by reader; needed for the backends of apps. */
  unread?(botId: number): Promise<ReadonlyMap<string, Unread>>;
}) {
  /**
   * Counts, by bot, what its reader has yet to deliver, without its retry queues. A reader that is
   * off has no count.
   */
  async function unreadOf(
    cursors: readonly PushCursor[],
    reader: string,
    unreadByBot: UnreadByBot,
  ): Promise<ReadonlyMap<number, number>> {
    const behind = cursors.filter(
      ({ forwards, position, lastPosition }) => forwards && position < lastPosition,
    );
    const { unread } = deps;
    if (reader !== pushReader && unread) {
      const ofApps = behind.map(async ({ botId }) => {
        const asked = unreadByBot.get(botId) ?? unread(botId);
        unreadByBot.set(botId, asked);
        return [botId, (await asked).get(reader)?.count ?? 0] as const;
      });
      return new Map(await Promise.all(ofApps));
    }
    const claimed = Map.groupBy(
      await deps.overview.claimed(
        behind.map(({ botId }) => botId),
        reader,
      ),
      ({ botId }) => botId,
    );
    return new Map(
      behind.map((cursor) => {
        const { finished } = readReaderState(cursor.state);
        // The reader and the log may have moved on since the cursor was read.
        const others = (claimed.get(cursor.botId) ?? []).filter(
          ({ position }) =>
            position > cursor.position &&
            position <= cursor.lastPosition &&
            !inRanges(finished, position),
        );
        return [cursor.botId, Math.max(0, waitingForPush(cursor, cursor, 0) - others.length)];
      }),
    );
  }

  return async (
    botIds: readonly number[],
    reader: string = pushReader,
    unreadByBot: UnreadByBot = new Map(),
  ): Promise<Map<number, DeliveryStatus>> => {
    const [cursors, counts] = await Promise.all([
      deps.overview.cursors(botIds, reader),
      deps.retryQueues.counts(botIds, reader),
    ]);
    const delivering = new Map(
      cursors.flatMap((cursor) => {
        const { paused } = readReaderState(cursor.state);
        const isFailing = paused || (counts.get(cursor.botId)?.failing ?? 0) > 0;
        if (!cursor.forwards || !isFailing) return [];
        return [[cursor.botId, paused ? 'paused' : 'failing'] as const];
      }),
    );
    const failures = new Map(
      (await deps.overview.failures([...delivering.keys()], reader)).map((one) => [one.botId, one]),
    );
    const unread = await unreadOf(cursors, reader, unreadByBot);
    return new Map(
      cursors.map((cursor) => {
        const { botId, forwards } = cursor;
        const backendStatus = delivering.get(botId);
        const state = backendStatus
          ? { backendStatus, ...lastFailure(cursor, failures.get(botId)) }
          : lastSeen(cursor);
        const waiting = forwards ? (counts.get(botId)?.waiting ?? 0) : 0;
        return [botId, { ...state, pendingUpdates: waiting + (unread.get(botId) ?? 0) }];
      }),
    );
  };
}

function lastSeen({ backendError, checkedAt, forwards }: PushCursor): BackendState {
  if (!forwards) return { backendStatus: '', ...failureOf(''), backendSeenAt: 0 };
  const backendStatus = backendError === null ? 'unknown' : backendError === '' ? 'ok' : 'failing';
  return { backendStatus, ...failureOf(backendError ?? ''), backendSeenAt: checkedAt };
}

/** Returns the later of a failed delivery and a failed check. */
function lastFailure(
  { backendError, checkedAt }: PushCursor,
  failure: DeliveryFailure | undefined,
) {
  if (backendError && (!failure?.error || checkedAt >= failure.at)) {
    return { ...failureOf(backendError), backendSeenAt: checkedAt };
  }
  return { ...failureOf(failure?.error ?? ''), backendSeenAt: failure?.at ?? 0 };
}

function failureOf(stored: string) {
  const { text, detail } = unpackReason(stored);
  return { backendError: text, backendErrorDetail: detail };
}

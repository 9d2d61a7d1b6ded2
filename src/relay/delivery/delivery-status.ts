import { unpackReason } from '../../core/reasons/stored.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import type { BotStatus } from '../../core/ports.ts';
import type { RetryQueueRepository } from '../../store/delivery/retry-queues.ts';
import type {
  DeliveryFailure,
  PushOverviewRepository,
  PushCursor,
} from '../../store/delivery/push-overview.ts';
import { readReaderState, waitingForPush } from '../../store/delivery/push-progress.ts';

type BackendState = Pick<
  BotStatus,
  'backendStatus' | 'backendError' | 'backendErrorDetail' | 'backendSeenAt'
>;
export type DeliveryStatus = BackendState & Pick<BotStatus, 'pendingUpdates'>;

/** What is known about the backends that push readers of a name deliver to, whichever node runs them. */
export function createDeliveryStatuses(deps: {
  overview: PushOverviewRepository;
  retryQueues: RetryQueueRepository;
}) {
  return async (
    botIds: readonly number[],
    reader: string = pushReader,
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
    return new Map(
      cursors.map((cursor) => {
        const { botId } = cursor;
        const backendStatus = delivering.get(botId);
        const state = backendStatus
          ? { backendStatus, ...lastFailure(cursor, failures.get(botId)) }
          : lastSeen(cursor);
        const waiting = counts.get(botId)?.waiting ?? 0;
        return [botId, { ...state, pendingUpdates: waitingForPush(cursor, cursor, waiting) }];
      }),
    );
  };
}

function lastSeen({ backendError, checkedAt, forwards }: PushCursor): BackendState {
  if (!forwards) return { backendStatus: '', ...failureOf(''), backendSeenAt: 0 };
  const backendStatus = backendError === null ? 'unknown' : backendError === '' ? 'ok' : 'failing';
  return { backendStatus, ...failureOf(backendError ?? ''), backendSeenAt: checkedAt };
}

/** The later one of a failed delivery and a failed check. */
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

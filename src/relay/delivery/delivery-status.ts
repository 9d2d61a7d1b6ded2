import { unpackReason } from '../../core/reasons/stored.ts';
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
type DeliveryStatus = BackendState & Pick<BotStatus, 'pendingUpdates'>;

/** What is known about the backends of bots, whichever node pushes them. */
export function createDeliveryStatuses(deps: {
  overview: PushOverviewRepository;
  retryQueues: RetryQueueRepository;
}) {
  return async (botIds: readonly number[]): Promise<Map<number, DeliveryStatus>> => {
    const [places, counts] = await Promise.all([
      deps.overview.places(botIds),
      deps.retryQueues.counts(botIds),
    ]);
    const delivering = new Map(
      places.flatMap((place) => {
        const { paused } = readReaderState(place.state);
        const isFailing = paused || (counts.get(place.botId)?.failing ?? 0) > 0;
        if (!place.forwards || !isFailing) return [];
        return [[place.botId, paused ? 'paused' : 'failing'] as const];
      }),
    );
    const failures = new Map(
      (await deps.overview.failures([...delivering.keys()])).map((one) => [one.botId, one]),
    );
    return new Map(
      places.map((place) => {
        const { botId } = place;
        const backendStatus = delivering.get(botId);
        const state = backendStatus
          ? { backendStatus, ...lastFailure(place, failures.get(botId)) }
          : lastSeen(place);
        const waiting = counts.get(botId)?.waiting ?? 0;
        return [botId, { ...state, pendingUpdates: waitingForPush(place, place, waiting) }];
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

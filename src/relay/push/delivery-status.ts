import type { BotStatus } from '../../core/ports.ts';
import type { ParkedQueueRepository } from '../../store/parked-queues.ts';
import type { PushOverview } from '../../store/push-overview.ts';
import { readReaderState, waitingForPush } from '../../store/push-progress.ts';

type DeliveryStatus = Pick<BotStatus, 'backendStatus' | 'backendError' | 'pendingUpdates'>;

/** What is known about the backends of bots, whichever node pushes them. */
export function createDeliveryStatuses(deps: {
  overview: PushOverview;
  parkedQueues: ParkedQueueRepository;
}) {
  return async (botIds: readonly number[]): Promise<Map<number, DeliveryStatus>> => {
    const [places, counts] = await Promise.all([
      deps.overview.places(botIds),
      deps.parkedQueues.counts(botIds),
    ]);
    return new Map(
      places.map((place) => {
        const { failing, waiting } = counts.get(place.botId) ?? { failing: 0, waiting: 0 };
        const { paused } = readReaderState(place.state);
        const { backendError } = place;
        const reached = backendError === null ? 'unknown' : backendError === '' ? 'ok' : 'failing';
        const working = paused ? 'paused' : failing > 0 ? 'failing' : reached;
        return [
          place.botId,
          {
            backendStatus: place.forwards ? working : '',
            backendError: place.forwards ? (backendError ?? '') : '',
            pendingUpdates: waitingForPush(place, place, waiting),
          },
        ];
      }),
    );
  };
}

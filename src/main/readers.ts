import { readerOf } from '../core/log/reader-kinds.ts';
import type { Background } from '../relay/async/background.ts';
import type { OutboxWorkers } from '../relay/outbox/worker.ts';
import type { Pullers, PullersDeps } from '../relay/pull/pullers.ts';
import type { Pushers } from '../relay/delivery/pushers.ts';
import type { LogReaders } from '../relay/log/log-readers.ts';
import type { UpdateLog } from '../relay/log/update-log.ts';
import type { Notifications } from '../store/cluster/notifications.ts';

interface ReadersDeps {
  notifications: Notifications;
  pullers: Pullers;
  pushers: Pushers;
  logReaders: Pick<LogReaders, 'moved'>;
  workers: Pick<OutboxWorkers, 'wake' | 'wakeAll'>;
  background: Background;
  failed(error: unknown, botId: number): void;
}

/** Publishes to the other nodes that polls wait or have moved a reader. */
export function publishPolls(
  notifications: Notifications,
): Pick<PullersDeps, 'onWaiting' | 'onMoved'> {
  return {
    onWaiting: (botId, consumer, pollId) =>
      notifications.publish('poll', { botId, consumer, pollId }),
    onMoved: (botId, consumer) =>
      notifications.publish('reader', { botId, reader: readerOf('pull', consumer) }),
  };
}

/** Makes the readers of this node react to events on other nodes. */
export function subscribeToOtherNodes(deps: ReadersDeps & { log: Pick<UpdateLog, 'wake'> }): void {
  const { notifications, log, pullers, pushers, logReaders, workers, background, failed } = deps;
  const inBackground = (botId: number, work: (botId: number) => Promise<void>) =>
    background.run(
      () => work(botId),
      (error) => failed(error, botId),
    );
  const onRemoteChange = (botId: number) => inBackground(botId, pushers.onRemoteChange);
  notifications.subscribe('appended', ({ botId, lastPosition }) => log.wake(botId, lastPosition));
  notifications.subscribe('bot', ({ botId }) => pullers.recall(botId));
  notifications.subscribe('outbox', ({ botId }) => workers.wake(botId));
  notifications.subscribe('push', ({ botId }) => onRemoteChange(botId));
  notifications.subscribe('poll', ({ botId, consumer, pollId }) =>
    pullers.onPollAnnounced(botId, consumer, pollId),
  );
  notifications.subscribe('reader', ({ botId, reader }) => {
    inBackground(botId, () => logReaders.moved(botId, reader));
  });
  // Routing checks by itself, and polls end soon.
  notifications.onGap(() => {
    pushers.botIds().forEach(onRemoteChange);
    workers.wakeAll();
  });
}

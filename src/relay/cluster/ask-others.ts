import type { Clock } from '../../clock.ts';
import type {
  NotificationPayloads,
  Notifications,
  NotificationTopic,
} from '../../store/cluster/notifications.ts';

interface Question<T extends NotificationTopic> {
  ask(): void;
  answer: T;
  /** A rejection counts as no. */
  isEnough(said: NotificationPayloads[T]): Promise<boolean>;
  /** How often to ask, once a second, as a notification may be lost. */
  times: number;
}

const everyMs = 1_000;

/** Asks the other nodes a question; false if no answer was good enough in time. */
export async function askOthers<T extends NotificationTopic>(
  { notifications, clock }: { notifications: Notifications; clock: Clock },
  { ask, answer, isEnough, times }: Question<T>,
  closing: AbortSignal,
): Promise<boolean> {
  const heard = new AbortController();
  const ended = AbortSignal.any([heard.signal, closing]);
  const unsubscribe = notifications.subscribe(answer, (said) => {
    isEnough(said).then(
      (enough) => enough && heard.abort(),
      () => {},
    );
  });
  for (let asked = 0; asked < times && !ended.aborted; asked++) {
    ask();
    await clock.sleep(everyMs, ended).catch(() => {});
  }
  unsubscribe();
  return heard.signal.aborted;
}

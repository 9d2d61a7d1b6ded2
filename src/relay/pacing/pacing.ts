import type { Clock } from '../../clock.ts';
import { pacedClassOf } from '../../core/messages/send-class.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';
import type { RelayEvents } from '../events/relay-events.ts';
import { FloodWaits } from './flood-waits.ts';
import { Pacer } from './pacer.ts';

export interface Pacing {
  pacer: Pacer;
  forget(botId: number): void;
}

export interface PacingDeps {
  clock: Clock;
  events: Pick<RelayEvents, 'on' | 'publish'>;
  metrics: Pick<RelayMetrics, 'paced' | 'floodWaited'>;
  notifications: Pick<Notifications, 'publish' | 'subscribe'>;
}

interface Send {
  botId: number;
  /** The app that sent it; '' for the relay itself. */
  app: string;
  chat: string;
  method: string;
}

/** Makes pacing follow everything that is sent: by apps with or without pacing, the relay, and other nodes. */
export function createPacing({ clock, events, metrics, notifications }: PacingDeps): Pacing {
  const floodWaits = new FloodWaits(() => clock.monotonic());

  function refused({ botId, app, chat, method }: Send, retryAfterSeconds: number): void {
    const pacedClass = pacedClassOf(method);
    if (!pacedClass || chat === '') return;
    const wait = floodWaits.refused({ botId, chat }, pacedClass, retryAfterSeconds * 1_000);
    const { leftMs, rates } = wait;
    notifications.publish('floodWait', { botId, chat, leftMs, pacedClass, rates });
    metrics.floodWaited(botId, app, wait.addedMs);
    events.publish('floodWait', botId, wait);
  }

  function accepted({ botId, app, chat, method }: Send): void {
    const pacedClass = pacedClassOf(method);
    if (!pacedClass || chat === '') return;
    floodWaits.accepted({ botId, chat }, pacedClass, { app, isPaced: false });
  }

  const pacer = new Pacer({
    clock,
    floodWaits,
    onRefused: ({ botId, app, chat, method }, retryAfterSeconds) =>
      events.publish('rateLimited', botId, { app, chat, method, retryAfterSeconds }),
    count: metrics.paced,
  });

  events.on(
    'passedThrough',
    (botId, { app, chatId, method, status, retryAfterSeconds, isPaced }) => {
      const send = { botId, app, chat: String(chatId ?? ''), method };
      if (status === 429) refused(send, retryAfterSeconds ?? 1);
      else if (!isPaced) accepted(send);
    },
  );
  events.on('accepted', (botId, { chatId, method }) =>
    accepted({ botId, app: '', chat: String(chatId || ''), method }),
  );
  events.on('rateLimited', (botId, limited) =>
    refused({ botId, ...limited }, limited.retryAfterSeconds),
  );
  notifications.subscribe('floodWait', (wait) => floodWaits.adopt(wait));

  return { pacer, forget: (botId) => floodWaits.forget(botId) };
}

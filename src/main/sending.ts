import type { Clock } from '../clock.ts';
import type { Sender } from '../core/ports.ts';
import type { LiveMetrics } from '../core/stats/live-metrics.ts';
import type { RelayMetrics } from '../core/stats/relay-metrics.ts';
import type { AppActivity } from '../relay/apps/app-activity.ts';
import type { AppSends } from '../relay/apps/app-sends.ts';
import type { Supervisor } from '../relay/cluster/supervisor.ts';
import { type ChatQueues, createChatQueues } from '../relay/outbox/chat-queues.ts';
import { createInFlight } from '../relay/outbox/in-flight.ts';
import { createSender, type OutboxDeps } from '../relay/outbox/outbox.ts';
import { createSendRateLimiter } from '../relay/outbox/rate-limiter.ts';
import { createSharedLimits } from '../relay/outbox/shared-limits.ts';
import { createOutboxWorkers, type OutboxWorkers } from '../relay/outbox/worker.ts';
import type { Notifications } from '../store/cluster/notifications.ts';
import type { Store } from '../store/store.ts';
import type { TelegramClient } from '../telegram/client.ts';
import type { SharedEventBus } from './event-bus.ts';
import type { Routing } from './routing.ts';

interface SendingDeps {
  clock: Clock;
  random: () => number;
  store: Store;
  telegram: TelegramClient;
  notifications: Notifications;
  events: SharedEventBus;
  activity: AppActivity;
  appSends: AppSends;
  routing: Pick<Routing, 'routedSends' | 'onRouted'>;
  giveUpAfterMs: number;
  nodes(): Supervisor['nodes'];
  leaseEpochOf(botId: number): number | undefined;
  failed(error: unknown, botId: number): void;
  liveMetrics: LiveMetrics;
  metrics: RelayMetrics;
}

export interface Sending {
  sender: Sender;
  chatQueues: ChatQueues;
  workers: OutboxWorkers;
  /** Wakes the senders of these bots, whichever node runs them, because a send was queued. */
  wake(botIds: ReadonlySet<number>): void;
  /** Drops the state of a deleted bot. */
  forget(botId: number): void;
  /** Stops retrying to record Telegram's responses; call it after the workers have ended. */
  endRecording(): Promise<void>;
}

/** Connects the parts that send messages from the outbox to Telegram. */
export function composeSending(deps: SendingDeps): Sending {
  const { clock, store, telegram, notifications, events, routing, liveMetrics, metrics } = deps;
  const { nodes, leaseEpochOf, failed } = deps;
  const rateLimiter = createSendRateLimiter(() => clock.monotonic());
  const sharedLimits = store.engine.isShared
    ? createSharedLimits(store.sendLimits, rateLimiter)
    : undefined;
  const chatQueues = createChatQueues(clock, rateLimiter, sharedLimits);
  /** Bots of other nodes are sent for there, so notify those nodes. */
  function wake(botIds: ReadonlySet<number>): void {
    for (const botId of botIds) {
      if (leaseEpochOf(botId) === undefined) notifications.publish('outbox', { botId });
      else workers.wake(botId);
    }
  }
  const inFlight = createInFlight({
    clock,
    onError: failed,
    onRecorded: (botId) => wake(new Set([botId])),
  });
  const outboxDeps: OutboxDeps = {
    clock,
    node: () => nodes().nodeId(),
    outbox: store.outbox,
    bots: store.bots,
    telegram,
    rateLimiter,
    chatQueues,
    inFlight,
    ...routing.routedSends,
    onChatMoved: (from, to) => store.alertChannels.follow(from, to, clock.now()),
    onRouted: routing.onRouted,
    onSent(botId, chatId, id) {
      liveMetrics.sent(botId, 1);
      events.publish({ type: 'message', botId, data: { chat_id: chatId, id, kind: 'sent' } });
    },
    appSends: deps.appSends,
    onAppSent: deps.activity.sent,
    onSendFailed: liveMetrics.sendFailed,
    metrics,
  };
  const workers = createOutboxWorkers(outboxDeps, {
    random: deps.random,
    giveUpAfterMs: deps.giveUpAfterMs,
    onError: failed,
    nodes: { known: () => nodes().known(), dead: () => nodes().dead() },
    leaseEpochOf,
    wakeOwner: (botId) => wake(new Set([botId])),
  });
  return {
    sender: createSender(outboxDeps),
    chatQueues,
    workers,
    wake,
    forget: rateLimiter.forget,
    endRecording: inFlight.end,
  };
}

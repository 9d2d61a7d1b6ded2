import type { PartsSender } from '../core/ports.ts';
import { outboxSendId } from '../store/apps/app-sends.ts';
import { createChatQueues } from '../relay/outbox/chat-queues.ts';
import { type BroadcastRunner, createBroadcastRunner } from '../relay/outbox/broadcast-runner.ts';
import { createDueSends, type DueSends } from '../relay/outbox/due-sends.ts';
import { createInFlight } from '../relay/outbox/in-flight.ts';
import { createSender } from '../relay/outbox/outbox.ts';
import { followPassedCalls } from '../relay/outbox/passed-calls.ts';
import { recordLongWaits } from '../relay/pacing/long-waits.ts';
import { createPacing, type Pacing } from '../relay/pacing/pacing.ts';
import { createSendRateLimiter } from '../relay/outbox/rate-limiter.ts';
import { createSharedLimits } from '../relay/outbox/shared-limits.ts';
import {
  createOutboxWorkers,
  type OutboxWorkers,
  type WorkerDeps,
} from '../relay/outbox/worker.ts';
import { createPreparation } from '../relay/routing/prepare-routed-send.ts';
import type { Ground } from './ground.ts';

export interface Sending {
  pacer: Pacing['pacer'];
  sender: PartsSender;
  workers: OutboxWorkers;
  /** Wakes the senders of these bots, whichever node runs them, because a send was queued. */
  wake(botIds: ReadonlySet<number>): void;
  /** Queues scheduled sends when they are due. */
  dueSends: DueSends;
  broadcasts: BroadcastRunner;
  /** Drops the state of a deleted bot. */
  forget(botId: number): void;
  /** Stops retrying to record Telegram's responses; call it after the workers have ended. */
  endRecording(): Promise<void>;
}

/** Connects the parts that send messages from the outbox to Telegram. */
export function composeSending(ground: Ground): Sending {
  const { activity, appSends, clock, config, events, failed, metrics, notifications, store } =
    ground;
  const { nodes } = ground.supervisor;
  const rateLimiter = createSendRateLimiter(() => clock.monotonic());
  const sharedLimits = store.engine.isShared
    ? createSharedLimits(store.sendLimits, rateLimiter)
    : undefined;
  const deps: WorkerDeps = {
    clock,
    node: () => nodes.nodeId(),
    outbox: store.outbox,
    bots: store.bots,
    telegram: ground.telegram,
    chatQueues: createChatQueues(clock, rateLimiter, sharedLimits),
    inFlight: createInFlight({ clock, events, onError: failed }),
    events,
  };
  const workers = createOutboxWorkers(deps, {
    random: ground.random,
    giveUpAfterMs: config.push.giveUpAfterMs,
    onError: failed,
    nodes,
    leaseEpochOf: ground.leaseEpochOf,
    notifyOwner: (botId) => notifications.publish('outbox', { botId }),
    preparation: createPreparation({
      bots: store.bots,
      telegram: ground.telegram,
      pairs: store.routing.pairs,
      countTraffic: store.routing.countTraffic,
      deskStepSent: store.desks.stepSent,
      now: () => clock.now(),
    }),
    formatOf: async (appId) => (await store.apps.get(appId))?.format ?? '',
    async onChatMoved(from, to) {
      await store.alertChannels.follow(from, to, clock.now());
      await store.questions.follow(from, to);
      await store.desks.follow(from, to, clock.now());
    },
  });
  followPassedCalls(events, deps.chatQueues);
  const pacing = createPacing(ground);
  recordLongWaits({ ...ground, conditions: store.alertConditions, onError: failed });
  events.on('appSent', (botId, { appId, messages }) => activity.sent(botId, appId, messages));
  events.on('tried', (_botId, { id, appId }) => {
    if (appId !== 0) appSends.ended(outboxSendId(id));
  });
  const wake = (botIds: ReadonlySet<number>) => botIds.forEach(workers.wakeAnywhere);
  return {
    pacer: pacing.pacer,
    sender: createSender(deps, workers.wakeAnywhere),
    workers,
    wake,
    broadcasts: createBroadcastRunner({
      clock,
      broadcasts: store.broadcasts,
      steps: store.broadcastSteps,
      leaseEpochOf: ground.leaseEpochOf,
      onQueued: wake,
      onProgress(botId, outcomes) {
        for (const { state } of outcomes) if (state !== 'waiting') metrics.broadcastEnded(state);
        events.publish('bot', botId, { change: 'broadcast' });
      },
      onError: failed,
    }),
    dueSends: createDueSends({
      clock,
      scheduledSends: store.scheduledSends,
      onQueued: wake,
      onError: (error) => failed(error, 0),
    }),
    forget(botId) {
      rateLimiter.forget(botId);
      pacing.forget(botId);
    },
    endRecording: deps.inFlight.end,
  };
}

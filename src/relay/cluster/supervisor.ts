/*
 * Runs every enabled bot on one of the nodes, and controls it from any node.
 *
 * Invariant: a reported bot state is the one that its owner saw last.
 */
import { codeOf } from '../../errors.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { BotRunner } from '../../core/ports.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { Logger } from '../../logger.ts';
import type { BotRuntimeRepository, BotState } from '../../store/cluster/bot-runtime.ts';
import type { BotRepository } from '../../store/bots/bots.ts';
import type { LeaseRepository } from '../../store/cluster/leases.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import type { Connect } from '../../telegram/platform-connector.ts';
import { createBackground } from '../async/background.ts';
import { createBotControl } from './bot-control.ts';
import { createBotSlots } from './bot-slots.ts';
import { createStatusReader, type DeliveryStatuses, type StatusCache } from './bot-status.ts';
import { createNodeLease, type NodeLease } from './lease.ts';
import type { Ownership, OwnershipListener } from './ownership.ts';
import { createRuntimeStates } from './runtime-state.ts';
import { watchSettings } from './settings-watch.ts';
import { createSemaphore } from '../async/semaphore.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { createWebhookIntake, type WebhookIntake } from '../intake/webhook-intake.ts';
import { withTimeout } from '../async/with-timeout.ts';

export interface SupervisorOptions {
  bots: BotRepository;
  runtime: BotRuntimeRepository;
  leases: LeaseRepository;
  log: UpdateLog;
  telegram: TelegramClient;
  notifications: Notifications;
  baseUrlFor(token: string): string;
  /** Opens connections to the platform; they are direct if left out. */
  connect?: Connect;
  clock: Clock;
  random: () => number;
  logger: Logger;
  nodeId: string;
  /** True with the embedded database. */
  singleNode: boolean;
  publicUrl: string;
  /** 50 if left out. */
  pollTimeoutSeconds?: number;
  /** The interval between polls of a busy bot; 0 if left out. */
  minIntervalMs?: number;
  /** Reports the delivery status of bots of any node. */
  deliveries?: DeliveryStatuses;
  statusCache?: StatusCache;
  metrics?: Pick<RelayMetrics, 'leasesChanged'>;
}

export interface Supervisor extends BotRunner, Ownership {
  /** Takes this node's bots, which start in the background. */
  start(signal: AbortSignal): Promise<void>;
  /** Stops all bots and hands them on at once, as far as the deadline permits. */
  stop(deadlineMs: number): Promise<void>;
  /** The nodes that run bots, as this node last saw them. */
  nodes: Pick<NodeLease, 'nodeId' | 'known' | 'living' | 'isFirst' | 'mayLive' | 'dead' | 'held'>;
  health(): { ok: boolean; reason: string };
  intake: WebhookIntake;
  onState(listener: (botId: number, state: BotState, lastError: Reason | null) => void): () => void;
  /** The platform told who a bot is. */
  onNamed(listener: (botId: number) => void): () => void;
}

const startsAtOnce = 100;
const startHoldMs = 1_000;

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { bots, runtime, clock, logger, notifications, singleNode } = options;
  const closing = new AbortController();
  const watchers = new Set<OwnershipListener>();
  const namedListeners = new Set<(botId: number) => void>();
  const background = createBackground();

  const states = createRuntimeStates({
    repository: runtime,
    clock,
    closing: closing.signal,
    onError: (error) => logger.warn({ code: codeOf(error) }, 'bot states not saved'),
  });
  const intake = createWebhookIntake({
    log: options.log,
    runtime,
    clock,
    active: states.touch,
  });
  const nodeLease = createNodeLease({
    ...options,
    gained: (taken) => background.run(() => slots.begin(taken)),
    lost: (botIds) => botIds.forEach(slots.abandon),
    handOff: (count) => slots.handOffSome(count),
  });
  const slots = createBotSlots({
    ...options,
    states,
    intake,
    lease: nodeLease,
    isUncertain: nodeLease.isUncertain,
    closing: closing.signal,
    startSlot: createSemaphore(clock, startsAtOnce, startHoldMs),
    named(botId) {
      for (const listener of namedListeners) listener(botId);
    },
  });
  const control = createBotControl({
    ...options,
    slots,
    states,
    intake,
    nodeLease,
    closing: closing.signal,
  });

  async function onNotification(botId: number, isRetired: boolean): Promise<void> {
    intake.forget(botId);
    if (!slots.has(botId)) nodeLease.look();
    else if (isRetired) await slots.retire(botId, (await bots.get(botId))?.token);
    else await applyInBackground(botId);
  }

  /** Applies to a bot of this node, and to its listeners, settings that another node changed. */
  async function applyInBackground(botId: number): Promise<void> {
    await slots.apply(botId);
    if (!slots.has(botId)) return;
    const updatedAt = slots.appliedAt(botId);
    const followed = await Promise.all([...watchers].map(async (one) => one.changed?.(botId)));
    if (!followed.includes(false)) notifications.publish('applied', { botId, updatedAt });
  }

  function onLook(botId: number, updatedAt: number): void {
    const appliedAt = slots.appliedAt(botId);
    if (appliedAt !== 0 && appliedAt !== updatedAt) background.run(() => applyInBackground(botId));
  }

  async function shutDown(): Promise<void> {
    await Promise.all([background.end(), slots.stopAll()]);
    await states.flush();
    await nodeLease.leave();
    notifications.publish('released', {});
  }

  return {
    intake,
    nodes: nodeLease,
    apply: control.apply,
    retire: control.retire,
    statusOf: createStatusReader({ ...options, states, living: nodeLease.living }),
    onState: states.onChange,
    leaseEpochOf: nodeLease.leaseEpochOf,
    watch(listener) {
      watchers.add(listener);
      const unwatch = slots.watch(listener);
      return () => {
        watchers.delete(listener);
        unwatch();
      };
    },
    onNamed(listener) {
      namedListeners.add(listener);
      return () => namedListeners.delete(listener);
    },
    async start(signal) {
      control.begin();
      signal.addEventListener('abort', () => closing.abort(signal.reason), { once: true });
      if (signal.aborted) closing.abort(signal.reason);
      notifications.subscribe('bot', ({ botId, retire: isRetired }) => {
        background.run(
          () => onNotification(botId, isRetired === true),
          (error) =>
            logger.warn(
              { code: codeOf(error), bot: botId },
              'applying changed bot settings failed',
            ),
        );
      });
      notifications.subscribe('released', () => nodeLease.look());
      notifications.onGap(() => nodeLease.look());
      await nodeLease.start(closing.signal);
      const watched = { ...options, nodeId: nodeLease.nodeId, onLook };
      if (!singleNode) background.run(() => watchSettings(watched, closing.signal));
    },
    async stop(deadlineMs) {
      closing.abort(new Error('the service stops'));
      if (!control.isBegun) return;
      const done = shutDown().catch((error) =>
        logger.warn({ code: codeOf(error) }, 'releasing bots failed'),
      );
      await withTimeout(clock, deadlineMs, done);
    },
    health() {
      const problem = control.isBegun ? nodeLease.problem() : 'bots are not started yet';
      return { ok: problem === undefined, reason: problem ?? '' };
    },
  };
}

import { codeOf } from '../../errors.ts';
import type { BotRunner } from '../../core/ports.ts';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { BotRepository } from '../../store/bots/bots.ts';
import type { BotRuntimeRepository } from '../../store/cluster/bot-runtime.ts';
import type { LeaseRepository } from '../../store/cluster/leases.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';
import { withTimeout } from '../async/with-timeout.ts';
import type { WebhookIntake } from '../intake/webhook-intake.ts';
import { appliedElsewhere } from './applied-elsewhere.ts';
import type { BotSlots } from './bot-slots.ts';
import type { NodeLease } from './lease.ts';
import type { RuntimeStates } from './runtime-state.ts';
import { stoppedElsewhere } from './stopped-elsewhere.ts';

interface BotControlDeps {
  bots: BotRepository;
  runtime: BotRuntimeRepository;
  leases: LeaseRepository;
  notifications: Notifications;
  clock: Clock;
  logger: Logger;
  slots: BotSlots;
  states: RuntimeStates;
  intake: WebhookIntake;
  nodeLease: NodeLease;
  closing: AbortSignal;
}

/** Applies what a request on this node changed to a bot of any node. */
export interface BotControl extends Pick<BotRunner, 'apply' | 'retire'> {
  /** Before this, other nodes do the work, and nothing waits for them. */
  begin(): void;
  readonly isBegun: boolean;
}

const startTimeoutMs = 500;

export function createBotControl(deps: BotControlDeps): BotControl {
  const { bots, closing, clock, intake, logger, nodeLease, notifications, slots, states } = deps;
  let isBegun = false;
  const waitForOthers = (botId: number) =>
    stoppedElsewhere({ ...deps, living: nodeLease.living }, botId, closing);

  /** If it fails, the lease keeper's next look takes the bot. */
  async function takeOne(botId: number): ReturnType<NodeLease['takeOne']> {
    return nodeLease.takeOne(botId).catch((error: unknown) => {
      logger.warn({ code: codeOf(error), bot: botId }, 'taking over a bot failed');
      return undefined;
    });
  }

  /** Takes a bot that this node does not hold, if the bot is free and should run. */
  async function applyElsewhere(botId: number): Promise<void> {
    const bot = await bots.get(botId);
    const shouldRun = bot !== undefined && !bot.disabled;
    // Take it before the others hear of it, as they would take it, too.
    const taken = shouldRun ? await takeOne(botId) : undefined;
    if (taken && 'owner' in taken) {
      await appliedElsewhere(deps, botId, closing);
      return;
    }
    notifications.publish('bot', { botId });
    if (shouldRun) return;
    await waitForOthers(botId);
    if (bot) await slots.halt(botId, bot.token);
  }

  return {
    begin() {
      isBegun = true;
    },
    get isBegun() {
      return isBegun;
    },
    async apply(botId) {
      intake.forget(botId);
      const isActive = isBegun && !closing.aborted;
      if (!isActive || slots.has(botId)) notifications.publish('bot', { botId });
      if (!isActive) return;
      await slots.apply(botId, { isAsked: true });
      if (!slots.has(botId)) await applyElsewhere(botId);
      if (slots.has(botId)) await withTimeout(clock, startTimeoutMs, states.settled(botId));
    },
    async retire(botId) {
      notifications.publish('bot', { botId, retire: true });
      if (!isBegun) return;
      const bot = await bots.get(botId);
      if (slots.has(botId)) {
        await slots.retire(botId, bot?.token);
        if (slots.has(botId)) return;
        // The bot was handed on or lost meanwhile, and no other node may start it.
        await takeOne(botId);
        if (slots.has(botId)) {
          await slots.retire(botId, bot?.token);
          return;
        }
        notifications.publish('bot', { botId, retire: true });
      }
      await waitForOthers(botId);
      await slots.halt(botId, bot?.token);
    },
  };
}

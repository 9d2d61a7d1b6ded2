import type { BotRunner } from '../core/ports.ts';
import { createBackgroundRetry } from '../relay/async/retry-in-background.ts';
import { type BotWorkers, createBotWorkers } from '../relay/cluster/bot-workers.ts';
import { inBackground } from '../tracing.ts';
import type { Ground } from './ground.ts';
import type { Readers } from './readers.ts';
import type { Sending } from './sending.ts';

/** Controls the bots: where they run, and what works for them there. */
export interface Bots {
  runner: BotRunner;
  botWorkers: BotWorkers;
}

/** Connects the bots that this node runs with their readers and senders. */
export function composeBots(ground: Ground, sending: Sending, readers: Readers): Bots {
  const { background, clock, failed, leaseEpochOf, log, store, supervisor } = ground;
  const { logReaders, pullers } = readers;
  const botWorkers = createBotWorkers({
    bots: store.bots,
    logReaders,
    workers: sending.workers,
    leaseEpochOf,
    clock,
    background,
    failed,
  });

  /** Opens readers before the first update may arrive, so that none is missed. */
  async function openReaders(botId: number): Promise<void> {
    const bot = await store.bots.get(botId);
    if (bot) await logReaders.prepare(bot);
  }

  /** The settings are stored already, so a failure here only delays them. */
  const applied = createBackgroundRetry({
    clock,
    background,
    failed,
    async task(botId) {
      pullers.recall(botId);
      await openReaders(botId);
      await supervisor.apply(botId);
      await botWorkers.apply(botId);
    },
  });
  const runner: BotRunner = {
    async apply(botId) {
      // A bot that starts here runs on in the background.
      await inBackground(() => applied.run(botId));
    },
    async retire(botId) {
      await supervisor.retire(botId);
      pullers.recall(botId);
      log.forget(botId);
      sending.forget(botId);
    },
    statusOf: supervisor.statusOf,
  };
  return { runner, botWorkers };
}

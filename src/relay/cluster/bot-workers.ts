/*
 * The workers of a bot on the node that runs it: pushing, routing and sending queued messages.
 *
 * Invariant: none of them starts for a bot between the moment the node loses it and the moment it
 * gains it again, even if a change is in progress. A worker that could not start, or could not
 * apply changed settings, is retried for as long as this node owns the bot.
 */
import type { Clock } from '../../clock.ts';
import type { Background } from '../async/background.ts';
import { createKeyedMutex } from '../async/mutex.ts';
import type { OutboxWorkers } from '../outbox/worker.ts';
import type { OwnershipListener } from './ownership.ts';
import { createBackgroundRetry } from '../async/retry-in-background.ts';
import type { LogReaders } from '../log/log-readers.ts';
import type { BotRecord } from '../../store/bots/bots.ts';

interface BotWorkersDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  logReaders: Pick<LogReaders, 'apply' | 'stop'>;
  workers: Pick<OutboxWorkers, 'start' | 'stop'>;
  leaseEpochOf(botId: number): number | undefined;
  clock: Clock;
  background: Background;
  failed(error: unknown, botId: number): void;
}

export interface BotWorkers extends Required<OwnershipListener> {
  /** Applies the bot's settings to its workers, if this node runs it. */
  apply(botId: number): Promise<void>;
}

export function createBotWorkers(deps: BotWorkersDeps): BotWorkers {
  const { bots, logReaders, workers, background } = deps;
  const own = new Set<number>();
  const mutex = createKeyedMutex();

  // Run changes in turn, so that of two quick changes the settings read last are applied last.
  const apply = (botId: number): Promise<void> =>
    mutex(botId, async () => {
      const bot = own.has(botId) ? await bots.get(botId) : undefined;
      const leaseEpoch = deps.leaseEpochOf(botId);
      if (!bot || leaseEpoch === undefined || !own.has(botId)) return;
      workers.start(botId);
      const isOwn = () => own.has(botId) && deps.leaseEpochOf(botId) === leaseEpoch;
      await logReaders.apply(bot, leaseEpoch, isOwn);
    });

  const applied = createBackgroundRetry({
    ...deps,
    // If the bot was lost meanwhile, its next owner starts the workers.
    task: async (botId) => (own.has(botId) ? apply(botId) : undefined),
  });

  return {
    apply,
    gained(botId) {
      own.add(botId);
      background.run(() => applied.run(botId));
    },
    changed: applied.run,
    async lost(botId) {
      own.delete(botId);
      applied.cancel(botId);
      await Promise.all([logReaders.stop(botId), workers.stop(botId)]);
    },
  };
}

/*
 * What works for a bot on the node that runs it: pushing, routing, sending what is queued.
 *
 * Invariant: nothing of it is begun for a bot between the moment it is lost and the moment it is
 * gained again, whatever was in flight then. What could not be begun, or brought in line with changed
 * settings, is tried again for as long as the bot is this node's.
 */
import type { Clock } from '../clock.ts';
import type { Background } from '../relay/async/background.ts';
import { createKeyedMutex } from '../relay/async/mutex.ts';
import type { OutboxWorkers } from '../relay/outbox/worker.ts';
import type { OwnershipListener } from '../relay/cluster/ownership.ts';
import { createBackgroundRetry } from '../relay/async/retry-in-background.ts';
import type { LogReaders } from '../relay/log/log-readers.ts';
import type { BotRecord } from '../store/bots/bots.ts';

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
  /** Brings them in line with the bot's settings, if this node runs it. */
  apply(botId: number): Promise<void>;
}

export function createBotWorkers(deps: BotWorkersDeps): BotWorkers {
  const { bots, logReaders, workers, background } = deps;
  const own = new Set<number>();
  const mutex = createKeyedMutex();

  // In turn, so that of two quick changes the settings read last are those applied last.
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
    // Lost while it failed: the next owner starts it again.
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

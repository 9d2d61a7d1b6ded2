import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { BotRuntimeRepository } from '../../store/cluster/bot-runtime.ts';
import type { LeaseRepository } from '../../store/cluster/leases.ts';

interface StoppedElsewhereOptions {
  runtime: BotRuntimeRepository;
  leases: LeaseRepository;
  clock: Clock;
  logger: Logger;
  living(): string[];
}

const lookEveryMs = 100;
const timeoutMs = 5_000;

/**
 * Waits until the node that runs the bot has stopped it, as it was told to. If that node does not
 * react, this one takes the bot: a new epoch makes the database refuse whatever the other node
 * still writes.
 */
export async function stoppedElsewhere(
  { runtime, leases, clock, logger, living }: StoppedElsewhereOptions,
  botId: number,
  signal: AbortSignal,
): Promise<void> {
  const giveUpAt = clock.monotonic() + timeoutMs;
  for (;;) {
    const [row] = await runtime.get([botId]);
    if (!row || row.state === 'stopped' || !living().includes(row.owner)) return;
    if (clock.monotonic() >= giveUpAt) break;
    await clock.sleep(lookEveryMs, signal);
  }
  const taken = await leases.takeOne('', [], botId);
  if (taken) logger.warn({ bot: botId }, 'took over a bot from a node that did not stop it');
}

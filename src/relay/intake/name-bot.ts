import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import { platformIdOf } from '../../core/bots/bot-token.ts';
import { limits } from '../../core/limits.ts';
import { nameText, toLine } from '../../core/people/plain-text.ts';
import type { BotRepository } from '../../store/bots/bots.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { PlatformRefused } from '../../telegram/errors.ts';
import { classifyFault } from './intake-faults.ts';

export interface NamingDeps {
  telegram: TelegramClient;
  bots: Pick<BotRepository, 'identify'>;
  clock: Clock;
  random: () => number;
}

const timeoutMs = 10_000;
const firstWaitMs = 1_000;

/** Asks the platform who a bot is and stores the answer; true if that was not known before. */
export async function nameBot(
  { telegram, bots, clock, random }: NamingDeps,
  { botId, token }: { botId: number; token: string },
  signal: AbortSignal,
): Promise<boolean> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const me = (await telegram.call(token, 'getMe', {}, { signal, timeoutMs })) as Me | null;
      const username = nameText(me?.username);
      if (username === '') return false;
      const platformId = Number.isSafeInteger(me?.id) ? (me?.id as number) : platformIdOf(token);
      return await bots.identify(
        botId,
        {
          platformId,
          username,
          name: toLine(nameText(me?.first_name)).slice(0, limits.nameLength),
        },
        clock.now(),
      );
    } catch (error) {
      if (signal.aborted || (error instanceof PlatformRefused && error.kind === 'refuse')) break;
      const fault = classifyFault(error);
      if (fault.action === 'stop') break;
      const waits = { random, firstMs: firstWaitMs, maxMs: 300_000 };
      const waitMs = fault.action === 'pause' ? fault.waitMs : backoffMs(failures, waits);
      await clock.sleep(waitMs, signal).catch(() => {});
    }
  }
  return false;
}

interface Me {
  id?: unknown;
  username?: unknown;
  first_name?: unknown;
}

import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import type { UpdateLog } from '../../src/relay/log/update-log.ts';
import type { TelegramClient } from '../../src/telegram/client.ts';

export interface Intake {
  telegram: TelegramClient;
  log: UpdateLog;
  now: () => number;
}

/** Takes in all that the platform holds for a bot, as a poller would. */
export async function takeIn(
  { telegram, log, now }: Intake,
  bot: { id: number; token: string },
  allowed_updates: readonly string[],
): Promise<void> {
  for (let offset = 0; ; ) {
    const params = { offset, allowed_updates };
    const updates = (await telegram.call(bot.token, 'getUpdates', params)) as {
      update_id: number;
    }[];
    if (updates.length === 0) return;
    offset = (updates.at(-1)?.update_id ?? 0) + 1;
    const incoming = updates.map(
      (update) => readUpdate(JSON.stringify(update), update, now()) as IncomingUpdate,
    );
    await log.append(bot.id, incoming, { receivedAt: now() });
  }
}

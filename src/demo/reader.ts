import type { ApiClient } from '../cli/api-client.ts';
import type { Clock } from '../clock.ts';

const pollSeconds = 10;
const pauseMs = 1_000;

/** A program that reads a bot's updates by long polls, so that there is a reader with a position. */
export async function readAlong(
  api: ApiClient,
  botId: number,
  options: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { clock, signal } = options;
  let offset = 0;
  while (!signal.aborted) {
    try {
      const { result } = await api.get<{ result: { update_id: number }[] }>('/api/updates/poll', {
        bot_id: botId,
        consumer: 'ticket-board',
        timeout: pollSeconds,
        ...(offset === 0 ? {} : { offset }),
      });
      offset = (result.at(-1)?.update_id ?? offset - 1) + 1;
    } catch {
      // The bot may be disabled or gone; the person who did that sees the reader fall behind.
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }
}

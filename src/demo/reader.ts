import type { Clock } from '../clock.ts';
import type { DemoSetup } from './setup.ts';

const pollSeconds = 10;
const pauseMs = 1_000;
const app = 'ticket-board';

interface Update {
  update_id: number;
  message?: { message_id: number; chat: { id: number; type: string } };
}

/**
 * Reads the tech bot's updates by long polling, so that there is a pull reader with a position, and
 * opens a ticket for each sender through the gateway, as a bot library would.
 */
export async function readAlong(
  setup: DemoSetup,
  options: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { clock, signal } = options;
  const { id: bot_id } = setup.bots.tech;
  let offset = 0;
  while (!signal.aborted) {
    try {
      const { result } = await setup.api.get('/api/updates/poll', {
        bot_id,
        consumer: app,
        timeout: pollSeconds,
        ...(offset === 0 ? {} : { offset }),
      });
      offset = (result.at(-1)?.update_id ?? offset - 1) + 1;
      await Promise.all(result.map((update) => openTicket(setup, update, signal)));
    } catch {
      // The bot may be disabled or deleted; then its reader falls behind.
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }
}

async function openTicket(
  { address, bots }: DemoSetup,
  { message, update_id }: Update,
  signal: AbortSignal,
): Promise<void> {
  if (message?.chat.type !== 'private') return;
  await fetch(`${address}/p/${app}/bot${bots.tech.token}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chat_id: message.chat.id,
      text: `Ticket ${update_id % 10_000} is open. We look at it today.`,
      reply_parameters: { message_id: message.message_id },
    }),
    signal,
  });
}

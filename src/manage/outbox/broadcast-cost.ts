import { leastStarBalance, starsAtMost } from '../../core/messages/broadcast.ts';
import { object } from '../../core/log/wire.ts';
import type { Sender } from '../../core/ports.ts';
import { reason } from '../../core/reasons/reason.ts';
import { conflictingField, RelayError } from '../../errors.ts';
import type { BroadcastRecord } from '../../store/outbox/broadcast-rows.ts';

const askWaitMs = 10_000;

/** Telegram neither says what it costs nor refuses: without Stars, it only is not faster. */
export async function checkStars(
  sender: Sender,
  { botId }: BroadcastRecord,
  recipients: number,
  agreed: number,
): Promise<void> {
  const stars = starsAtMost(recipients);
  if (stars > agreed) {
    throw conflictingField('stars', reason('broadcast_costs', { recipients, stars }));
  }
  const how = { priority: 'interactive', origin: 'sent', maxWaitMs: askWaitMs } as const;
  const call = { method: 'getMyStarBalance', params: {} };
  const author = { kind: 'relay', id: 0, name: 'broadcasts' } as const;
  const answer = await sender.send({ botId, chatId: 0, ...call, ...how, author });
  const balance = Number(object(answer)?.amount ?? 0);
  const least = leastStarBalance + stars;
  if (balance < least) {
    throw new RelayError('conflict', reason('too_few_stars', { balance, least }));
  }
}

/* Finds the messages of the updates behind conditions. */
import type { AlertCause } from '../../core/alerts/alerts.ts';
import { gistOfUpdate } from '../../core/log/update-gist.ts';
import type { AlertFactRepository } from '../../store/alerts/alert-facts.ts';
import type { Found, View } from './finders/view.ts';

/** Of this many updates the message is read; alerts beyond that do not name theirs. */
const mostRead = 200;

/** Returns the causes that are known. Bots without chat management store no messages. */
export async function causesOf(
  found: readonly Found[],
  botOf: View['botOf'],
  facts: Pick<AlertFactRepository, 'updates'>,
): Promise<ReadonlyMap<Found, AlertCause>> {
  const wanted = found
    .flatMap((one) =>
      one.botId && one.cause && 'reader' in one.cause ? { ...one.cause, botId: one.botId } : [],
    )
    .slice(0, mostRead);
  const updates = wanted.length === 0 ? [] : await facts.updates(wanted);
  const keyOf = (botId: number, position: number) => `${botId} ${position}`;
  const updateAt = new Map(updates.map((one) => [keyOf(one.botId, one.position), one]));
  const causes = new Map<Found, AlertCause>();
  for (const one of found) {
    const { botId = 0, cause } = one;
    if (!cause) continue;
    if (!('reader' in cause)) {
      if (botOf.get(cause.bot_id)?.manage_enabled) causes.set(one, { ...cause, position: 0 });
      continue;
    }
    const { position } = cause;
    const update = updateAt.get(keyOf(botId, position));
    if (!update) continue;
    const { chatId, messageId } = gistOfUpdate(update);
    const isStored = botOf.get(botId)?.manage_enabled && chatId !== 0 && messageId !== 0;
    causes.set(one, {
      bot_id: botId,
      chat_id: isStored ? chatId : 0,
      message_id: isStored ? messageId : 0,
      position,
    });
  }
  return causes;
}

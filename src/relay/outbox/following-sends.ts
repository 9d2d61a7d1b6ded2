/*
 * Waits for the sends that follow another one, such as the parts of a long text. The worker of the
 * bot makes them, each after the one before was sent, so that they also go out after a crash.
 */
import { integer, object } from '../../core/log/wire.ts';
import type { PartsSender, SendRequest } from '../../core/ports.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';
import { followingKey, type OutboxRepository } from '../../store/outbox/outbox.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { RelayEvents } from '../events/relay-events.ts';

export interface FollowingDeps {
  clock: Clock;
  outbox: Pick<OutboxRepository, 'byKeys'>;
  events: Pick<RelayEvents, 'on'>;
  /** Something was queued for the bot. */
  wake(botId: number): void;
}

const longestWaitMs = 60_000;
/** Another node may send them. */
const lookEveryMs = 250;
const ended = new Set<OutboxRecord['state']>(['sent', 'failed', 'unknown']);

/** Returns the IDs of all messages, in order. Throws if not all of them were sent. */
export function createPartsSender(
  deps: FollowingDeps,
  sendFirst: (request: SendRequest) => Promise<{ id: number; result: unknown }>,
): PartsSender['sendParts'] {
  const { clock, events, outbox } = deps;
  const waiting = new Map<number, Set<() => void>>();
  events.on('sendEnded', (botId) => {
    for (const look of waiting.get(botId) ?? []) look();
  });

  /** Resolves when a send of the bot ended, or after a while. */
  function nextEnd(botId: number): Promise<void> {
    const waiters = waiting.get(botId) ?? new Set();
    waiting.set(botId, waiters);
    return new Promise((resolve) => {
      const look = () => {
        cancel();
        waiters.delete(look);
        if (waiters.size === 0) waiting.delete(botId);
        resolve();
      };
      const cancel = clock.after(lookEveryMs, look);
      waiters.add(look);
    });
  }

  async function endOf(
    key: string,
    botId: number,
    giveUpAt: number,
  ): Promise<OutboxRecord | undefined> {
    for (;;) {
      const record = (await outbox.byKeys([key])).get(key);
      if (record && ended.has(record.state)) return record;
      if (clock.monotonic() >= giveUpAt) return undefined;
      await nextEnd(botId);
    }
  }

  return async (request, following) => {
    const giveUpAt = clock.monotonic() + longestWaitMs;
    const first = await sendFirst({ ...request, following });
    const messageIds = [integer(object(first.result)?.message_id) ?? 0];
    if (following.length > 0) deps.wake(request.botId);
    let last = first.id;
    while (messageIds.length <= following.length) {
      const record = await endOf(followingKey(last), request.botId, giveUpAt);
      if (record?.state !== 'sent') {
        const parts = following.length + 1;
        throw new RelayError(
          'platform_timeout',
          reason('partly_sent', { sent: messageIds.length, parts, message_ids: messageIds }),
        );
      }
      last = record.id;
      messageIds.push(record.messageId ?? 0);
    }
    return { result: first.result, messageIds };
  };
}

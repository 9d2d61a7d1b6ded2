import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createSendRateLimiter } from './rate-limiter.ts';
import { createChatQueues } from './chat-queues.ts';

const botId = 1;
const method = 'sendMessage';

/** The limits allow one send a second to each chat, and ten through the bot. */
function create() {
  const clock = createManualClock();
  const limits = {
    bot: { intervalMs: 100, burst: 1 },
    privateChat: { intervalMs: 1_000, burst: 1 },
    group: { intervalMs: 3_000, burst: 1 },
  };
  const queues = createChatQueues(clock, createSendRateLimiter(clock.monotonic, limits));
  const sent: string[] = [];
  const send = (name: string, chatId: number, priority: 'interactive' | 'bulk' = 'bulk') =>
    queues.next({ botId, chatId, method, priority }).then(() => sent.push(name));
  return { clock, queues, sent, send };
}

describe('chat queues', () => {
  it('let interactive sends go before bulk ones, and each kind in its order', async () => {
    const { clock, sent, send } = create();
    const all = [
      send('first', 10),
      send('bulk 1', 11),
      send('bulk 2', 12),
      send('person 1', 13, 'interactive'),
      send('person 2', 14, 'interactive'),
      send('bulk 3', 15),
    ];
    await clock.advance(1_000);
    await Promise.all(all);
    expect(sent).toEqual(['first', 'person 1', 'person 2', 'bulk 1', 'bulk 2', 'bulk 3']);
  });

  it('let other chats pass while a chat pauses, and keep the order within the chat', async () => {
    const { clock, sent, send } = create();
    const all = [send('a1', 10), send('a2', 10), send('a3', 10), send('b1', 11)];
    await clock.advance(150);
    expect(sent).toEqual(['a1', 'b1']);
    await clock.advance(2_000);
    await Promise.all(all);
    expect(sent).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('remove only the entry whose wait ends', async () => {
    const { clock, queues, sent, send } = create();
    const giveUp = new AbortController();
    const first = send('first', 10);
    const leaving = queues.next({
      botId,
      chatId: 11,
      method,
      priority: 'bulk',
      signal: giveUp.signal,
    });
    const last = send('last', 12);
    giveUp.abort(new Error('stopped'));
    await expect(leaving).rejects.toThrow('stopped');
    await clock.advance(1_000);
    await Promise.all([first, last]);
    expect(sent).toEqual(['first', 'last']);
    await expect(
      queues.next({ botId, chatId: 13, method, priority: 'bulk', signal: giveUp.signal }),
    ).rejects.toThrow('stopped');
  });

  it('refuse a wait beyond its timeout, at once where that is certain', async () => {
    const { clock, queues, sent, send } = create();
    await send('first', 10);
    const patient = { botId, chatId: 10, method, priority: 'interactive' } as const;
    await expect(queues.next({ ...patient, maxWaitMs: 900 })).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    const served = queues.next({ ...patient, maxWaitMs: 1_100 }).then(() => sent.push('second'));
    const behind = expect(queues.next({ ...patient, maxWaitMs: 1_100 })).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await clock.advance(1_100);
    await Promise.all([served, behind]);
    expect(sent).toEqual(['first', 'second']);
  });
});

import { describe, expect, it } from 'vitest';
import { createSendRateLimiter } from './rate-limiter.ts';

const limits = {
  bot: { intervalMs: 100, burst: 5 },
  privateChat: { intervalMs: 1_000, burst: 2 },
  group: { intervalMs: 3_000, burst: 3 },
};

function create() {
  const time = { now: 1_000_000 };
  return { time, limiter: createSendRateLimiter(() => time.now, limits) };
}

describe('rate limiter', () => {
  it('lets a burst through and then keeps the interval', () => {
    const { time, limiter } = create();
    const sent: number[] = [];
    for (let i = 0; i < 5; i++) {
      time.now += limiter.delayMs(1, 7);
      limiter.take(1, 7);
      sent.push(time.now - 1_000_000);
    }
    expect(sent).toEqual([0, 0, 1_000, 2_000, 3_000]);
  });

  it('paces groups more slowly than private chats, and counts all chats of a bot together', () => {
    const { limiter } = create();
    for (let i = 0; i < 3; i++) limiter.take(1, -5);
    expect(limiter.delayMs(1, -5)).toBe(3_000);
    expect(limiter.delayMs(1, 9)).toBe(0);
    for (let chat = 10; chat < 12; chat++) limiter.take(1, chat);
    expect(limiter.delayMs(1, 9)).toBe(100);
    expect(limiter.delayMs(2, 9)).toBe(0);
  });

  it('waits as long as a 429 says and is slower for a while after it', () => {
    const { time, limiter } = create();
    limiter.refused(1, 7, 30);
    expect(limiter.delayMs(1, 7)).toBe(30_000);
    expect(limiter.delayMs(1, 8)).toBe(0);
    time.now += 30_000;
    expect(limiter.delayMs(1, 7)).toBe(0);
    for (let i = 0; i < 2; i++) limiter.take(1, 7);
    expect(limiter.delayMs(1, 7)).toBe(2_000);
    time.now += 60_000;
    for (let i = 0; i < 2; i++) limiter.take(1, 7);
    expect(limiter.delayMs(1, 7)).toBe(1_000);
  });

  it('drops what is long over when there are many chats, also after a 429', () => {
    const { time, limiter } = create();
    for (let chat = 1; chat <= 30_000; chat++) limiter.refused(1, chat, 1);
    expect(limiter.size()).toBe(30_000);
    time.now += 3_600_000;
    for (let chat = 40_000; chat < 51_000; chat++) limiter.take(2, chat);
    expect(limiter.size()).toBeLessThan(20_000);
  });

  it('forgets a bot', () => {
    const { limiter } = create();
    limiter.refused(1, 7, 30);
    limiter.refused(1, 0, 30);
    limiter.refused(11, 7, 30);
    limiter.forget(1);
    expect(limiter.delayMs(1, 7)).toBe(0);
    expect(limiter.delayMs(11, 7)).toBe(30_000);
  });
});

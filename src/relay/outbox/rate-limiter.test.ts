import { describe, expect, it } from 'vitest';
import { createSendRateLimiter } from './rate-limiter.ts';

const limits = {
  bot: { intervalMs: 100, burst: 5 },
  privateChat: { intervalMs: 1_000, burst: 2 },
  group: { intervalMs: 3_000, burst: 3 },
};

const message = (chatId: number) => ({ chatId, sendClass: 'message' }) as const;
const edit = (chatId: number) => ({ chatId, sendClass: 'edit' }) as const;
const draft = (chatId: number) => ({ chatId, sendClass: 'draft' }) as const;
const own = (retryAfterSeconds: number) => ({ retryAfterSeconds, isOwn: true });
const ofApp = (retryAfterSeconds: number) => ({ retryAfterSeconds, isOwn: false });

function create() {
  const time = { now: 1_000_000 };
  return { time, limiter: createSendRateLimiter(() => time.now, limits) };
}

describe('rate limiter', () => {
  it('lets a burst through and then keeps the interval', () => {
    const { time, limiter } = create();
    const sent: number[] = [];
    for (let i = 0; i < 5; i++) {
      time.now += limiter.delayMs(1, message(7));
      limiter.take(1, message(7));
      sent.push(time.now - 1_000_000);
    }
    expect(sent).toEqual([0, 0, 1_000, 2_000, 3_000]);
  });

  it('paces groups more slowly than private chats, and counts all chats of a bot together', () => {
    const { limiter } = create();
    for (let i = 0; i < 3; i++) limiter.take(1, message(-5));
    expect(limiter.delayMs(1, message(-5))).toBe(3_000);
    expect(limiter.delayMs(1, message(9))).toBe(0);
    for (let chat = 10; chat < 12; chat++) limiter.take(1, message(chat));
    expect(limiter.delayMs(1, message(9))).toBe(100);
    expect(limiter.delayMs(2, message(9))).toBe(0);
  });

  it('waits as long as a 429 says and is slower for a while after it', () => {
    const { time, limiter } = create();
    limiter.refused(1, message(7), own(30));
    expect(limiter.delayMs(1, message(7))).toBe(30_000);
    expect(limiter.delayMs(1, message(8))).toBe(0);
    time.now += 30_000;
    expect(limiter.delayMs(1, message(7))).toBe(0);
    for (let i = 0; i < 2; i++) limiter.take(1, message(7));
    expect(limiter.delayMs(1, message(7))).toBe(2_000);
    time.now += 60_000;
    for (let i = 0; i < 2; i++) limiter.take(1, message(7));
    expect(limiter.delayMs(1, message(7))).toBe(1_000);
  });

  it('lets sends that passed hold up the next one for an interval at most', () => {
    const { time, limiter } = create();
    for (let i = 0; i < 60; i++) limiter.passed(1, message(-5));
    expect(limiter.delayMs(1, message(-5))).toBe(3_000);
    time.now += 2_999;
    expect(limiter.passed(1, message(-5))).toBe(true);
    // The bot had room and the chat had none: a send that waits for the chat is not delayed
    // further.
    expect(limiter.delayMs(1, message(-5))).toBe(1);
    time.now += 1;
    limiter.take(1, message(-5));
    expect(limiter.delayMs(1, message(-5))).toBe(3_000);
  });

  it('counts messages, edits and drafts each for themselves', () => {
    const { limiter } = create();
    for (let i = 0; i < 60; i++) {
      limiter.passed(1, edit(7));
      limiter.passed(1, draft(7));
    }
    expect(limiter.delayMs(1, message(7))).toBe(0);
    expect(limiter.delayMs(1, edit(7))).toBe(1_000);
  });

  it('waits after a 429 to another app as long as told, and is not slower after it', () => {
    const { time, limiter } = create();
    for (let i = 0; i < 40; i++) limiter.refused(1, message(7), ofApp(30));
    expect(limiter.delayMs(1, message(7))).toBe(30_000);
    time.now += 30_000;
    for (let i = 0; i < 2; i++) limiter.take(1, message(7));
    expect(limiter.delayMs(1, message(7))).toBe(1_000);
  });

  it('holds messages after a 429 to an edit, and not after one to a draft', () => {
    const { time, limiter } = create();
    limiter.refused(1, draft(7), own(30));
    expect(limiter.delayMs(1, message(7))).toBe(0);
    limiter.refused(1, edit(7), own(30));
    expect(limiter.delayMs(1, message(7))).toBe(30_000);
    time.now += 30_000;
    for (let i = 0; i < 2; i++) limiter.take(1, message(7));
    expect(limiter.delayMs(1, message(7))).toBe(1_000);
  });

  it('drops what is long over when there are many chats, also after a 429', () => {
    const { time, limiter } = create();
    for (let chat = 1; chat <= 30_000; chat++) limiter.refused(1, draft(chat), own(1));
    expect(limiter.size()).toBe(30_000);
    time.now += 3_600_000;
    for (let chat = 40_000; chat < 51_000; chat++) limiter.take(2, message(chat));
    expect(limiter.size()).toBeLessThan(20_000);
  });

  it('forgets a bot', () => {
    const { limiter } = create();
    limiter.refused(1, message(7), own(30));
    limiter.refused(1, message(0), own(30));
    limiter.refused(11, message(7), own(30));
    limiter.forget(1);
    expect(limiter.delayMs(1, message(7))).toBe(0);
    expect(limiter.delayMs(11, message(7))).toBe(30_000);
  });
});

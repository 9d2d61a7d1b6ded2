import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { outboxSendId } from '../../store/apps/app-sends.ts';
import { createAppSends } from './app-sends.ts';

function setUp() {
  const clock = createManualClock();
  const stored = new Set<string>();
  const ends: string[] = [];
  const sends = createAppSends({
    clock,
    store: {
      begin: async ({ id }) => void stored.add(id),
      async end(ids) {
        ends.push(...ids);
        for (const id of ids) stored.delete(id);
      },
    },
    onError: () => {},
  });
  /** Holds the result of a wait; undefined until it ends. */
  function wait(...ids: string[]) {
    const wait: { left?: readonly string[] } = {};
    void sends.wait(ids).then((left) => (wait.left = left));
    return wait;
  }
  return { clock, sends, stored, ends, wait };
}

describe('a reply to what an app may be sending', () => {
  it('looks again when one of the sends has ended', async () => {
    const { clock, sends, wait } = setUp();
    const waits = wait('a', 'b');
    await clock.advance(50);
    expect(waits.left).toBeUndefined();
    sends.ended('b');
    await clock.advance(0);
    expect(waits.left).toEqual(['a', 'b']);
  });

  it('looks again after a moment, in case that nobody told it', async () => {
    const { clock, wait } = setUp();
    const waits = wait('a');
    await clock.advance(100);
    expect(waits.left).toEqual(['a']);
  });

  it('waits a second in all for a send, however many replies there are', async () => {
    const { clock, sends, stored, ends, wait } = setUp();
    const id = await sends.begin({ botId: 1, appId: 2, chatId: 3 });
    expect([...stored]).toEqual([id]);
    for (let passed = 0; passed < 900; passed += 100) {
      const waits = wait(id);
      await clock.advance(100);
      expect(waits.left).toEqual([id]);
    }
    const last = [wait(id), wait(id)];
    expect(sends.isAwaited(id)).toBe(true);
    await clock.advance(100);
    expect(last.map(({ left }) => left)).toEqual([[], []]);
    expect(sends.isAwaited(id)).toBe(false);
    expect(stored.size).toBe(0);
    const late = wait(id);
    await clock.advance(0);
    expect(late.left).toEqual([]);
    // Several waits end the send with one commit.
    expect(ends).toEqual([id]);
  });

  it('stores no end of a send of the outbox, which has an end there', async () => {
    const { clock, ends, sends, wait } = setUp();
    const id = outboxSendId(7);
    for (let passed = 0; passed < 1_000; passed += 100) {
      wait(id);
      await clock.advance(100);
    }
    expect(sends.isAwaited(id)).toBe(false);
    expect(ends).toEqual([]);
  });

  it('forgets no send in flight, however many there are', async () => {
    const { clock, sends, wait } = setUp();
    wait('first');
    await clock.advance(500);
    wait(...Array.from({ length: 1_500 }, (_, index) => `send ${index}`));
    await clock.advance(500);
    expect(sends.isAwaited('first')).toBe(false);
    wait('next');
    await clock.advance(100);
    // The oldest send is over and forgotten.
    expect(sends.isAwaited('first')).toBe(true);
    expect(sends.isAwaited('next')).toBe(true);
  });
});

it('a send goes out after a second if the database does not answer', async () => {
  const clock = createManualClock();
  const sends = createAppSends({
    clock,
    store: { begin: () => new Promise(() => {}), end: async () => {} },
    onError: () => {},
  });
  let begun = false;
  void sends.begin({ botId: 1, appId: 2, chatId: 3 }).then(() => (begun = true));
  await clock.advance(999);
  expect(begun).toBe(false);
  await clock.advance(1);
  expect(begun).toBe(true);
});

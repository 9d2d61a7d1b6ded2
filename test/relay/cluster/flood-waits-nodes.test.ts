import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createPacing } from '../../../src/relay/pacing/pacing.ts';
import type { Notifications } from '../../../src/store/cluster/notifications.ts';
import { listenForNotifications } from '../../../src/store/postgres/notifications.ts';
import { createTestStore, type TestStore } from '../../support/database/store.ts';
import { createTestEvents } from '../../support/rigs/test-events.ts';

describe('flood waits of several nodes', () => {
  let test: TestStore;
  let open: Notifications[] = [];

  beforeEach(async () => {
    test = await createTestStore('postgres');
  });
  afterEach(async () => {
    for (const one of open) await one.close();
    open = [];
    await test.close();
  });

  async function startNode() {
    const url = test.database.databaseUrl;
    const notifications = await listenForNotifications({
      url,
      clock: systemClock,
      random: () => 0.5,
    });
    open.push(notifications);
    const events = createTestEvents(systemClock);
    const metrics = { paced: () => {}, floodWaited: () => {} };
    const { pacer } = createPacing({ clock: systemClock, events, metrics, notifications });
    /** What the node does with a draft of a paced app: it is sent, or left out. */
    const draft = (chat: string, botId = 7) =>
      pacer.run({
        botId,
        chat,
        app: 'agent',
        method: 'sendMessageDraft',
        pacedClass: 'draft',
        messages: [],
        patienceMs: 0,
        bytes: 0,
        gone: new AbortController().signal,
        send: () => Promise.resolve({ kind: 'ended', isAccepted: true, answer: undefined }),
      });
    return { events, draft };
  }

  it('hold the other nodes within 300 ms of a 429, for each chat', async () => {
    const [one, two] = [await startNode(), await startNode()];
    expect(await two.draft('6')).toEqual({ kind: 'ended' });
    const limit = (chat: string, botId = 7) =>
      one.events.publish('rateLimited', botId, {
        app: 'agent',
        chat,
        method: 'sendMessage',
        retryAfterSeconds: 60,
      });
    const untilHeld = (chat: string, botId = 7) =>
      vi.waitFor(async () => expect(await two.draft(chat, botId)).toEqual({ kind: 'dropped' }), {
        interval: 1,
      });
    for (const chat of ['5', '6']) limit(chat);
    await Promise.all(['5', '6'].map((chat) => untilHeld(chat)));
    // Most of many, because others use the processors meanwhile.
    const heldAfterMs: number[] = [];
    // A bot each: it also has a limit of its own, once a chat has to wait.
    for (let botId = 10; botId < 31; botId++) {
      const from = systemClock.monotonic();
      limit('5', botId);
      await untilHeld('5', botId);
      heldAfterMs.push(systemClock.monotonic() - from);
    }
    const [fastest, median, slowest] = [0, 10, 20].map((at) =>
      Math.round(heldAfterMs.toSorted((x, y) => x - y)[at] ?? 0),
    );
    process.stdout.write(
      `held after ${fastest} ms, ${median} ms, ${slowest} ms (median between)\n`,
    );
    expect(median).toBeLessThan(300);
  });
});

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
    const draft = (chat: string) =>
      pacer.run({
        botId: 7,
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

  it('hold the other nodes soon after a 429, for each chat', async () => {
    const [one, two] = [await startNode(), await startNode()];
    expect(await two.draft('6')).toEqual({ kind: 'ended' });
    const askedAt = systemClock.monotonic();
    for (const chat of ['5', '6']) {
      const limited = { app: 'agent', chat, method: 'sendMessage', retryAfterSeconds: 60 };
      one.events.publish('rateLimited', 7, limited);
    }
    for (const chat of ['5', '6']) {
      await vi.waitFor(async () => expect(await two.draft(chat)).toEqual({ kind: 'dropped' }), {
        interval: 5,
      });
    }
    // The goal is 300 ms; a busy machine may take longer.
    expect(systemClock.monotonic() - askedAt).toBeLessThan(2_000);
  });
});

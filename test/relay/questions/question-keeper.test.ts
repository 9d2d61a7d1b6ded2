import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { localCaller } from '../../../src/core/access/access.ts';
import { authorOf } from '../../../src/core/messages/author.ts';
import type { Question } from '../../../src/core/questions/question.ts';
import { createBackground } from '../../../src/relay/async/background.ts';
import { createQuestionKeeper } from '../../../src/relay/questions/question-keeper.ts';
import type { Store } from '../../../src/store/store.ts';
import { createGuardedAgent } from '../../../src/telegram/guarded-agent.ts';
import { createTestStore } from '../../support/database/store.ts';
import { dialects } from '../../support/database/engines.ts';
import { serve } from '../../support/local-server.ts';

const dayMs = 86_400_000;

/** Ends questions of a bot that call this address. */
async function end(store: Store, name: string, url: string, count: number): Promise<number> {
  const bot = { token: `${name}:a`, source: 'web' as const };
  const { id: botId } = await store.bots.insert(bot, 1_000);
  const nowMs = Date.now();
  for (let index = 0; index < count; index++) {
    const asked = await store.questions.ask(
      {
        botId,
        chatId: 5,
        threadId: 0,
        text: 'Refund?',
        options: ['Yes', 'No'],
        userIds: [],
        askedBy: authorOf(localCaller),
        nonce: 'n'.repeat(16),
        expiresAt: nowMs + dayMs,
        callbackUrl: url,
      },
      undefined,
      nowMs,
    );
    await store.questions.end({ id: (asked as Question).id, state: 'cancelled', nowMs });
  }
  return botId;
}

/** Keeps questions until the test ends, and hears of failures. */
function keep(store: Store, mode: 'private-ok' | 'public') {
  const connections = createGuardedAgent({ policy: { mode, allow: [] } });
  const background = createBackground();
  const stop = new AbortController();
  const keeper = createQuestionKeeper({
    clock: systemClock,
    random: () => 0.5,
    store,
    connections,
    background,
    giveUpAfterMs: dayMs,
    onEnded() {},
    onQueued() {},
    onError: (error) => expect.unreachable(String(error)),
  });
  const done = keeper.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await connections.destroy();
    await Promise.all([done, background.end()]);
  });
}

describe.each(dialects)('calls of callback URLs on %s', (dialect) => {
  async function open() {
    const { close, store } = await createTestStore(dialect);
    const called: string[] = [];
    const server = await serve((request, response) => {
      called.push(request.url ?? '');
      if (request.url === '/moved') response.writeHead(307, { location: '/taken' }).end();
      else if (request.url !== '/hangs') response.writeHead(204).end();
    });
    onTestFinished(close);
    onTestFinished(server.close);
    const statesOf = async (botId: number) =>
      (await store.questions.list({ botIds: [botId], chatIds: null, limit: 10 })).map(
        ({ callbackError, callbackState }) => ({ callbackError, callbackState }),
      );
    return { called, server, statesOf, store };
  }

  it('of one bot that hang delay those of no other', async () => {
    const { called, server, statesOf, store } = await open();
    await end(store, '1', `${server.url}/hangs`, 220);
    const other = await end(store, '2', `${server.url}/taken`, 1);
    keep(store, 'private-ok');
    await vi.waitFor(async () => {
      expect(await statesOf(other)).toEqual([{ callbackError: '', callbackState: 'delivered' }]);
    });
    expect(called.filter((url) => url === '/hangs').length).toBeLessThanOrEqual(10);
  });

  it('follow no redirect', async () => {
    const { called, server, statesOf, store } = await open();
    const bot = await end(store, '1', `${server.url}/moved`, 1);
    keep(store, 'private-ok');
    await vi.waitFor(async () => {
      expect((await statesOf(bot))[0]?.callbackError).toContain('307');
    });
    expect(called).toEqual(['/moved']);
  });

  it('reach no private network by a name, if RELAY_BACKENDS does not allow it', async () => {
    const { called, server, statesOf, store } = await open();
    const bot = await end(store, '1', `http://localhost:${server.port}/taken`, 1);
    keep(store, 'public');
    await vi.waitFor(async () => {
      expect(await statesOf(bot)).toEqual([
        { callbackError: expect.stringContaining('backend_not_allowed'), callbackState: 'waiting' },
      ]);
    });
    expect(called).toEqual([]);
  });
});

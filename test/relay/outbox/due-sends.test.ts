import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDueSends } from '../../../src/relay/outbox/due-sends.ts';
import { raw } from '../../../src/store/engine.ts';
import { applyMove } from '../../../src/store/messages/chat-moves.ts';
import { createScheduledSendRepository } from '../../../src/store/outbox/scheduled-sends.ts';
import { dialects } from '../../support/database/engines.ts';
import { createOutboxRig, type OutboxRig } from '../../support/rigs/outbox-rig.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe.each(dialects)('scheduled sends on %s', (dialect) => {
  let rig: OutboxRig;
  let repository: ReturnType<typeof createScheduledSendRepository>;
  const ends: AbortController[] = [];

  beforeEach(async () => {
    rig = await createOutboxRig(dialect);
    repository = createScheduledSendRepository(rig.engine);
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) end.abort();
    await rig.close();
  });

  /** A node that looks for due sends. */
  function startNode(): AbortController {
    const end = new AbortController();
    ends.push(end);
    const { clock, workers, fail: onError } = rig;
    const onQueued = (botIds: ReadonlySet<number>) => botIds.forEach(workers.wakeAnywhere);
    const due = createDueSends({ clock, scheduledSends: repository, onQueued, onError });
    void due.keepRunning(end.signal);
    return end;
  }
  async function schedule(text: string, inMs: number, most = 100): Promise<number> {
    const { params, following: _, method, ...intent } = rig.intent(text);
    const content = {
      sendAt: rig.clock.now() + inMs,
      request: JSON.stringify({ chat_id: rig.chatId, text }),
      method,
      params,
      following: [],
      fileIds: [],
    };
    return (await repository.add(intent, content, most, rig.clock.now())) ?? 0;
  }
  const list = () => repository.list({ botIds: null, chatIds: null, limit: 1_000 });

  it('go out once, with two nodes and a crash between the time and the send', async () => {
    const { bot, arrived, until, workers, clock } = rig;
    const nodes = [startNode(), startNode()];
    await schedule('a', hourMs);
    await schedule('b', 2 * hourMs);
    workers.start(bot.id);
    await clock.advance(hourMs - 1_000);
    expect(arrived()).toEqual([]);
    await until(() => arrived().length === 1);
    await workers.stop(bot.id);
    await until(async () => (await list()).some(({ state }) => state === 'queued'), minuteMs);
    nodes.forEach((node) => node.abort());
    expect(arrived()).toEqual(['a']);
    startNode();
    workers.start(bot.id);
    await until(() => arrived().length === 2);
    await clock.advance(minuteMs);
    expect(arrived()).toEqual(['a', 'b']);
    expect(await list()).toEqual([]);
  });

  it('follow a clock that is set forward, and back, and hold up no other send', async () => {
    const { bot, arrived, until, workers, clock, outbox, intent } = rig;
    startNode();
    workers.start(bot.id);
    await schedule('noon', hourMs);
    clock.shiftWall(-hourMs);
    await outbox.enqueue(intent('at once'), clock.now());
    workers.wake(bot.id);
    await until(() => arrived().length === 1);
    await clock.advance(hourMs + minuteMs);
    expect(arrived()).toEqual(['at once']);
    clock.shiftWall(hourMs);
    await until(() => arrived().length === 2);
    expect(arrived()).toEqual(['at once', 'noon']);
  });

  it('count the time for which they are tried from when they are due', async () => {
    const { bot, arrived, until, workers, clock, sandbox } = rig;
    await schedule('tried again', 2 * hourMs);
    startNode();
    workers.start(bot.id);
    sandbox.fault({
      kind: 'too_many_requests',
      method: 'sendMessage',
      times: 1,
      retryAfterSeconds: 5,
    });
    await clock.advance(2 * hourMs - 1_000);
    await until(() => arrived().length === 1);
    expect(arrived()).toEqual(['tried again']);
  });

  it('are not sent as they were before a change that came in time', async () => {
    const { bot, clock, outbox } = rig;
    const id = await schedule('before', 1_000);
    await clock.advance(2_000);
    await repository.release(clock.now());
    const [read] = await outbox.queued(bot.id, 1, clock.now());
    await clock.advance(1);
    const content = { method: 'sendMessage', params: { text: 'after' }, following: [] };
    const changed = { ...content, sendAt: clock.now(), request: '{}', fileIds: [] };
    expect(await repository.change(id, changed, clock.now())).toBe(true);
    await repository.release(clock.now());
    const stale = read as NonNullable<typeof read>;
    expect(await outbox.take(stale, 'this', clock.now())).toBe(false);
    const [fresh] = await outbox.queued(bot.id, 1, clock.now());
    expect(fresh?.params).toContain('after');
    expect(await outbox.take(fresh as NonNullable<typeof fresh>, 'this', clock.now())).toBe(true);
  });

  it('become queued a portion at a time, if many are due', async () => {
    const { bot, clock } = rig;
    await Promise.all(Array.from({ length: 501 }, (_, n) => schedule(String(n), 1_000, 1_000)));
    await clock.advance(1_000);
    const now = clock.now();
    expect(await repository.release(now)).toEqual({ botIds: [bot.id], nextAt: now });
    expect((await list()).filter(({ state }) => state === 'scheduled')).toHaveLength(1);
    expect(await repository.release(now)).toEqual({ botIds: [bot.id], nextAt: Infinity });
  });

  it('move with a group that becomes a supergroup', async () => {
    const { bot, chatId, clock, engine } = rig;
    await schedule('to the group', hourMs);
    await engine.write(function* () {
      yield* raw(
        `insert into chats (bot_id, chat_id, type, title, updated_at) values ($1, $2, 'group', '', 1)
         on conflict (bot_id, chat_id) do nothing`,
        [bot.id, chatId],
      );
      const move = { botId: bot.id, fromChatId: chatId, toChatId: -1001 };
      yield* applyMove(dialect, move, clock.now());
    });
    const [moved] = await list();
    expect(moved).toMatchObject({ chatId: -1001 });
    for (const text of [moved?.params, moved?.request]) {
      expect(JSON.parse(text ?? '{}')).toMatchObject({ chat_id: -1001, text: 'to the group' });
    }
  });
});

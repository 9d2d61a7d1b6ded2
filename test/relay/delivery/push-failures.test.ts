import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/logger.ts';
import { dialects } from '../../support/database/engines.ts';
import { createPushRig, message, type PushRig } from '../../support/rigs/delivery-rig.ts';

describe.each(dialects)('push when things fail on %s', (dialect) => {
  let rig: PushRig;
  const use = async (settings: Parameters<typeof createPushRig>[1] = {}) => {
    rig = await createPushRig(dialect, settings);
    await rig.apply();
  };
  beforeEach(() => use());
  afterEach(() => rig.close());
  const again = async (settings: Parameters<typeof createPushRig>[1]) => {
    await rig.close();
    await use(settings);
  };
  const retryQueues = () => rig.retryQueues.list(rig.bot, 'push', 100);
  const dead = () => rig.dead.list({ botIds: [rig.bot], limit: 100 });

  it('makes a dead letter in the end, with its reason, and goes on with the queue', async () => {
    await again({ giveUpAfterMs: 600_000 });
    rig.backend.answer = ({ updateId }) => (updateId === 1 ? { status: 500 } : {});
    await rig.receive([message(1, 1, 'poison'), message(2, 1)]);
    const began = rig.clock.now();
    await rig.answered(2);
    await rig.until(() => rig.backend.arrivals.at(-1)?.updateId === 2, 5_000);
    await rig.until(async () => (await retryQueues()).length === 0, 10);
    expect(await dead()).toMatchObject([
      { position: 1, update_id: 1, queue: 'c1', reason: 'answered 500', replayed_at: 0 },
    ]);
    const [letter] = await dead();
    expect(letter?.raw).toContain('poison');
    expect(letter?.died_at).toBeGreaterThanOrEqual(began + 600_000);
    expect(letter?.died_at).toBeLessThan(began + 620_000);
    expect((await rig.cursor())?.position).toBe(2);
    expect(rig.pushers.statusHere(rig.bot)).toBe('ok');
  });

  it('replays a dead letter that the log no longer holds, marked, and then forgets it', async () => {
    await again({ giveUpAfterMs: 1_000 });
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await dead()).length === 1, 500);
    await rig.engine.write(function* () {
      yield { sql: 'delete from log where bot_id = $1', parameters: [rig.bot] };
    });
    const before = rig.backend.arrivals.length;
    rig.backend.answer = () => ({});
    const letters = await dead();
    expect(await rig.dead.replay(rig.bot, 'push', [letters[0]?.id ?? 0], rig.clock.now())).toBe(1);
    expect(await rig.dead.replay(rig.bot, 'push', undefined, rig.clock.now())).toBe(0);
    await rig.pushers.wake(rig.bot);
    await rig.until(() => rig.backend.arrivals.length === before + 1);
    expect(rig.backend.arrivals.at(-1)?.headers['x-bot-relay-replay']).toBe('true');
    await rig.until(async () => (await dead()).length === 0, 10);
    expect(await retryQueues()).toEqual([]);
    const [attempt] = await rig.deliveries.attempts({ botIds: null, reader: 'push', limit: 1 });
    expect(attempt).toMatchObject({ position: 1, replay: 1, status: 200 });
  });

  it('keeps a replayed letter that fails to the end once more, as one letter', async () => {
    await again({ giveUpAfterMs: 1_000 });
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await dead()).length === 1, 500);
    const [first] = await dead();
    rig.backend.answer = () => ({ status: 418 });
    await rig.dead.replay(rig.bot, 'push', undefined, rig.clock.now());
    await rig.pushers.wake(rig.bot);
    await rig.until(async () => (await dead())[0]?.reason === 'answered 418', 500);
    expect(await dead()).toMatchObject([{ position: 1, replayed_at: 0 }]);
    expect((await dead())[0]?.id).not.toBe(first?.id);
  });

  it('replays a stretch of the log in order, before what is newer in the same chat', async () => {
    await rig.receive([message(1, 1), message(2, 2), message(3, 1), message(4, 1)]);
    await rig.until(async () => (await rig.cursor())?.position === 4, 10);
    expect(
      await rig.deliveries.replayRange(rig.bot, 'push', { from: 1, to: 3 }, rig.clock.now()),
    ).toBe(3);
    await rig.receive([message(5, 3)]);
    await rig.pushers.wake(rig.bot);
    await rig.until(() => rig.backend.arrivals.length === 8, 1);
    expect(rig.arrivedOf(1)).toEqual([1, 3, 4, 1, 3]);
    expect(rig.arrivedOf(2)).toEqual([2, 2]);
    await rig.until(async () => (await retryQueues()).length === 0, 10);
    await rig.receive([message(6, 1)]);
    await rig.until(() => rig.arrivedOf(1).at(-1) === 6);
  });

  it('replays into a queue that is being delivered, one at a time still', async () => {
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await rig.cursor())?.position === 1, 10);
    let letGo: (answer: object) => void = () => {};
    rig.backend.answer = ({ updateId }) =>
      updateId === 2 ? new Promise((resolve) => (letGo = resolve)) : {};
    await rig.receive([message(2, 1), message(3, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 2);
    await rig.deliveries.replayRange(rig.bot, 'push', { from: 1, to: 1 }, rig.clock.now());
    await rig.pushers.wake(rig.bot);
    letGo({});
    await rig.until(() => rig.backend.arrivals.length === 4, 1);
    expect(rig.arrivedIds()).toEqual([1, 2, 1, 3]);
    expect(rig.backend.most.chat).toBe(1);
    await rig.until(async () => (await rig.cursor())?.position === 3, 10);
    expect((await rig.cursor())?.state).toBe('');
  });

  it('tries a queue at once when asked to', async () => {
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1)]);
    await rig.answered(2);
    await rig.until(async () => (await retryQueues()).length === 1, 1);
    rig.backend.answer = () => ({});
    expect(await rig.retryQueues.retryNow(rig.bot, 'push', 'c1', rig.clock.now())).toBe(1);
    await rig.pushers.wake(rig.bot);
    await rig.until(() => rig.backend.arrivals.length === 3);
  });

  it('repeats after a crash only what had not been answered', async () => {
    const stuck = new Set([3, 7]);
    rig.seen.held = 2;
    rig.backend.answer = ({ updateId }) => (stuck.has(updateId) ? new Promise(() => {}) : {});
    await rig.receive(Array.from({ length: 10 }, (_, index) => message(index + 1, index + 1)));
    await rig.answered(8);
    await rig.until(async () => ((await rig.cursor())?.state ?? '').includes('[8,10]'), 10);
    expect(await rig.cursor()).toMatchObject({
      position: 2,
      state: '{"finished":[[4,6],[8,10]]}',
    });
    await rig.crash();
    rig.seen.held = 0;
    rig.backend.answer = () => ({});
    rig.backend.arrivals.length = 0;
    await rig.apply();
    await rig.receive([message(11, 4)]);
    await rig.until(async () => (await rig.cursor())?.position === 11, 10);
    expect(rig.arrivedIds().sort((a, b) => a - b)).toEqual([3, 7, 11]);
  });

  it('keeps retry queues over a crash, with their order and failure counts', async () => {
    rig.backend.answer = ({ chatId }) => (chatId === 1 ? { status: 500 } : {});
    await rig.receive([message(1, 1), message(2, 2), message(3, 1)]);
    await rig.answered(3);
    await rig.until(async () => (await retryQueues())[0]?.attempts === 2, 10);
    await rig.crash();
    rig.backend.arrivals.length = 0;
    await rig.apply();
    await rig.receive([message(4, 1)]);
    await rig.until(async () => (await rig.cursor())?.position === 4, 10);
    await rig.until(async () => (await retryQueues())[0]?.attempts === 3, 50);
    expect(await retryQueues()).toMatchObject([{ queue: 'c1', attempts: 3, waiting: 3 }]);
    rig.backend.answer = () => ({});
    await rig.until(async () => (await retryQueues()).length === 0, 500);
    expect(rig.arrivedIds().slice(-3)).toEqual([1, 3, 4]);
  });

  it('opens the circuit breaker for a dead backend, probes it gently and recovers step by step', async () => {
    rig.backend.answer = () => ({ status: 502 });
    const first = Array.from({ length: 200 }, (_, index) => message(index + 1, index + 1));
    await rig.receive(first);
    await rig.until(() => rig.pushers.statusHere(rig.bot) === 'paused');
    await rig.quiet();
    // Nine are in retry queues; those in flight with the tenth stay in the log.
    await rig.until(async () => (await retryQueues()).length > 0, 1);
    expect((await retryQueues()).length).toBeLessThan(20);
    const before = rig.backend.arrivals.length;
    expect(before).toBeLessThan(80);
    await rig.clock.advance(5_000);
    await rig.until(() => rig.backend.arrivals.length === before + 1);
    await rig.until(async () => (await rig.cursor())?.state.includes('"paused":true') ?? false, 10);
    // Twice as long, and so on up to a minute.
    const times: number[] = [];
    for (let probe = 2; probe <= 6; probe++) {
      await rig.until(() => rig.backend.arrivals.length === before + probe, 250);
      times.push(rig.clock.now());
    }
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThan(Math.max(5_000, (gaps[index - 1] ?? 0) * 0.9));
      expect(gap).toBeLessThanOrEqual(62_000);
    }
    expect((await retryQueues()).length).toBeLessThan(20);

    // Each request is held until all that are under way have arrived: that shows the recovery.
    let open = 0;
    const ramp: number[] = [];
    rig.backend.most.all = 0;
    rig.backend.answer = async () => {
      open++;
      while (open < rig.seen.begun - rig.seen.answered) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      ramp.push(open);
      open--;
      return {};
    };
    await rig.until(() => new Set(rig.arrivedIds()).size === 200 && open === 0, 250);
    expect(Math.max(...ramp.slice(0, 1))).toBe(1);
    expect(Math.max(...ramp.slice(0, 3))).toBeLessThanOrEqual(2);
    expect(Math.max(...ramp.slice(0, 7))).toBeLessThanOrEqual(4);
    expect(Math.max(...ramp)).toBeGreaterThan(8);
    await rig.until(async () => (await rig.cursor())?.position === 200, 50);
    await rig.until(async () => (await retryQueues()).length === 0, 50);
    await rig.until(() => rig.pushers.statusHere(rig.bot) === 'ok', 50);
  });

  it('logs each change of the backend once, a failure as a warning with its reason', async () => {
    const logged: unknown[] = [];
    const write = (line: string) => void logged.push(JSON.parse(line));
    await rig.crash({ logger: createLogger({ level: 'info', write }) });
    await rig.apply();
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await rig.cursor())?.position === 1, 50);
    rig.backend.answer = () => ({ status: 502 });
    await rig.receive([message(2, 2)]);
    await rig.until(async () => (await retryQueues()).length === 1, 50);
    rig.backend.answer = () => ({});
    await rig.until(async () => (await retryQueues()).length === 0, 250);
    await rig.until(() => rig.pushers.statusHere(rig.bot) === 'ok', 50);
    await rig.receive([message(3, 3)]);
    await rig.until(async () => (await rig.cursor())?.position === 3, 50);
    expect(logged).toMatchObject([
      { level: 40, status: 'failing', reason: 'answered 502' },
      { level: 30, status: 'ok' },
    ]);
    expect(logged[1]).not.toHaveProperty('reason');
  });

  it('logs that a backend is well again once all is delivered, however few that was', async () => {
    const statuses: string[] = [];
    const write = (line: string) =>
      void statuses.push((JSON.parse(line) as { status: string }).status);
    await rig.crash({ logger: createLogger({ level: 'info', write }) });
    await rig.apply();
    for (const first of [1, 101]) {
      statuses.length = 0;
      rig.backend.answer = () => ({ status: 502 });
      await rig.receive(Array.from({ length: 15 }, (_, one) => message(first + one, first + one)));
      await rig.until(() => rig.pushers.statusHere(rig.bot) === 'paused');
      rig.backend.answer = () => ({});
      await rig.until(() => rig.pushers.statusHere(rig.bot) === 'ok', 250);
      await rig.until(async () => (await retryQueues()).length === 0, 50);
      expect(statuses).toEqual(['failing', 'paused', 'failing', 'ok']);
    }
  });

  it('stays paused over a crash while the backend is dead, with one probe and no stampede', async () => {
    rig.backend.answer = () => ({ status: 502 });
    await rig.receive(Array.from({ length: 100 }, (_, index) => message(index + 1, index + 1)));
    await rig.until(async () => (await rig.cursor())?.state.includes('paused') ?? false, 10);
    await rig.quiet();
    await rig.crash();
    rig.backend.arrivals.length = 0;
    await rig.apply();
    await rig.clock.advance(2_000);
    expect(rig.backend.arrivals.length).toBe(0);
    await rig.clock.advance(3_000);
    await rig.until(() => rig.backend.arrivals.length === 1);
  });

  it('does not pause for a few chats that fail again and again', async () => {
    const bad = new Set([1, 2, 3, 4]);
    rig.backend.answer = ({ chatId }) => (bad.has(chatId) ? { status: 500 } : {});
    await rig.receive([1, 2, 3, 4].map((id) => message(id, id)));
    await rig.until(() => rig.backend.arrivals.length > 30, 1_000);
    expect(rig.pushers.statusHere(rig.bot)).toBe('failing');
    await rig.receive([message(5, 5)]);
    await rig.until(() => rig.arrivedOf(5).length === 1);
  });

  it('does not pause for one chat, however long it fails', async () => {
    rig.backend.answer = ({ chatId }) => (chatId === 1 ? { status: 500 } : {});
    await rig.receive(Array.from({ length: 20 }, (_, index) => message(index + 1, 1)));
    await rig.until(() => rig.arrivedOf(1).length > 12, 2_000);
    expect(rig.pushers.statusHere(rig.bot)).toBe('failing');
  });

  it('leaves retry queues beyond a limit in the store, and still delivers each in order', async () => {
    await again({ mostRetryQueues: 3, maxConnections: 4 });
    const chats = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let broken = true;
    rig.backend.answer = ({ chatId }) => (broken && chatId < 9 ? { status: 500 } : {});
    // Healthy ones in between, so that the breaker stays closed.
    const mixed = chats.flatMap((chat) => [message(chat, chat), message(100 + chat, 9)]);
    await rig.receive(mixed);
    await rig.until(async () => (await retryQueues()).length === 8, 5);
    await rig.receive(chats.map((chat) => message(200 + chat, chat)));
    await rig.until(async () => (await rig.cursor())?.position === mixed.length + 9, 5);
    expect((await retryQueues()).every((queue) => queue.waiting === 2)).toBe(true);
    broken = false;
    await rig.until(async () => (await retryQueues()).length === 0, 200);
    for (const chat of chats.slice(0, 8)) {
      expect(rig.arrivedOf(chat).slice(-2)).toEqual([chat, 200 + chat]);
    }
    await rig.receive([message(300, 1)]);
    await rig.until(() => rig.arrivedIds().at(-1) === 300, 5);
  });

  it('moves a flooding chat aside so that it does not fill the memory of the others', async () => {
    await again({ mostUnfinished: 20 });
    rig.seen.held = 1;
    let letGo: (answer: object) => void = () => {};
    rig.backend.answer = ({ updateId }) =>
      updateId === 1 ? new Promise((resolve) => (letGo = resolve)) : {};
    await rig.receive(Array.from({ length: 60 }, (_, index) => message(index + 1, 1)));
    await rig.receive([message(61, 2)]);
    await rig.until(() => rig.backend.arrivals.length === 1);
    await rig.receive([message(62, 3)]);
    await rig.until(() => rig.arrivedOf(2).length === 1 && rig.arrivedOf(3).length === 1, 500);
    expect(rig.arrivedOf(1)).toEqual([1]);
    letGo({});
    rig.seen.held = 0;
    await rig.until(() => rig.arrivedOf(1).length === 60, 10);
    expect(rig.arrivedOf(1)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    await rig.until(async () => (await rig.cursor())?.position === 62, 10);
  });

  it('keeps nobody waiting for a delivery that broke off, and begins again', async () => {
    let isBroken = true;
    await rig.crash({
      events: {
        publish() {
          if (isBroken) throw new Error('broken');
        },
      },
    });
    rig.backend.answer = () => ({ status: 500 });
    await rig.apply();
    await rig.receive([message(1, 1)]);
    await rig.answered(1);
    // The delivery ends as it reports the failing backend; from here on no time passes.
    await rig.pushers.settle(rig.bot);
    isBroken = false;
    rig.backend.answer = () => ({});
    await rig.until(async () => (await rig.cursor())?.position === 1, 500);
    await rig.until(async () => (await retryQueues()).length === 0, 500);
    expect(rig.pushers.statusHere(rig.bot)).toBe('ok');
  });
});

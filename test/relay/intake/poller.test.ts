import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { updateKinds } from '../../../src/core/log/update-kinds.ts';
import { reason } from '../../../src/core/reasons/reason.ts';
import { RelayError } from '../../../src/errors.ts';
import { createDatabase, type Database, dialects } from '../../support/database/engines.ts';
import { serve } from '../../support/local-server.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { type RelayNode, startRelayNode } from '../../support/rigs/relay-node.ts';

interface Poll {
  timeout: number;
  offset: number | undefined;
  allowedUpdates: string[] | undefined;
  answer(status: number, body: unknown): void;
  cut(): void;
  gone: boolean;
}

/** A platform that the test controls, one poll at a time. */
async function startScriptedPlatform() {
  const polls: Poll[] = [];
  const calls: string[] = [];
  let taken = 0;
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  const { url, close } = await serve((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://platform');
    const method = pathname.split('/').at(-1) ?? '';
    calls.push(method);
    if (method !== 'getUpdates') {
      const info = { url: '', has_custom_certificate: false, pending_update_count: 0 };
      send(response, 200, { ok: true, result: method === 'getWebhookInfo' ? info : true });
      return;
    }
    const allowed = searchParams.get('allowed_updates');
    const offset = searchParams.get('offset');
    const poll: Poll = {
      timeout: Number(searchParams.get('timeout')),
      offset: offset === null ? undefined : Number(offset),
      allowedUpdates: allowed === null ? undefined : (JSON.parse(allowed) as string[]),
      answer: (status, body) => send(response, status, body),
      cut: () => request.socket.destroy(),
      gone: false,
    };
    response.on('close', () => {
      poll.gone = true;
    });
    polls.push(poll);
  });
  return {
    url,
    close,
    polls,
    calls,
    /** The next poll that was not looked at yet. */
    async next(): Promise<Poll> {
      const index = taken++;
      await vi.waitFor(() => expect(polls.length).toBeGreaterThan(index), {
        interval: 2,
      });
      return polls[index] as Poll;
    },
    untaken: () => polls.length - taken,
  };
}

const update = (id: number, text = 'hello') => ({
  update_id: id,
  message: { message_id: id, date: 1, chat: { id: 5, type: 'private' }, text },
});
const batch = (...updates: unknown[]) => ({ ok: true, result: updates });
const refusal = (error_code: number, description: string, parameters?: object) => ({
  ok: false,
  error_code,
  description,
  ...(parameters && { parameters }),
});
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(dialects)('poller on %s', (dialect) => {
  let database: Database;
  let platform: Awaited<ReturnType<typeof startScriptedPlatform>>;
  let clock: ManualClock;
  let node: RelayNode;
  let botId: number;
  const token = '123456:a-secret-that-nobody-sees';

  beforeEach(async () => {
    database = await createDatabase(dialect);
    platform = await startScriptedPlatform();
    clock = createManualClock();
    node = await startRelayNode({ database, platformUrl: platform.url, clock, singleNode: true });
    botId = (await node.store.bots.insert({ token, source: 'web' }, clock.now())).id;
  });
  afterEach(async () => {
    await node.stop();
    await platform.close();
    await database.drop();
  });

  const begin = () => void node.supervisor.apply(botId);
  /** Past the first call, which is answered at once. */
  async function beginIdle(): Promise<void> {
    begin();
    (await platform.next()).answer(200, batch());
  }
  const ids = async () =>
    (await node.store.log.read(botId, 0, 1_000)).map((entry) => entry.updateId);
  const status = async () => (await node.supervisor.statusOf([botId])).get(botId);
  const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 2 });
  /** The next call must come only after the clock moved by about that much. */
  async function nextAfter(ms: number): Promise<Poll> {
    await pause(40);
    expect(platform.untaken()).toBe(0);
    // More than once: on a slow machine the wait may begin after the first.
    await until(async () => {
      await clock.advance(ms);
      await pause(5);
      expect(platform.untaken()).toBeGreaterThan(0);
    });
    return await platform.next();
  }

  it('tries every second to store what it received while the store fails, and does not ask for it again', async () => {
    await beginIdle();
    const triedAt: number[] = [];
    const append = vi.spyOn(node.log, 'append').mockImplementation(async () => {
      triedAt.push(clock.monotonic());
      throw new RelayError('database_unavailable', reason('database_disk_full'));
    });
    (await platform.next()).answer(200, batch(update(7)));
    await until(async () => {
      await clock.advance(100);
      expect(triedAt.length).toBeGreaterThan(40);
    });
    for (const [index, at] of triedAt.entries()) {
      expect(at - (triedAt[index - 1] ?? at)).toBeLessThan(2_000);
    }
    expect(platform.untaken()).toBe(0);
    append.mockRestore();
    expect(await nextAfter(1_000)).toMatchObject({ offset: 8 });
    expect(await ids()).toEqual([7]);
  });

  it('asks for every kind first, without an offset, and confirms only what is stored', async () => {
    begin();
    const first = await platform.next();
    expect(first).toMatchObject({ timeout: 0, offset: undefined });
    expect(first.allowedUpdates).toEqual([...updateKinds]);
    first.answer(200, batch(update(7), update(8)));
    const second = await platform.next();
    // Between 25 and 50 as chance has it, here in the middle: bots begun together drift apart.
    expect(second).toMatchObject({ timeout: 38, offset: 9, allowedUpdates: undefined });
    // It was requested only after the batch was in the log.
    expect(await ids()).toEqual([7, 8]);
    second.answer(200, batch());
    expect(await platform.next()).toMatchObject({ timeout: 50, offset: 9 });
  });

  it('asks a busy bot again only after a moment, and an idle one at once', async () => {
    await node.stop();
    const options = {
      database,
      platformUrl: platform.url,
      clock,
      singleNode: true,
      minIntervalMs: 6,
    };
    node = await startRelayNode(options);
    const first = await platform.next();
    first.answer(200, batch(update(7)));
    const second = await nextAfter(6);
    expect(second.offset).toBe(8);
    second.answer(200, batch());
    expect((await platform.next()).offset).toBe(8);
  });

  it('polls on after the wall clock was set back during a poll', async () => {
    await node.stop();
    const options = {
      database,
      platformUrl: platform.url,
      clock,
      singleNode: true,
      minIntervalMs: 6,
    };
    node = await startRelayNode(options);
    (await platform.next()).answer(200, batch());
    const held = await platform.next();
    clock.shiftWall(-3_600_000);
    held.answer(200, batch(update(7)));
    expect((await nextAfter(6)).offset).toBe(8);
  });

  it('keeps the raw text, whatever is in it', async () => {
    const raw = '{"update_id": 5,"new_kind" : {"n":12345678901234567890,"e":"\\u00e9\\/"} }';
    begin();
    (await platform.next()).answer(
      200,
      `{"ok":true,"result":[ ${raw} , ${JSON.stringify(update(6))}]}`,
    );
    await until(async () => expect(await ids()).toEqual([5, 6]));
    expect((await node.store.log.read(botId, 0, 1))[0]?.raw).toBe(raw);
  });

  it('stores a repeated batch once and follows ids that jump down', async () => {
    await beginIdle();
    (await platform.next()).answer(200, batch(update(900), update(901)));
    const repeated = await platform.next();
    expect(repeated.offset).toBe(902);
    repeated.answer(200, batch(update(900), update(901)));
    const jumped = await platform.next();
    expect(jumped.offset).toBe(902);
    jumped.answer(200, batch(update(12)));
    expect((await platform.next()).offset).toBe(13);
    expect(await ids()).toEqual([900, 901, 12]);
  });

  it('skips what is no update and confirms it with the rest', async () => {
    await beginIdle();
    const poll = await platform.next();
    poll.answer(200, batch(null, 'text', update(3), { update_id: '4' }, { other: 1 }, update(-5)));
    expect((await platform.next()).offset).toBe(5);
    expect(await ids()).toEqual([3]);
  });

  it('backs off from entries that cannot be confirmed', async () => {
    await beginIdle();
    (await platform.next()).answer(200, batch({ other: 1 }));
    (await nextAfter(500)).answer(200, batch({ other: 1 }));
    await until(async () => expect((await status())?.running).toBe(false));
    expect((await status())?.lastError).toMatch(/not updates/);
    (await nextAfter(1_000)).answer(200, batch(update(1)));
    await until(async () => expect(await status()).toMatchObject({ running: true, lastError: '' }));
  });

  it.each([
    ['nothing like JSON', (poll: Poll) => poll.answer(200, '<html>nginx</html>')],
    ['a torn answer', (poll: Poll) => poll.answer(200, '{"ok":true,"result":[{"update_id":1')],
    ['a cut connection', (poll: Poll) => poll.cut()],
    ['a server error', (poll: Poll) => poll.answer(502, refusal(502, 'Bad Gateway'))],
  ])('bears %s: once in silence, then with a reason, with growing waits', async (_name, fail) => {
    await beginIdle();
    fail(await platform.next());
    const second = await nextAfter(500);
    expect(await status()).toMatchObject({ running: true, lastError: '' });
    fail(second);
    const third = await nextAfter(1_000);
    const failing = await status();
    expect(failing?.running).toBe(false);
    expect(failing?.lastError).not.toBe('');
    expect(failing?.lastError).not.toContain(token);
    fail(third);
    await pause(20);
    await clock.advance(1_000);
    await pause(20);
    expect(platform.untaken()).toBe(0);
    (await nextAfter(1_000)).answer(200, batch(update(1)));
    await until(async () => expect(await status()).toMatchObject({ running: true, lastError: '' }));
    expect(await ids()).toEqual([1]);
  });

  it('waits as long as the platform asks', async () => {
    await beginIdle();
    (await platform.next()).answer(
      429,
      refusal(429, 'Too Many Requests: retry after 7', { retry_after: 7 }),
    );
    await until(async () => expect((await status())?.lastError).toMatch(/wait 7 s/));
    await clock.advance(6_900);
    (await nextAfter(500)).answer(200, batch(update(1)));
    await until(async () => expect(await status()).toMatchObject({ running: true, lastError: '' }));
  });

  it('says who is likely to be in the way, and does not fight', async () => {
    await beginIdle();
    (await platform.next()).answer(
      409,
      refusal(409, 'Conflict: terminated by other getUpdates request; make sure that only one …'),
    );
    await until(async () => expect((await status())?.lastError).toMatch(/Another client polls/));
    expect((await status())?.running).toBe(false);
    (await nextAfter(500)).answer(
      409,
      refusal(409, "Conflict: can't use getUpdates method while webhook is active"),
    );
    await until(async () => expect((await status())?.lastError).toMatch(/has set a webhook/));
    expect(platform.calls).not.toContain('deleteWebhook');
    (await nextAfter(1_000)).answer(200, batch());
    await until(async () => expect(await status()).toMatchObject({ running: true, lastError: '' }));
  });

  it('does not spin when the platform answers at once with nothing', async () => {
    await beginIdle();
    let answered = 0;
    const stopAt = Date.now() + 300;
    while (Date.now() < stopAt) {
      if (platform.untaken() > 0) {
        (await platform.next()).answer(200, batch());
        answered++;
      }
      await pause(1);
    }
    expect(answered).toBeLessThanOrEqual(3);
    await nextAfter(5_000);
  });

  it('confirms nothing while the log does not take it', async () => {
    await beginIdle();
    const poll = await platform.next();
    await node.engine.write(function* () {
      yield { sql: 'alter table log rename to log_away', parameters: [] };
    });
    poll.answer(200, batch(update(1)));
    const again = await nextAfter(500);
    expect(again.offset).toBeUndefined();
    await node.engine.write(function* () {
      yield { sql: 'alter table log_away rename to log', parameters: [] };
    });
    again.answer(200, batch(update(1)));
    expect((await platform.next()).offset).toBe(2);
    expect(await ids()).toEqual([1]);
  });

  it('ends the poll in flight when it is told to stop', async () => {
    await beginIdle();
    const poll = await platform.next();
    await node.store.bots.toggle(botId, clock.now());
    await node.supervisor.apply(botId);
    await until(() => expect(poll.gone).toBe(true));
    expect(await status()).toMatchObject({ running: false });
    await pause(30);
    expect(platform.untaken()).toBe(0);
  });

  it('stops by itself when the bot is gone', async () => {
    await beginIdle();
    const poll = await platform.next();
    await node.store.bots.remove(botId);
    poll.answer(200, batch(update(1)));
    await until(() => expect(node.supervisor.leaseEpochOf(botId)).toBeUndefined());
    await pause(30);
    expect(platform.untaken()).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeliveryStatuses } from '../../../src/relay/delivery/delivery-status.ts';
import { raw } from '../../../src/store/engine.ts';
import { noteBackendHealth } from '../../../src/store/delivery/backend-health.ts';
import { createPushOverviewRepository } from '../../../src/store/delivery/push-overview.ts';
import { dialects } from '../../support/database/engines.ts';
import { type DeliveryApi, startDeliveryApi } from '../../support/rigs/delivery-api.ts';
import { message } from '../../support/rigs/delivery-rig.ts';

describe.each(dialects)('deliveries over HTTP on %s', (dialect) => {
  let api: DeliveryApi;
  let rig: DeliveryApi['rig'];
  let test: DeliveryApi['test'];

  beforeEach(async () => {
    api = await startDeliveryApi(dialect);
    ({ rig, test } = api);
  });
  afterEach(() => api.close());

  async function call(method: 'GET' | 'POST', url: string, payload?: object, scope = 'manage') {
    const { headers } = await test.key(scope as 'read');
    const answer = await test.app.inject({
      method,
      url,
      headers,
      ...(payload ? { payload } : {}),
    });
    return { status: answer.statusCode, body: answer.json() };
  }
  const get = (url: string) => call('GET', url, undefined, 'read');
  const dead = async () => (await get(`/api/deliveries/dead?bot_id=${rig.bot}`)).body;

  it('shows attempts, pages through them and filters by how they ended', async () => {
    rig.backend.answer = ({ chatId }) => (chatId === 2 ? { status: 500, body: 'oops' } : {});
    await rig.receive([message(11, 1), message(12, 2)]);
    await rig.answered(3);
    await rig.until(async () => (await get('/api/deliveries')).body.length === 3, 10);
    const failed = await get(`/api/deliveries?bot_id=${rig.bot}&status=failed&limit=1`);
    expect(failed).toMatchObject({
      status: 200,
      body: [
        {
          bot_id: rig.bot,
          position: 2,
          update_id: 12,
          queue: 'c2',
          status: 500,
          delivered: false,
          error: 'answered 500',
          answer: 'oops',
          replay: false,
        },
      ],
    });
    expect(failed.body[0].started_at).toMatch(/^2023-11-14T22:13/);
    const older = await get(`/api/deliveries?status=failed&before_id=${failed.body[0].id}`);
    expect(older.body.length).toBe(1);
    const delivered = await get('/api/deliveries?status=delivered');
    expect(delivered.body).toMatchObject([{ update_id: 11, delivered: true, error: '' }]);
  });

  it('shows what waits and why, and tries it now', async () => {
    rig.backend.answer = ({ chatId }) => (chatId === 2 ? { status: 503 } : {});
    await rig.store.log.openReader(rig.bot, 'pull:', rig.clock.now());
    await rig.receive([message(11, 1), message(12, 2), message(13, 2)]);
    await rig.answered(3);
    const queues = () => get(`/api/deliveries/queues?bot_id=${rig.bot}`);
    await rig.until(async () => (await queues()).body.retry_queues[0]?.attempts === 2, 10);
    expect((await queues()).body).toMatchObject({
      bot_id: rig.bot,
      last_position: 3,
      backend_status: 'failing',
      pending_updates: 2,
      dead_letters: 0,
      readers: [
        { name: 'pull', position: 0, lag: 3 },
        { name: 'push', position: 3, lag: 2 },
      ],
      queues: 1,
      retry_queues: [{ queue: 'c2', waiting: 2, first_position: 2, reason: 'answered 503' }],
    });
    const statuses = createDeliveryStatuses({
      overview: createPushOverviewRepository(rig.engine),
      retryQueues: rig.retryQueues,
    });
    expect((await statuses([rig.bot])).get(rig.bot)).toEqual({
      backendStatus: 'failing',
      backendError: 'answered 503',
      backendErrorDetail: { code: 'backend_answered', params: { status: 503 } },
      backendSeenAt: expect.any(Number),
      pendingUpdates: 2,
    });
    rig.backend.answer = () => ({});
    const now = await call('POST', `/api/deliveries/retry-now?bot_id=${rig.bot}&queue=c2`);
    expect(now).toEqual({ status: 200, body: { queues: 1 } });
    await rig.until(() => rig.arrivedIds().at(-1) === 13);
    await rig.until(async () => (await queues()).body.retry_queues.length === 0, 10);
    expect((await queues()).body).toMatchObject({ backend_status: 'ok', pending_updates: 0 });
    const none = await call('POST', `/api/deliveries/retry-now?bot_id=${rig.bot}&queue=c9`);
    expect(none).toMatchObject({ status: 404, body: { code: 'delivery_not_found' } });
  });

  it('lists the first 200 retry queues, and tells how many there are', async () => {
    await rig.engine.write(function* () {
      for (let chat = 1; chat <= 201; chat++) {
        yield* raw(
          `insert into retry_queues
             (bot_id, reader, queue, attempts, first_failed_at, next_attempt_at, last_error)
           values ($1, 'push', $2, 1, 1, $3, '')`,
          [rig.bot, `c${chat}`, rig.clock.now() + 3_600_000],
        );
      }
    });
    const { body } = await get(`/api/deliveries/queues?bot_id=${rig.bot}`);
    expect(body.queues).toBe(201);
    expect(body.retry_queues).toHaveLength(200);
  });

  it('says that a queue is due, not that it was tried in the past', async () => {
    rig.backend.answer = () => ({ status: 503 });
    await rig.receive([message(11, 1)]);
    const shown = async () =>
      (await get(`/api/deliveries/queues?bot_id=${rig.bot}`)).body.retry_queues[0];
    await rig.until(async () => (await shown())?.attempts >= 1, 10);
    await rig.pushers.stop(rig.bot);
    const setDue = (inMs: number) =>
      rig.engine.write(() =>
        raw('update retry_queues set next_attempt_at = $1', [rig.clock.now() + inMs]),
      );
    const moment = (inMs: number) => new Date(rig.clock.now() + inMs).toISOString();
    await setDue(-13_000);
    expect(await shown()).toMatchObject({ due: true, next_attempt_at: moment(0) });
    await setDue(13_000);
    expect(await shown()).toMatchObject({ due: false, next_attempt_at: moment(13_000) });
  });

  it('replays dead letters, one or all, and a stretch of the log; discards', async () => {
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(11, 1), message(12, 2), message(13, 3)]);
    await rig.until(async () => (await dead()).length === 3, 500);
    expect((await dead())[0]).toMatchObject({ reason: 'answered 500', replayed_at: '' });
    rig.backend.answer = () => ({});
    rig.backend.arrivals.length = 0;
    const letter = (await dead()).find((one: { update_id: number }) => one.update_id === 12);
    const replay = (body: object) =>
      call('POST', '/api/deliveries/replay', { bot_id: rig.bot, ...body });
    expect(await replay({ ids: [letter.id] })).toEqual({
      status: 200,
      body: { queued: 1, next: 0 },
    });
    await rig.until(async () => (await dead()).length === 2, 10);
    expect(rig.arrivedIds()).toEqual([12]);
    const gone = await call('POST', '/api/deliveries/discard', {
      bot_id: rig.bot,
      ids: [(await dead())[0].id],
    });
    expect(gone).toEqual({ status: 200, body: { discarded: 1 } });
    expect(await replay({ all_dead: true })).toEqual({ status: 200, body: { queued: 1, next: 0 } });
    await rig.until(async () => (await dead()).length === 0, 10);
    expect(rig.arrivedIds()).toEqual([12, 11]);
    expect(await replay({ from_position: 2 })).toEqual({
      status: 200,
      body: { queued: 2, next: 0 },
    });
    await rig.until(() => rig.backend.arrivals.length === 4, 10);
    expect(await replay({ from_position: 3, to_position: 3 })).toMatchObject({
      body: { queued: 1 },
    });

    expect(await replay({})).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await replay({ all_dead: true, ids: [1] })).toMatchObject({ status: 400 });
    expect(await replay({ from_position: 3, to_position: 2 })).toMatchObject({ status: 400 });
    expect(await replay({ ids: [letter.id] })).toMatchObject({
      status: 404,
      body: { code: 'delivery_not_found' },
    });
  });

  it('looks into the log, newest first or from a position on, by kind', async () => {
    const press = {
      update_id: 12,
      callback_query: { id: 'q', from: { id: 5, is_bot: false, first_name: 'A' }, data: 'x' },
    };
    await rig.receive([message(11, 1), press, message(13, 1)]);
    const positions = async (query: string) =>
      (await get(`/api/updates/log?bot_id=${rig.bot}${query}`)).body.map(
        (entry: { position: number }) => entry.position,
      );
    expect(await positions('')).toEqual([3, 2, 1]);
    expect(await positions('&before=3&limit=1')).toEqual([2]);
    expect(await positions('&after=1')).toEqual([2, 3]);
    const { body } = await get(`/api/updates/log?bot_id=${rig.bot}&kind=callback_query`);
    expect(body).toMatchObject([
      {
        position: 2,
        update_id: 12,
        kind: 'callback_query',
        queue: 'u5',
        raw: JSON.stringify(press),
      },
    ]);
  });

  it('checks a backend without disturbing it, or with a test update', async () => {
    const check = (query = '') => call('POST', `/api/bots/check-backend?id=${rig.bot}${query}`);
    await rig.apply({ secret_token: 'abc' });
    expect(await check('&deliver=true')).toMatchObject({
      status: 200,
      body: { reachable: true, accepted: true, status: 200, error: '' },
    });
    expect(rig.backend.arrivals).toMatchObject([
      { raw: '{"update_id":0}', headers: { 'x-telegram-bot-api-secret-token': 'abc' } },
    ]);
    rig.backend.answer = () => ({ status: 403 });
    expect((await check('&deliver=true')).body).toMatchObject({
      reachable: true,
      accepted: false,
      error: 'answered 403',
    });
    await rig.apply({ backend_url: 'http://127.0.0.1:9/x' });
    expect((await check()).body).toMatchObject({
      reachable: false,
      status: 0,
      error: expect.stringContaining('connection refused by 127.0.0.1:9'),
    });
    await rig.apply({ backend_url: '', proxy_enabled: false });
    expect(await check()).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('sends at once what could not reach the backend, when a check reaches it', async () => {
    const queues = async (): Promise<{ attempts: number }[]> =>
      (await get(`/api/deliveries/queues?bot_id=${rig.bot}`)).body.retry_queues;
    rig.backend.answer = ({ chatId }) => (chatId === 1 ? { cut: true } : { status: 500 });
    await rig.receive([message(11, 1), message(12, 1), message(13, 2)]);
    // The first retry comes at once, the second after two seconds.
    const waiting = async () => (await queues()).filter(({ attempts }) => attempts === 2);
    await rig.until(async () => (await waiting()).length === 2, 10);
    rig.backend.answer = () => ({});
    const arrived = rig.backend.arrivals.length;
    const { body } = await call('POST', `/api/bots/check-backend?id=${rig.bot}`);
    expect(body).toMatchObject({ reachable: true, status: 405, error: '' });
    // What the backend refused waits for its turn.
    const checkedAt = rig.clock.now();
    await rig.until(async () => (await queues()).length === 1, 10);
    expect(rig.clock.now() - checkedAt).toBeLessThan(1_000);
    expect(rig.arrivedIds().slice(arrived)).toEqual([11, 12]);
    expect(await queues()).toMatchObject([{ queue: 'c2', due: false }]);
    await call('POST', `/api/bots/check-backend?id=${rig.bot}&deliver=true`);
    await rig.until(async () => (await queues()).length === 0, 10);
    expect(rig.clock.now() - checkedAt).toBeLessThan(1_000);
    expect(rig.arrivedIds().slice(arrived)).toEqual([11, 12, 0, 13]);
  });

  it('does not wait for the next probe once a backend accepts a test update', async () => {
    rig.backend.answer = () => ({ status: 502 });
    await rig.receive(Array.from({ length: 15 }, (_, one) => message(one + 1, one + 1)));
    await rig.until(() => rig.pushers.statusHere(rig.bot) === 'paused');
    await rig.quiet();
    // Until all queues are overdue, and the next probe is most of a minute away.
    const before = rig.backend.arrivals.length;
    await rig.until(() => rig.backend.arrivals.length === before + 5, 250);
    await rig.quiet();
    rig.backend.answer = () => ({});
    const checkedAt = rig.clock.now();
    await call('POST', `/api/bots/check-backend?id=${rig.bot}&deliver=true`);
    await rig.until(() => rig.pushers.statusHere(rig.bot) !== 'paused', 100);
    expect(rig.clock.now() - checkedAt).toBeLessThan(1_000);
  });

  it('knows how a backend is only once it was reached or checked at its address', async () => {
    const statuses = createDeliveryStatuses({
      overview: createPushOverviewRepository(rig.engine),
      retryQueues: rig.retryQueues,
    });
    const status = async () => {
      const { backendStatus, backendError } = (await statuses([rig.bot])).get(rig.bot) ?? {};
      return [backendStatus, backendError];
    };
    const check = (query = '') => call('POST', `/api/bots/check-backend?id=${rig.bot}${query}`);
    expect(await status()).toEqual(['unknown', '']);
    await rig.receive([message(11, 1)]);
    await rig.until(async () => (await status())[0] === 'ok', 10);
    // A failed check is believed until an update is delivered, or another check succeeds.
    const { url } = rig.backend;
    await rig.apply({ backend_url: 'http://127.0.0.1:9/x' });
    expect(await status()).toEqual(['unknown', '']);
    await check();
    const refused = 'connection refused by 127.0.0.1:9';
    expect(await status()).toEqual(['failing', refused]);
    await rig.apply({ backend_url: url });
    expect(await status()).toEqual(['unknown', '']);
    await check('&deliver=true');
    expect(await status()).toEqual(['ok', '']);
    await rig.apply({ secret_token: 'other' });
    expect(await status()).toEqual(['ok', '']);
    const broken = 'the backend broke down';
    await rig.engine.write(() => raw('update backend_health set error = $1', [broken]));
    await rig.pushers.wake(rig.bot);
    expect(await status()).toEqual(['failing', broken]);
    await rig.receive([message(12, 1)]);
    await rig.until(async () => (await status())[0] === 'ok', 10);
  });

  it('keeps the last reason while deliveries fail, until the breaker opens and after', async () => {
    const statuses = createDeliveryStatuses({
      overview: createPushOverviewRepository(rig.engine),
      retryQueues: rig.retryQueues,
    });
    const status = async () => (await statuses([rig.bot])).get(rig.bot);
    rig.backend.answer = () => ({ status: 401 });
    await call('POST', `/api/bots/check-backend?id=${rig.bot}&deliver=true`);
    expect(await status()).toMatchObject({
      backendStatus: 'failing',
      backendError: 'answered 401',
    });
    // Within the same millisecond the check would stay the last word, until the third attempt.
    await rig.clock.advance(1);
    rig.backend.answer = () => ({ status: 403 });
    await rig.receive([message(11, 1)]);
    await rig.until(async () => (await status())?.backendError === 'answered 403', 10);
    expect(await status()).toMatchObject({ backendStatus: 'failing' });
    await rig.receive(Array.from({ length: 20 }, (_, index) => message(12 + index, 2 + index)));
    await rig.until(async () => (await status())?.backendStatus === 'paused', 60);
    const seen = await status();
    expect(seen?.backendError).toBe('answered 403');
    const attempts = (await get('/api/deliveries?status=failed')).body;
    expect(seen?.backendSeenAt).toBeGreaterThanOrEqual(Date.parse(attempts[0].started_at));
    expect(seen?.backendSeenAt).toBeLessThanOrEqual(rig.clock.now());
  });

  it('says when a backend last answered, by a check or a delivery', async () => {
    const statuses = createDeliveryStatuses({
      overview: createPushOverviewRepository(rig.engine),
      retryQueues: rig.retryQueues,
    });
    const seenAt = async () => (await statuses([rig.bot])).get(rig.bot)?.backendSeenAt ?? 0;
    expect(await seenAt()).toBe(0);
    await call('POST', `/api/bots/check-backend?id=${rig.bot}&deliver=true`);
    expect(await seenAt()).toBe(rig.clock.now());
    await rig.receive([message(11, 1)]);
    await rig.until(async () => (await get('/api/deliveries')).body.length === 1, 10);
    // Deliveries keep it fresh, though not each one writes it down.
    await rig.clock.advance(120_000);
    const before = await seenAt();
    await rig.receive([message(12, 1)]);
    await rig.until(async () => (await seenAt()) > before, 10);
    expect(rig.clock.now() - (await seenAt())).toBeLessThan(60_000);
  });

  it('says after a dead letter what the backend answered, until it accepts an update', async () => {
    const queues = async () => (await get(`/api/deliveries/queues?bot_id=${rig.bot}`)).body;
    const state = async () => {
      const [backend] = (await get(`/api/backends?bot_id=${rig.bot}`)).body;
      return [backend.backend_status, backend.backend_error];
    };
    await rig.receive([message(11, 1)]);
    await rig.until(async () => (await queues()).backend_status === 'ok', 10);
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(12, 1)]);
    await rig.until(async () => (await dead()).length === 1, 500);
    expect(await state()).toEqual(['failing', 'answered 500']);
    await call('POST', `/api/bots/check-backend?id=${rig.bot}`);
    expect(await state()).toEqual(['failing', 'answered 500']);
    rig.backend.answer = () => ({});
    await rig.receive([message(13, 1)]);
    await rig.until(async () => (await queues()).backend_status === 'ok', 10);
    // Nobody knows how a backend is whose refused updates do not count any more.
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(14, 1)]);
    await rig.until(async () => (await dead()).length === 2, 500);
    const discard = { bot_id: rig.bot, all_dead: true };
    await call('POST', '/api/deliveries/discard', discard);
    expect(await state()).toEqual(['unknown', '']);
  });

  it('does not take the answer to a check for the acceptance of an update', async () => {
    const state = async () => {
      const [backend] = (await get(`/api/backends?bot_id=${rig.bot}`)).body;
      const { backend_status, backend_error, backend_seen_at } = backend;
      return [backend_status, backend_error, Date.parse(backend_seen_at)];
    };
    const check = (query = '') => call('POST', `/api/bots/check-backend?id=${rig.bot}${query}`);
    rig.backend.answer = () => ({ status: 401 });
    await check('&deliver=true');
    const refusedAt = rig.clock.now();
    await rig.clock.advance(5_000);
    expect((await check()).body).toMatchObject({ reachable: true, status: 405, error: '' });
    expect(await state()).toEqual(['failing', 'answered 401', refusedAt]);
    // A backend that was away for a moment has not accepted anything since.
    await rig.engine.write(() =>
      noteBackendHealth(rig.bot, 'push', { error: 'connection refused' }, rig.clock.now()),
    );
    expect(await state()).toEqual(['failing', 'connection refused', rig.clock.now()]);
    await check();
    expect(await state()).toEqual(['failing', 'answered 401', refusedAt]);
    rig.backend.answer = () => ({});
    await check('&deliver=true');
    expect(await state()).toEqual(['ok', '', rig.clock.now()]);
  });

  it('does not wait for a probe after an accepted check, though all that failed became dead letters', async () => {
    rig.backend.answer = () => ({ status: 502 });
    await rig.receive(Array.from({ length: 10 }, (_, one) => message(one + 1, one + 1)));
    const stored = async () => (await get(`/api/deliveries/queues?bot_id=${rig.bot}`)).body;
    await rig.until(async () => (await stored()).backend_status === 'paused', 10);
    // After a restart retry queues are probed before the log is read on.
    await rig.crash();
    await rig.apply();
    const waiting = () => rig.retryQueues.list(rig.bot, 'push', 1);
    expect(await waiting()).toHaveLength(1);
    await rig.until(async () => (await waiting()).length === 0, 3_000);
    await rig.quiet();
    rig.backend.answer = () => ({});
    const checkedAt = rig.clock.now();
    await call('POST', `/api/bots/check-backend?id=${rig.bot}&deliver=true`);
    await rig.until(() => rig.pushers.statusHere(rig.bot) !== 'paused', 100);
    expect(rig.clock.now() - checkedAt).toBeLessThan(1_000);
  });

  it('lists the chats that only a probe tried while the circuit breaker is open', async () => {
    rig.backend.answer = () => ({ status: 502 });
    const chats = Array.from({ length: 10 }, (_, one) => one + 1);
    await rig.receive(chats.map((chat) => message(chat, chat)));
    await rig.until(() => rig.pushers.statusHere(rig.bot) === 'paused');
    await rig.receive(chats.map((chat) => message(10 + chat, chat)));
    const view = async () => (await get(`/api/deliveries/queues?bot_id=${rig.bot}`)).body;
    const stored = async () =>
      (await rig.retryQueues.list(rig.bot, 'push', 100)).map(({ queue }) => queue);
    const probed = async () => {
      const names = await stored();
      return (await view()).retry_queues.filter(
        (one: { queue: string }) => !names.includes(one.queue),
      );
    };
    const isTried = ({ attempts }: { attempts: number }) => attempts >= 3;
    await rig.until(async () => (await probed()).some(isTried), 1_000);
    const first = (await probed()).find(isTried);
    expect(first).toMatchObject({
      queue: `c${first.first_position}`,
      waiting: 2,
      due: true,
      reason: 'answered 502',
      reason_detail: { code: 'backend_answered', params: { status: 502 } },
    });
    expect(Date.parse(first.first_failed_at)).toBeLessThan(rig.clock.now());
    expect(await view()).toMatchObject({ backend_status: 'paused', queues: 10 });
    rig.backend.answer = () => ({});
    await rig.until(async () => (await view()).queues === 0, 1_000);
    expect(await view()).toMatchObject({ backend_status: 'ok', retry_queues: [] });
  });

  it('asks for the scope, the bot and its existence, in this order', async () => {
    const reader = await test.key('read');
    const refused = await test.app.inject({
      method: 'POST',
      url: '/api/deliveries/replay',
      headers: reader.headers,
      payload: { bot_id: rig.bot, all_dead: true },
    });
    expect(refused.statusCode).toBe(403);
    expect(await get('/api/deliveries/queues?bot_id=999')).toMatchObject({
      status: 404,
      body: { code: 'bot_not_found' },
    });
    const limited = await test.key('read', [1]);
    for (const path of ['queues', 'dead']) {
      const answer = await test.app.inject({
        url: `/api/deliveries/${path}?bot_id=999`,
        headers: limited.headers,
      });
      expect(answer.json()).toMatchObject({ code: 'bot_not_allowed' });
    }
  });
});

import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultAppSettings } from '../../../src/core/apps/app.ts';
import { createDeliveredUpdates } from '../../../src/relay/delivery/delivered-updates.ts';
import { createPushReader } from '../../../src/relay/delivery/push-reader.ts';
import { raw } from '../../../src/store/engine.ts';
import { dialects } from '../../support/database/engines.ts';
import { type DeliveryApi, startDeliveryApi } from '../../support/rigs/delivery-api.ts';
import { message, startBackend, type TestBackend } from '../../support/rigs/delivery-rig.ts';

describe.each(dialects)('updates with their deliveries on %s', (dialect) => {
  let api: DeliveryApi;
  let rig: DeliveryApi['rig'];
  let test: DeliveryApi['test'];

  beforeEach(async () => {
    api = await startDeliveryApi(dialect);
    ({ rig, test } = api);
  });
  afterEach(() => api.close());

  async function get(path: string, scope: 'read' | 'manage' = 'read') {
    const { headers } = await test.key(scope);
    const url = `/api/deliveries/${path}${path.includes('?') ? '&' : '?'}bot_id=${rig.bot}`;
    const answer = await test.app.inject({ method: 'GET', url, headers });
    return { status: answer.statusCode, body: answer.json() };
  }
  async function replay(body: object, scope: 'read' | 'manage' = 'manage') {
    const { headers } = await test.key(scope);
    const url = '/api/deliveries/replay';
    const payload = { bot_id: rig.bot, ...body };
    const answer = await test.app.inject({ method: 'POST', url, headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  }
  const list = async (query = '') => (await get(`updates?${query}`)).body;
  const idsOf = async (query: string): Promise<number[]> =>
    (await list(query)).updates.map(({ update_id }: { update_id: number }) => update_id);
  const rowOf = async (updateId: number) =>
    (await list(`q=${updateId}`)).updates.find(
      ({ update_id }: { update_id: number }) => update_id === updateId,
    );
  const allDelivered = (count: number) =>
    rig.until(async () => (await idsOf('state=delivered')).length === count, 10);

  it('shows each update once, with its person, words, state, tries and first line of the response', async () => {
    let isUp = false;
    rig.backend.answer = ({ chatId }) =>
      chatId === 2 && !isUp ? { status: 500, body: '\nno room\nat line 7' } : { body: 'ok' };
    await rig.receive([message(11, 1, 'Where is my order?'), message(12, 2, 'Refund me')]);
    await rig.until(async () => (await rowOf(12))?.tries === 2, 10);
    const { updates, next, reached_at } = await list();
    expect(next).toBe(0);
    expect(reached_at).toMatch(/^2023-11-14T22:13/);
    expect(updates).toMatchObject([
      {
        position: 2,
        update_id: 12,
        user_id: 2,
        person: 'Ann',
        chat_id: 2,
        message_id: 12,
        text: 'Refund me',
        state: 'retrying',
        tries: 2,
        status: 500,
        error: 'answered 500',
        response: 'no room',
        next_attempt_at: expect.stringMatching(/^2023-/),
      },
      { position: 1, text: 'Where is my order?', state: 'delivered', tries: 1, response: 'ok' },
    ]);
    isUp = true;
    await rig.until(async () => (await rowOf(12))?.state === 'delivered', 100);
    expect(await rowOf(12)).toMatchObject({ tries: 3, status: 200, error: '', response: 'ok' });
  });

  it('searches names, words and IDs, and filters by state and time in both orders', async () => {
    rig.backend.answer = ({ chatId }) => (chatId === 2 ? { status: 500 } : {});
    await rig.receive([message(11, 1, 'My invoice, please'), message(12, 2, 'invoice')]);
    await rig.until(async () => (await rowOf(12))?.state === 'failed', 500);
    const later = new Date(rig.clock.now() + 1_000).toISOString();
    await rig.clock.advance(2_000);
    await rig.receive([message(13, 1, 'Thanks')]);
    await allDelivered(2);
    expect(await idsOf('q=INVOICE')).toEqual([12, 11]);
    expect(await idsOf('q=invoice+ann&order=oldest')).toEqual([11, 12]);
    expect(await idsOf('q=2&state=failed')).toEqual([12]);
    expect(await idsOf('state=failed')).toEqual([12]);
    expect(await idsOf('state=retrying')).toEqual([]);
    expect(await idsOf('state=delivered')).toEqual([13, 11]);
    expect(await idsOf('q=nowhere')).toEqual([]);
    expect(await idsOf(`since=${later}`)).toEqual([13]);
    expect(await idsOf(`until=${later}`)).toEqual([12, 11]);
    const [failed] = (await list('state=failed')).updates;
    expect(failed.dead_letter_id).toBeGreaterThan(0);
  });

  it('looks at the time after each part of a search for a rare state', async () => {
    await rig.receive(Array.from({ length: 120 }, (_, index) => message(index + 1, index + 1)));
    await allDelivered(50);
    const { messageTraces } = rig.store;
    let reads = 0;
    const slow: typeof messageTraces = {
      ...messageTraces,
      retries(...asked) {
        reads += 1;
        return messageTraces.retries(...asked);
      },
    };
    const { list: find } = createDeliveredUpdates({
      store: { ...rig.store, messageTraces: slow },
      clock: { ...rig.clock, monotonic: () => reads * 300 },
    });
    const bot = await rig.store.bots.get(rig.bot);
    if (!bot) throw new Error('the bot is gone');
    const reader = { reader: 'push', sees: () => true, kinds: ['message'] };
    const page = { state: 'unknown', newestFirst: true, limit: 1 } as const;
    const first = await find(bot, reader, page);
    expect(first).toMatchObject({ found: [], next: 20 });
    expect(reads).toBe(2);
    expect(await find(bot, reader, { ...page, cursor: 20 })).toMatchObject({ found: [], next: 0 });
  });

  it('shows what a backend that is down has not got yet', async () => {
    rig.backend.answer = () => ({ cut: true });
    const chats = Array.from({ length: 30 }, (_, index) => message(index + 1, index + 1));
    await rig.receive(chats);
    await rig.until(async () => (await idsOf('state=waiting')).length > 0, 10);
    const waiting = await idsOf('state=waiting&limit=200');
    const retrying = await idsOf('state=retrying&limit=200');
    expect([...waiting, ...retrying].sort((a, b) => a - b)).toEqual(
      chats.map(({ update_id }) => update_id),
    );
  });

  it('pages in both orders without a gap or a repeat', async () => {
    const chats = Array.from({ length: 25 }, (_, index) => message(index + 1, (index % 5) + 1));
    await rig.receive(chats);
    await allDelivered(25);
    for (const order of ['newest', 'oldest']) {
      const seen: number[] = [];
      for (let cursor = ''; ; ) {
        const page = await list(`order=${order}&limit=7${cursor}`);
        seen.push(...page.updates.map(({ position }: { position: number }) => position));
        if (page.next === 0) break;
        cursor = `&cursor=${page.next}`;
      }
      const all = chats.map(({ update_id }) => update_id);
      expect(seen).toEqual(order === 'newest' ? all.reverse() : all);
    }
  });

  it('ends a page that would take long, and says where to continue', async () => {
    await rig.engine.write(function* () {
      for (let from = 1; from <= 6_000; from += 1_000) {
        const rows = Array.from({ length: 1_000 }, (_, index) => from + index);
        const values = rows.map((at) => `(${rig.bot}, ${at}, ${at}, 'message', 'c1', ${at}, $1)`);
        yield* raw(
          `insert into log (bot_id, position, update_id, kind, queue, received_at, raw)
           values ${values.join(', ')}`,
          [JSON.stringify(message(1, 1, 'old'))],
        );
      }
      yield* raw(
        `insert into log_heads (bot_id, last_position) values ($1, 6000)
         on conflict (bot_id) do update set last_position = 6000`,
        [rig.bot],
      );
      yield* raw(`update readers set position = 6000 where bot_id = $1`, [rig.bot]);
    });
    const first = await list('q=young');
    expect(first.updates).toEqual([]);
    expect(first.next).toBeGreaterThan(0);
    expect(first.next).toBeLessThan(6_000);
    let { next } = first;
    for (let pages = 0; next > 0; pages++) {
      expect(pages).toBeLessThan(40);
      ({ next } = await list(`q=young&cursor=${next}`));
    }
  });

  it('shows the requests and responses of one update, with a command that a shell repeats', async () => {
    await rig.apply({ secret_token: 'hush' });
    let isUp = false;
    rig.backend.answer = () => (isUp ? { body: 'taken' } : { status: 500, body: 'no' });
    await rig.receive([message(11, 1, "It's 5 o'clock")]);
    await rig.until(async () => (await rowOf(11))?.tries > 0, 10);
    isUp = true;
    await rig.until(async () => (await rowOf(11))?.state === 'delivered', 100);
    const { body } = await get('update?position=1', 'manage');
    expect(body).toMatchObject({
      person: 'Ann',
      state: 'delivered',
      url: rig.backend.url,
      raw: rig.backend.arrivals[0]?.raw,
    });
    const { attempts } = body;
    expect(attempts).toHaveLength(rig.backend.arrivals.length);
    const failed = { status: 500, answer: 'no', error: 'answered 500', delivered: false };
    expect(attempts[0]).toMatchObject(failed);
    const taken = { status: 200, answer: 'taken', error: '', delivered: true };
    expect(attempts.at(-1)).toMatchObject(taken);
    const [failure] = attempts;
    const success = attempts.at(-1);
    const sent = rig.backend.arrivals.at(-1)?.headers ?? {};
    for (const { name, value } of success.headers) {
      const isSecret = ['x-telegram-bot-api-secret-token', 'webhook-signature'].includes(name);
      expect(value, name).toBe(isSecret ? '***' : sent[name]);
    }
    expect(JSON.stringify(body)).not.toContain('hush');
    // The address and the body survive the quoting of a shell.
    const words = execFileSync('sh', [
      '-c',
      failure.curl.replace(/^curl/, String.raw`printf '%s\n'`),
    ]);
    const lines = words.toString().split('\n');
    expect(lines.slice(0, 3)).toEqual(['-X', 'POST', rig.backend.url]);
    expect(lines.at(-2)).toBe(body.raw);
    const reader = (await get('update?position=1')).body;
    expect(reader.url).toBe(rig.backend.url.replace('/updates', '/***'));
    expect(JSON.stringify(reader)).not.toContain(rig.backend.url);
    expect(await get('update?position=9')).toMatchObject({
      status: 404,
      body: { code: 'delivery_not_found' },
    });
  });

  it('replays what matches a filter, and nothing that waits', async () => {
    let isUp = false;
    rig.backend.answer = ({ chatId }) => (chatId === 2 && !isUp ? { status: 500 } : {});
    await rig.receive([
      message(11, 1, 'invoice'),
      message(12, 2, 'invoice'),
      message(13, 3, 'other'),
    ]);
    await rig.until(async () => (await rowOf(12))?.state === 'failed', 500);
    expect(await replay({ matching: {} }, 'read')).toMatchObject({ status: 403 });
    expect(await replay({ matching: {}, all_dead: true })).toMatchObject({ status: 400 });
    isUp = true;
    const before = rig.backend.arrivals.length;
    expect(await replay({ matching: { q: 'invoice' } })).toEqual({
      status: 200,
      body: { queued: 2, next: 0 },
    });
    await rig.until(async () => (await rowOf(12))?.state === 'delivered', 10);
    await rig.until(() => rig.backend.arrivals.length === before + 2, 10);
    const again = rig.backend.arrivals.slice(before);
    expect(again.map(({ updateId }) => updateId).sort()).toEqual([11, 12]);
    expect(again.every(({ headers }) => headers['x-bot-relay-replay'] === 'true')).toBe(true);
    await rig.until(async () => (await rowOf(11))?.tries === 2, 10);
    expect((await get('dead')).body).toEqual([]);
    expect((await replay({ matching: { state: 'failed' } })).body.queued).toBe(0);
  });

  describe('with two apps', () => {
    let shop: TestBackend;
    beforeEach(async () => {
      shop = await startBackend();
    });
    afterEach(() => shop.close());

    it('lists only what the app gets, and knows no app of another name', async () => {
      const settings = { backend_url: shop.url, filter: { chat_ids: [7] } };
      await rig.store.apps.insert(
        {
          botId: rig.bot,
          name: 'shop',
          token: '1:shop',
          settings: { ...defaultAppSettings, mode: 'webhook', ...settings },
          patch: {},
        },
        rig.clock.now(),
      );
      const bot = await rig.store.bots.get(rig.bot);
      if (!bot) throw new Error('the bot is gone');
      const epoch = undefined as unknown as number;
      await createPushReader({ pushers: rig.pushers, apps: rig.apps }).run?.apply(bot, epoch);
      expect(await get('updates?app=none')).toMatchObject({
        status: 404,
        body: { code: 'app_not_found' },
      });
      await rig.receive([message(1, 7), message(2, 8)]);
      await allDelivered(2);
      await rig.until(async () => (await idsOf('app=shop&state=delivered')).length === 1, 10);
      expect(await list('app=shop')).toMatchObject({ updates: [{ chat_id: 7 }], next: 0 });
      expect((await replay({ app: 'shop', matching: {} })).body.queued).toBe(1);
      await rig.until(() => shop.arrivals.length === 2, 10);
    });
  });
});

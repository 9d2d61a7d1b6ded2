import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { paintPicture } from '../../sandbox/src/index.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { type Person, serviceForAllTests } from '../support/whole-service.ts';

interface Broadcast {
  id: number;
  state: string;
  reason_detail: { code: string } | null;
  recipients: number;
  counts: Record<string, number>;
  task: string;
  task_counts: Record<string, number>;
}
interface Seen {
  message_id: number;
  text?: string;
  photo?: { file_unique_id: string }[];
  from: { id: number };
  reply_markup?: { inline_keyboard: { text: string; callback_data?: string }[][] };
}

const picture = paintPicture(64, 64, 200);

describe.each(eitherDialect)('broadcasts over HTTP on %s', (dialect) => {
  const whole = serviceForAllTests(dialect, { RELAY_SANDBOX: 'on' });
  const { ask, call } = whole;

  /** A bot and people who have written to it. */
  async function audience(count: number) {
    const bot = await whole.addBot({ manage_enabled: true });
    const people: Person[] = [];
    for (let n = 0; n < count; n++) {
      const person = await whole.addPerson(`Person ${n}`);
      await whole.say(person, bot, '/start');
      people.push(person);
    }
    const listed = () => call<{ recipients: number }>('/api/broadcasts/count', { bot_id: bot.id });
    await vi.waitFor(async () => expect((await listed()).recipients).toBe(count));
    const seen = async (person: Person) =>
      (await whole.seen<Seen>(person, bot.platformId)).filter(
        ({ from }) => from.id === bot.platformId,
      );
    const texts = async (person: Person) => (await seen(person)).map(({ text }) => text);
    const add = (more: object = {}) =>
      call<Broadcast>('/api/broadcasts/add', {
        bot_id: bot.id,
        name: 'News',
        text: 'We open at nine.',
        ...more,
      });
    return { bot, people, seen, texts, add };
  }
  const get = async (id: number) =>
    (await call<Broadcast[]>('/api/broadcasts')).find((one) => one.id === id) as Broadcast;
  const ended = (id: number, state = 'done') =>
    vi.waitFor(async () => expect((await get(id)).state).toBe(state));
  const start = ({ id, recipients }: Broadcast) =>
    call<Broadcast>('/api/broadcasts/start', { id, recipients });

  it('reach each chat of the audience once, and can be edited and deleted', async () => {
    const { people, seen, texts, add } = await audience(3);
    const [ann, ben, cem] = people as [Person, Person, Person];
    await call('/api/tags/add', { chat_id: ann.id, user_id: ann.id, tag: 'customer' });
    const few = await add({ audience: { tags: ['customer'] } });
    expect(few).toMatchObject({ state: 'draft', recipients: 1 });
    await call('/api/broadcasts/test', { id: few.id, chat_id: cem.id });
    expect(await texts(cem)).toEqual(['We open at nine.']);

    const all = await add({ text: '**We** open at ten.', format: 'markdown' });
    const { status, json } = await ask('/api/broadcasts/start', { id: all.id, recipients: 2 });
    expect([status, json]).toMatchObject([
      409,
      { params: { shown: 2, recipients: 3 }, details: [{ field: 'recipients' }] },
    ]);
    await start(all);
    await ended(all.id);
    expect((await get(all.id)).counts).toMatchObject({ sent: 3, queued: 0, unknown: 0 });
    expect(await texts(ann)).toEqual(['We open at ten.']);
    const results = await call<object[]>(`/api/broadcasts/results?id=${all.id}&state=sent`);
    expect(results).toHaveLength(3);
    expect(results).toContainEqual(
      expect.objectContaining({ chat_id: ben.id, title: expect.stringContaining('Person 1') }),
    );
    expect((await ask('/api/broadcasts/start', { id: all.id, recipients: 3 })).status).toBe(409);

    await call('/api/broadcasts/edit', { id: all.id, text: 'We open at eight.' });
    await vi.waitFor(async () =>
      expect((await get(all.id)).task_counts).toMatchObject({ done: 3 }),
    );
    await ended(all.id);
    expect(await texts(ben)).toEqual(['We open at eight.']);
    await call('/api/broadcasts/delete', { id: all.id });
    await vi.waitFor(async () => expect(await seen(ben)).toEqual([]));
    await ended(all.id);
    expect(await get(all.id)).toMatchObject({ task: 'delete', task_counts: { total: 3, done: 3 } });
    expect(await texts(cem)).toEqual(['We open at nine.']);
  });

  it('leave out who blocked the bot or opted out, until they return', async () => {
    const { bot, people, seen, texts, add } = await audience(3);
    const [ann, ben, cem] = people as [Person, Person, Person];
    await call('/api/sandbox/users/block-bot', { user: ann.id, bot: bot.platformId });
    const first = await add({ opt_out_button: 'Unsubscribe', opt_out_word: 'stop' });
    await start({ ...first, recipients: 3 });
    await ended(first.id);
    const [message] = await seen(ben);
    const [button] = message?.reply_markup?.inline_keyboard[0] ?? [];
    expect(button).toMatchObject({ text: 'Unsubscribe' });
    await call('/api/sandbox/press', {
      user: ben.id,
      chat: bot.platformId,
      message_id: message?.message_id,
      button: 'Unsubscribe',
    });
    await whole.say(cem, bot, 'STOP');
    const counted = () => call('/api/broadcasts/count', { bot_id: bot.id });
    await vi.waitFor(async () => {
      expect(await counted()).toMatchObject({ recipients: 0, left_out: 3 });
    });
    await whole.say(cem, bot, '/start');
    await call('/api/sandbox/users/block-bot', {
      user: ann.id,
      bot: bot.platformId,
      blocked: false,
    });
    await vi.waitFor(async () => {
      expect(await counted()).toMatchObject({ recipients: 2, left_out: 1 });
    });
    const second = await add({ text: 'Welcome back' });
    await start(second);
    await ended(second.id);
    expect(await texts(cem)).toEqual(['We open at nine.', 'Welcome back']);
    expect(await texts(ben)).toEqual(['We open at nine.']);
  });

  it('send media by its file_id, uploaded once', async () => {
    const { bot, people, seen, add } = await audience(3);
    const [ann] = people as [Person];
    const form = new FormData();
    const fields = { bot_id: bot.id, chat_id: ann.id, type: 'photo', caption: 'Summer' };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([picture], { type: 'image/png' }), 'summer.png');
    const { address, localKey } = whole.service();
    const uploaded = await fetch(`${address}/api/messages/send-media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${localKey}` },
      body: form,
    });
    const { file_id } = (await uploaded.json()) as { file_id: string };
    const broadcast = await add({ text: undefined, type: 'photo', file_id, caption: 'Summer' });
    await start(broadcast);
    await ended(broadcast.id);
    const photos = await Promise.all(people.map(async (person) => (await seen(person)).at(0)));
    const unique = photos.map((message) => message?.photo?.at(-1)?.file_unique_id);
    expect(new Set(unique).size).toBe(1);
    expect(photos).toMatchObject(people.map(() => ({ caption: 'Summer' })));
    expect((await get(broadcast.id)).counts).toMatchObject({ sent: 3 });
    await call('/api/broadcasts/edit', { id: broadcast.id, text: 'Autumn' });
    await ended(broadcast.id);
    await vi.waitFor(async () =>
      expect(await seen(people[1] as Person)).toMatchObject([{ caption: 'Autumn' }]),
    );
  });

  it('are paid for only if asked, once the cost is agreed to and the bot has the Stars', async () => {
    const { bot, people, add } = await audience(45);
    const free = await add();
    expect(free).toMatchObject({ allow_paid_broadcast: false, stars: 0 });
    const paid = await add({ allow_paid_broadcast: true });
    expect(paid).toMatchObject({ recipients: 45, stars: 5 });
    const { id, recipients } = paid;
    const starting = (stars?: number) =>
      ask('/api/broadcasts/start', { id, recipients, ...(stars === undefined ? {} : { stars }) });
    for (const stars of [undefined, 4]) {
      expect(await starting(stars)).toMatchObject({
        status: 409,
        json: {
          reason_code: 'broadcast_costs',
          params: { recipients: 45, stars: 5 },
          details: [{ field: 'stars' }],
        },
      });
    }
    const stars = (count: number) =>
      call<{ stars: number }>('/api/sandbox/bots/give-stars', {
        bot: bot.platformId,
        stars: count,
      });
    await stars(10_004);
    expect(await starting(5)).toMatchObject({
      status: 409,
      json: { reason_code: 'too_few_stars', params: { balance: 10_004, least: 10_005 } },
    });
    await stars(1);
    await call('/api/sandbox/flood-limits', { on: true });
    onTestFinished(() => call('/api/sandbox/flood-limits', { on: false }) as Promise<never>);
    expect((await starting(5)).status).toBe(200);
    await ended(id);
    expect((await get(id)).counts).toMatchObject({ sent: people.length });
    const { stars: left } = await stars(1);
    // How many were above 30 in one second depends on the machine.
    expect(left).toBeLessThanOrEqual(10_006);
    expect(left).toBeGreaterThanOrEqual(10_004);
  });

  it('pause, go on and are canceled, one of a bot at a time', async () => {
    const { bot, add } = await audience(40);
    const [one, other] = [await add(), await add()];
    await start(one);
    const { status, json } = await ask('/api/broadcasts/start', { id: other.id, recipients: 40 });
    expect([status, json]).toMatchObject([409, { code: 'conflict' }]);
    await call('/api/broadcasts/pause', { id: one.id });
    await vi.waitFor(async () => {
      expect(await call(`/api/outbox?bot_id=${bot.id}&state=queued`)).toEqual([]);
    });
    const paused = await get(one.id);
    expect(paused.counts['queued']).toBeGreaterThan(0);
    await call('/api/broadcasts/resume', { id: one.id });
    await ended(one.id);
    expect((await get(one.id)).counts).toMatchObject({ sent: 40, queued: 0 });
    await start(other);
    await call('/api/broadcasts/cancel', { id: other.id });
    expect(await get(other.id)).toMatchObject({ state: 'canceled' });
    expect((await ask('/api/broadcasts/resume', { id: other.id })).status).toBe(409);
  });

  it('pause when Telegram refuses the token, and then miss nobody', async () => {
    const { bot, people, texts, add } = await audience(12);
    const broadcast = await add();
    const fault = { kind: 'unauthorized', bot: bot.platformId, method: 'sendMessage', times: 1 };
    await call('/api/sandbox/faults/add', fault);
    await start(broadcast);
    await ended(broadcast.id, 'paused');
    expect(await get(broadcast.id)).toMatchObject({
      reason_detail: { code: 'platform_refused_with_code', params: { error_code: 401 } },
    });
    await call('/api/broadcasts/resume', { id: broadcast.id });
    await ended(broadcast.id);
    expect((await get(broadcast.id)).counts).toMatchObject({ sent: 12, failed: 0, queued: 0 });
    for (const person of people) expect(await texts(person)).toEqual(['We open at nine.']);
  });

  it('pause when their bot is disabled', async () => {
    const { bot, add } = await audience(40);
    const broadcast = await add();
    await start(broadcast);
    await ask(`/api/bots/toggle-disabled?id=${bot.id}`, undefined, { method: 'POST' });
    await ended(broadcast.id, 'paused');
    expect(await get(broadcast.id)).toMatchObject({ reason_detail: { code: 'bot_disabled' } });
    expect(await call<{ kind: string }[]>('/api/attention')).toContainEqual(
      expect.objectContaining({ kind: 'broadcast_paused', bot_id: bot.id }),
    );
  });
});

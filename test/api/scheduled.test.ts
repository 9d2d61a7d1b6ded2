import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';
import { serviceForEachTest } from '../support/whole-service.ts';

interface Scheduled {
  scheduled_id: number;
  send_at: number;
  state: string;
  error: string;
  error_detail: { code: string } | null;
  text: string;
  file_name?: string;
  author: { kind: string; name: string };
}

const hour = 3_600;

describe.each(eitherDialect)('scheduled messages over HTTP on %s', (dialect) => {
  const clock = createJumpingClock();
  const whole = serviceForEachTest(dialect, { RELAY_SANDBOX: 'on' }, { clock });
  const { ask, call } = whole;
  const inSeconds = (seconds: number) => Math.floor(clock.now() / 1_000) + seconds;

  /** A person who talks to a bot. */
  async function chat() {
    const bot = await whole.addBot({ manage_enabled: true });
    const person = await whole.addPerson('Ann');
    await whole.say(person, bot, '/start');
    const seen = async () =>
      (
        await whole.seen<{ text?: string; caption?: string; from: { id: number } }>(
          person,
          bot.platformId,
        )
      ).flatMap(({ text, caption, from }) => (from.id === bot.platformId ? [text ?? caption] : []));
    return { bot, to: { bot_id: bot.id, chat_id: person.id }, seen };
  }
  const list = (botId: number) => call<Scheduled[]>(`/api/messages/scheduled?bot_id=${botId}`);

  it('are sent when they are due, as they were changed, and not if they were canceled', async () => {
    const { bot, to, seen } = await chat();
    const send = (text: string, more: object = {}) =>
      call<Scheduled & { id: number }>('/api/messages/send', {
        ...to,
        text,
        send_at: inSeconds(hour),
        ...more,
      });
    const first = await send('*one*', { parse_mode: 'Markdown' });
    const second = await send('two', { send_at: inSeconds(2 * hour) });
    const third = await send('three');
    expect(first).toMatchObject({ id: 0, scheduled_id: expect.any(Number), text: '*one*' });
    await call('/api/messages/scheduled/update', {
      scheduled_id: first.scheduled_id,
      text: 'x'.repeat(3_000).concat(`\n\n${'y'.repeat(3_000)}`),
      format: 'markdown',
    });
    await call('/api/messages/scheduled/cancel', { scheduled_id: third.scheduled_id });
    expect((await list(bot.id)).map(({ scheduled_id }) => scheduled_id)).toEqual([
      first.scheduled_id,
      second.scheduled_id,
    ]);
    expect(await seen()).toEqual([]);
    clock.jump(hour * 1_000);
    await vi.waitFor(async () => expect(await seen()).toHaveLength(2));
    expect((await seen()).map((text) => text?.[0])).toEqual(['x', 'y']);
    expect(await list(bot.id)).toMatchObject([{ text: 'two', state: 'scheduled' }]);
    const late = { scheduled_id: first.scheduled_id };
    for (const path of ['update', 'cancel']) {
      const { status, json } = await ask(`/api/messages/scheduled/${path}`, late);
      expect([status, json]).toEqual([
        path === 'update' ? 400 : 409,
        expect.objectContaining({
          code: path === 'update' ? 'invalid_request' : 'conflict',
        }),
      ]);
    }
  });

  it('are refused for now, the past and beyond a year, and kept by an idempotency key', async () => {
    const { bot, to } = await chat();
    for (const at of [inSeconds(0), inSeconds(-hour), inSeconds(367 * 24 * hour)]) {
      const { status, json } = await ask('/api/messages/send', { ...to, text: 'x', send_at: at });
      expect([status, json]).toMatchObject([400, { details: [{ field: 'send_at' }] }]);
    }
    const body = { ...to, text: 'once', send_at: inSeconds(hour) };
    const headers = { 'idempotency-key': 'later' };
    const answers = [
      await ask('/api/messages/send', body, { headers }),
      await ask('/api/messages/send', body, { headers }),
    ];
    expect(answers[1]).toEqual(answers[0]);
    expect(await list(bot.id)).toHaveLength(1);
  });

  it('keep an uploaded file until they are sent', async () => {
    const { bot, to, seen } = await chat();
    const form = new FormData();
    const fields = { ...to, type: 'document', caption: 'menu', send_at: inSeconds(hour) };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    const bytes = Buffer.alloc(700_000, 'menu ');
    form.set('file', new Blob([bytes]), 'menu.txt');
    const { address, localKey } = whole.service();
    const headers = { authorization: `Bearer ${localKey}` };
    const answer = await fetch(`${address}/api/messages/send-media`, {
      method: 'POST',
      headers,
      body: form,
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: 0, text: 'menu' }]);
    const [scheduled] = await list(bot.id);
    expect(scheduled).toMatchObject({ file_name: 'menu.txt', text: 'menu' });
    await call('/api/messages/scheduled/update', {
      scheduled_id: scheduled?.scheduled_id,
      text: 'new menu',
    });
    clock.jump(hour * 1_000);
    await vi.waitFor(async () => expect(await seen()).toEqual(['new menu']));
    const messages = `/api/messages?bot_id=${bot.id}&chat_id=${to.chat_id}`;
    const fileId = await vi.waitFor(async () => {
      const [sent] = await call<{ file_id?: string }[]>(messages);
      expect(sent?.file_id).toBeTypeOf('string');
      return sent?.file_id ?? '';
    });
    const media = `${address}/api/media?bot_id=${bot.id}&file_id=${fileId}`;
    const file = await fetch(media, { headers });
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('are held by a disabled bot, and once they are overdue by a day', async () => {
    const { bot, to, seen } = await chat();
    const scheduled = await call<Scheduled>('/api/messages/send', {
      ...to,
      text: 'held',
      send_at: inSeconds(hour),
    });
    const toggle = () =>
      ask(`/api/bots/toggle-disabled?id=${bot.id}`, undefined, { method: 'POST' });
    await toggle();
    clock.jump((hour + 120) * 1_000);
    expect(await list(bot.id)).toMatchObject([
      { state: 'held', error_detail: { code: 'bot_disabled' } },
    ]);
    expect(await call<{ kind: string }[]>('/api/attention')).toContainEqual(
      expect.objectContaining({ kind: 'scheduled_held', bot_id: bot.id, count: 1 }),
    );
    clock.jump(24 * hour * 1_000);
    await toggle();
    expect(await list(bot.id)).toMatchObject([
      { state: 'held', error_detail: { code: 'scheduled_overdue' } },
    ]);
    expect(await seen()).toEqual([]);
    await call('/api/messages/scheduled/update', {
      scheduled_id: scheduled.scheduled_id,
      send_at: inSeconds(2),
    });
    clock.jump(3_000);
    await vi.waitFor(async () => expect(await seen()).toEqual(['held']));
    expect(await list(bot.id)).toEqual([]);
  });

  it('are deleted with their bot, with their files', async () => {
    const { bot, to, seen } = await chat();
    const form = new FormData();
    const fields = { ...to, type: 'document', send_at: inSeconds(hour) };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob(['menu']), 'menu.txt');
    const { address, localKey } = whole.service();
    const headers = { authorization: `Bearer ${localKey}` };
    const init = { method: 'POST', headers };
    const added = await fetch(`${address}/api/messages/send-media`, { ...init, body: form });
    expect(added.status).toBe(200);
    expect(await call('/api/messages/scheduled')).toHaveLength(1);
    expect((await ask(`/api/bots/delete?id=${bot.id}`, undefined, { method: 'POST' })).status).toBe(
      200,
    );
    clock.jump(hour * 1_000);
    expect(await call('/api/messages/scheduled')).toEqual([]);
    expect(await seen()).toEqual([]);
  });

  it('are forgotten with their chat', async () => {
    const { bot, to } = await chat();
    await call('/api/messages/send', { ...to, text: 'secret', send_at: inSeconds(hour) });
    const path = `/api/chats/forget?bot_id=${bot.id}&chat_id=${to.chat_id}`;
    await vi.waitFor(async () => {
      expect((await ask(path, undefined, { method: 'POST' })).status).toBe(200);
    });
    expect(await list(bot.id)).toEqual([]);
  });
});

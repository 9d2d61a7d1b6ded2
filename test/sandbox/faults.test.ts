import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../sandbox/src/clock.ts';
import { faultKinds } from '../../sandbox/src/faults/faults.ts';
import { telegramLimits } from '../../sandbox/src/faults/flood.ts';
import { pending, scene, until } from './helpers.ts';
import { runAction } from '../../sandbox/src/actions/control.ts';

describe('faults on demand', () => {
  test('they strike one bot, one method, a number of times', async () => {
    const { api, sandbox, bot } = await scene();
    const other = sandbox.createBot();
    sandbox.fault({ kind: 'server_error', status: 502, botId: bot.id, method: 'getMe', times: 2 });
    expect(await sandbox.call(other.token, 'getMe')).toMatchObject({ id: other.id });
    expect((await api.call('getMyName')).status).toBe(200);
    expect(await api.call('getMe')).toMatchObject({
      status: 502,
      body: { error_code: 502, description: 'Bad Gateway' },
    });
    expect((await api.call('GETME')).status).toBe(502);
    expect((await api.call('getMe')).status).toBe(200);
    expect(sandbox.faults.list()).toEqual([]);
  });

  test('401 and 409', async () => {
    const { api, sandbox } = await scene();
    sandbox.fault({ kind: 'unauthorized', times: 1 });
    expect(await api.refused('getMe')).toBe('Unauthorized');
    sandbox.fault({ kind: 'conflict', method: 'getUpdates', times: 1 });
    expect(await api.refused('getUpdates')).toMatch(
      /^Conflict: terminated by other getUpdates request/,
    );
  });

  test('a truncated and a non-JSON body', async () => {
    const { sandbox, url, bot } = await scene();
    sandbox.fault({ kind: 'truncated', times: 1 });
    await expect(
      request(`${url}/bot${bot.token}/getMe`).then((response) => response.body.text()),
    ).rejects.toThrow();
    sandbox.fault({ kind: 'not_json', times: 1, status: 502 });
    const page = await request(`${url}/bot${bot.token}/getMe`);
    expect(page.statusCode).toBe(502);
    expect(await page.body.text()).toContain('<html>');
  });

  test('21. no idempotency key: a connection reset before the request was processed leaves nothing, after it a message, and again another', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    sandbox.say(ann, bot, 'hi');
    const texts = (): (string | undefined)[] =>
      sandbox.history(ann, bot).map((shown) => shown.message.text);
    sandbox.fault({ kind: 'reset_before', method: 'sendMessage', times: 1 });
    await expect(api.call('sendMessage', { chat_id: ann.id, text: 'lost' })).rejects.toThrow();
    expect(texts()).toEqual(['hi']);
    sandbox.fault({ kind: 'reset_after', method: 'sendMessage', times: 1 });
    await expect(
      api.call('sendMessage', { chat_id: ann.id, text: 'sent unseen' }),
    ).rejects.toThrow();
    expect(texts()).toEqual(['hi', 'sent unseen']);
    await api.ok('sendMessage', { chat_id: ann.id, text: 'sent unseen' });
    expect(texts()).toEqual(['hi', 'sent unseen', 'sent unseen']);
  });

  test('downloads fail too, under the name "file"', async () => {
    const { api, sandbox, bot, url } = await scene();
    const bytes = Buffer.alloc(100_000, 'x');
    sandbox.sendMedia(sandbox.createUser(), bot, { kind: 'document', bytes });
    const document = (await pending(api))[0]?.message?.document;
    const { file_path } = await api.ok<{ file_path: string }>('getFile', {
      file_id: document?.file_id,
    });
    const download = (): Promise<ArrayBuffer> =>
      fetch(`${url}/file/bot${bot.token}/${file_path}`).then((response) => response.arrayBuffer());
    sandbox.fault({ kind: 'truncated', method: 'file', times: 1 });
    await expect(download()).rejects.toThrow();
    sandbox.fault({ kind: 'reset_before', method: 'file', times: 1 });
    await expect(download()).rejects.toThrow();
    expect((await download()).byteLength).toBe(bytes.length);
  });

  test('a slow answer waits for the clock', async () => {
    const clock = createManualClock();
    const { api, sandbox } = await scene({ clock });
    sandbox.fault({ kind: 'slow', delayMs: 30_000, times: 1 });
    let answered = false;
    const slow = api.call('getMe').then(() => {
      answered = true;
    });
    await until(() => clock.pendingTimers() === 1);
    clock.advance(29_999);
    await api.call('getMe');
    expect(answered).toBe(false);
    clock.advance(1);
    await slow;
  });

  test('a duplicated batch: the confirmation is lost once', async () => {
    const { api, sandbox, bot } = await scene();
    sandbox.say(sandbox.createUser(), bot, 'twice');
    const [update] = await pending(api);
    const offset = (update?.update_id ?? 0) + 1;
    sandbox.fault({ kind: 'duplicate_batch', method: 'getUpdates', times: 1 });
    expect(await pending(api, { offset })).toEqual([update]);
    expect(await pending(api, { offset })).toEqual([]);
  });

  test('a chance of striking is repeatable by seed', async () => {
    const strikes = async (): Promise<number[]> => {
      const { api, sandbox } = await scene({ seed: 11 });
      sandbox.fault({ kind: 'server_error', probability: 0.5 });
      const statuses: number[] = [];
      for (let n = 0; n < 20; n++) statuses.push((await api.call('getMe')).status);
      return statuses;
    };
    const first = await strikes();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await strikes()).toEqual(first);
  });

  test('20. flood limits: off by default, then thirty a second, one a second per chat and twenty a minute per group', async () => {
    const clock = createManualClock();
    const { api, sandbox, bot } = await scene({ clock });
    const ann = sandbox.createUser();
    sandbox.say(ann, bot, 'hi');
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
    const send = (chat_id: number): Promise<number> =>
      api.call('sendMessage', { chat_id, text: 'x' }).then(({ status }) => status);
    for (let n = 0; n < 5; n++) expect(await send(ann.id)).toBe(200);
    sandbox.flood.set(telegramLimits);
    expect(await send(ann.id)).toBe(200);
    const { status, body } = await api.call('sendMessage', { chat_id: ann.id, text: 'x' });
    expect({ status, body }).toMatchObject({
      status: 429,
      body: { parameters: { retry_after: 1 } },
    });
    clock.advance(1000);
    expect(await send(ann.id)).toBe(200);
    for (let n = 0; n < 20; n++) expect(await send(group.id)).toBe(200);
    const full = await api.call('sendMessage', { chat_id: group.id, text: 'x' });
    expect(full.body).toMatchObject({ error_code: 429, parameters: { retry_after: 60 } });
    clock.advance(60_000);
    expect(await send(group.id)).toBe(200);
    sandbox.setAhead(-86_400_000);
    expect(await send(group.id)).toBe(200);
    clock.advance(1000);
    const people = Array.from({ length: 31 }, () => sandbox.createUser());
    for (const user of people) sandbox.say(user, bot, 'hi');
    const statuses = await Promise.all(people.map((user) => send(user.id)));
    expect(statuses.filter((one) => one === 200)).toHaveLength(30);
  });

  test('flood limits let a bot with Stars pay for more than thirty a second, for what was sent', async () => {
    const { api, sandbox, bot } = await scene({ clock: createManualClock() });
    const people = Array.from({ length: 50 }, () => sandbox.createUser());
    for (const user of people) sandbox.say(user, bot, 'hi');
    sandbox.blockBot(people[40] as { id: number }, bot);
    sandbox.flood.set(telegramLimits);
    const sends = (from: number, to: number) =>
      Promise.all(
        people.slice(from, to).map(async ({ id }) => {
          const params = { chat_id: id, text: 'x', allow_paid_broadcast: true };
          return (await api.call('sendMessage', params)).status;
        }),
      );
    expect((await sends(0, 35)).filter((status) => status === 429)).toHaveLength(5);
    sandbox.giveStars(bot, 10_100);
    expect((await sends(35, 50)).filter((status) => status === 200)).toHaveLength(14);
    expect(await api.ok('getMyStarBalance')).toEqual({
      amount: 10_098,
      nanostar_amount: 600_000_000,
    });
  });

  test('flood limits count messages, edits and drafts apart, and nothing else', async () => {
    const { api, sandbox, bot } = await scene({ clock: createManualClock() });
    const ann = sandbox.createUser();
    sandbox.say(ann, bot, 'hi');
    sandbox.flood.set(telegramLimits);
    const call = async (method: string, more: object = {}) => {
      const { status } = await api.call(method, { chat_id: ann.id, text: 'x', ...more });
      return status;
    };
    const { message_id } = await api.ok<{ message_id: number }>('sendMessage', {
      chat_id: ann.id,
      text: 'hello',
    });
    expect(await call('sendMessage')).toBe(429);
    expect(await call('editMessageText', { message_id })).toBe(200);
    expect(await call('editMessageText', { message_id, text: 'y' })).toBe(429);
    const drafts: number[] = [];
    for (let n = 0; n < 4; n++) drafts.push(await call('sendMessageDraft', { draft_id: 1 }));
    expect(drafts).toEqual([200, 200, 200, 429]);
    for (let n = 0; n < 5; n++)
      expect(await call('sendChatAction', { action: 'typing' })).toBe(200);
  });

  test('flood limits can count messages, edits and drafts together', async () => {
    const clock = createManualClock();
    const { api, sandbox, bot } = await scene({ clock });
    const ann = sandbox.createUser();
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
    const { message_id } = await api.ok<{ message_id: number }>('sendMessage', {
      chat_id: group.id,
      text: 'hello',
    });
    runAction(sandbox, 'flood-limits', { counting: 'together', group_seconds: 15 });
    const calls = ['sendMessage', 'editMessageText', 'sendMessageDraft'];
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) {
      const more = { message_id, draft_id: 1, text: `${n}` };
      const { status, body } = await api.call(calls[n % 3] ?? '', { chat_id: group.id, ...more });
      statuses.push(status);
      if (n === 20) expect(body).toMatchObject({ parameters: { retry_after: 15 } });
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    clock.advance(15_000);
    expect((await api.call('sendMessage', { chat_id: group.id, text: 'x' })).status).toBe(200);
  });

  test('every fault can be named by the control API', async () => {
    const { sandbox, url } = await scene();
    const post = (action: string, body: object): Promise<Response> =>
      fetch(`${url}/sandbox/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const kind of faultKinds)
      expect((await post('faults/add', { kind, times: 1 })).status).toBe(200);
    expect(sandbox.faults.list().map((fault) => fault.kind)).toEqual(faultKinds);
    const [first] = sandbox.faults.list();
    expect((await post('faults/remove', { id: first?.id })).status).toBe(200);
    expect(sandbox.faults.list().map((fault) => fault.kind)).toEqual(faultKinds.slice(1));
    expect((await post('faults/remove', { id: first?.id })).status).toBe(404);
    expect((await post('faults/clear', {})).status).toBe(200);
    expect(sandbox.faults.list()).toEqual([]);
    expect((await post('faults/add', { kind: 'earthquake' })).status).toBe(400);
  });
});

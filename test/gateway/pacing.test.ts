import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppRecord } from '../../src/core/apps/app.ts';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { advanceUntil, createManualClock } from '../support/manual-clock.ts';
import { type GatewayApp, type Reply, startGatewayApp } from './gateway-app.ts';

const clock = createManualClock();
const json = { 'content-type': 'application/json' };
const sentMessage = { ok: true, result: { message_id: 9, date: 1, chat: { id: 5 }, text: 'Hi' } };

describe('a paced app at the gateway', () => {
  let gateway: GatewayApp;
  let bot: BotRecord;
  let agent: AppRecord & { token: string };

  beforeEach(async () => {
    gateway = await startGatewayApp({ clock });
    bot = await gateway.addBot();
    agent = await gateway.addApp(bot, 'agent', { pacing: 'on', patience: 20 });
    gateway.platform.answerJson(200, sentMessage);
  });
  afterEach(() => gateway.close());

  const call = (method: string, params: object, token = agent.token): Promise<Reply> =>
    gateway.call(`/bot${token}/${method}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(params),
    });
  const send = (text: string, token?: string) => call('sendMessage', { chat_id: 5, text }, token);
  const received = () =>
    gateway.platform.requests.map(({ url, body }) => {
      const { text } = JSON.parse(body || '{}') as { text?: string };
      return `${url.split('/').at(-1)} ${text ?? ''}`.trim();
    });
  /** Telegram answers the next call with 429, and all later ones as before. */
  function refuseOnce(seconds: number): void {
    gateway.platform.answer((res) => {
      gateway.platform.answerJson(200, sentMessage);
      const parameters = { retry_after: seconds };
      res.writeHead(429, json);
      res.end(JSON.stringify({ ok: false, error_code: 429, parameters }));
    });
  }
  const counted = (entry: string, times = 1) =>
    advanceUntil(clock, () => gateway.paced.filter((one) => one === entry).length >= times, 0);
  const shown = async () => {
    await gateway.activity.flush();
    return (await gateway.store.apps.activity(bot.id)).get(agent.id);
  };

  it('gets the answer to a call that met a 429 when the wait is over', async () => {
    refuseOnce(7);
    const first = send('first');
    await counted('agent held');
    expect(gateway.paced).toEqual(['agent waits 7000 ms', 'agent held']);
    const second = send('second');
    await counted('agent held', 2);
    await clock.advance(6_999);
    expect(received()).toEqual(['sendMessage first']);
    await clock.advance(1);
    expect(await first).toMatchObject({ status: 200, json: sentMessage });
    await advanceUntil(clock, () => gateway.platform.requests.length === 3, 200);
    expect((await second).status).toBe(200);
    expect(received()).toEqual(['sendMessage first', 'sendMessage first', 'sendMessage second']);
    expect(await shown()).toMatchObject({ rate_limited: 1, retry_after: 7 });
  });

  it('gets true for typing and drafts, answers pass, and other bots and chats do not wait', async () => {
    refuseOnce(7);
    expect((await call('sendMessageDraft', { chat_id: 5, draft_id: 1, text: 'a' })).json).toEqual({
      ok: true,
      result: true,
    });
    expect((await call('sendChatAction', { chat_id: '5', action: 'typing' })).text).toBe(
      '{"ok":true,"result":true}',
    );
    await call('answerCallbackQuery', { callback_query_id: '1' });
    await call('sendMessage', { chat_id: 6, text: 'elsewhere' });
    await call('getChat', { chat_id: 5 });
    expect(received()).toEqual([
      'sendMessageDraft a',
      'answerCallbackQuery',
      'sendMessage elsewhere',
      'getChat',
    ]);
    expect(gateway.paced.filter((one) => one === 'agent dropped')).toHaveLength(2);
  });

  it('gets 429 with what is left, which GET /api/bots/apps counts', async () => {
    refuseOnce(90);
    const refused = send('never');
    await counted('agent held');
    await clock.advance(20_000);
    const { status, headers, json: envelope } = await refused;
    expect({ status, after: headers['retry-after'], envelope }).toEqual({
      status: 429,
      after: '70',
      envelope: {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 70',
        parameters: { retry_after: 70 },
      },
    });
    expect(await shown()).toMatchObject({ rate_limited: 2, retry_after: 70 });
    expect(received()).toEqual(['sendMessage never']);
  });

  it('waits for the 429 of an app without pacing, whose calls pass to the byte', async () => {
    refuseOnce(7);
    const refused = await send('of the bot itself', bot.token);
    expect(refused.status).toBe(429);
    await advanceUntil(clock, () => gateway.paced.length > 0, 0);
    expect(gateway.paced).toEqual(['default waits 7000 ms']);
    const held = send('held');
    await counted('agent held');
    expect((await send('still passes', bot.token)).status).toBe(200);
    await clock.advance(7_000);
    expect((await held).status).toBe(200);
    expect(received().at(-1)).toBe('sendMessage held');
  });

  it('shares one answer between the edits of a message that were merged', async () => {
    refuseOnce(5);
    const edit = (text: string) => call('editMessageText', { chat_id: 5, message_id: 9, text });
    const first = edit('a');
    await counted('agent held');
    const others = [edit('a b'), edit('a b c')];
    await counted('agent merged', 2);
    await clock.advance(5_000);
    const answers = await Promise.all([first, ...others]);
    expect(answers.map(({ status, text }) => ({ status, text }))).toEqual(
      Array.from({ length: 3 }, () => ({ status: 200, text: JSON.stringify(sentMessage) })),
    );
    expect(received()).toHaveLength(2);
    expect(received()[1]).toMatch(/^editMessageText a b/);
  });

  it('cancels the edit of a message that it deletes', async () => {
    refuseOnce(5);
    const edit = call('editMessageText', { chat_id: 5, message_id: 9, text: 'late' });
    await counted('agent held');
    const deletion = call('deleteMessage', { chat_id: 5, message_id: '9' });
    expect((await edit).json).toMatchObject({
      error_code: 400,
      description: 'Bad Request: message to edit not found',
    });
    await counted('agent held', 2);
    await clock.advance(5_000);
    expect((await deletion).status).toBe(200);
    expect(received()).toEqual(['editMessageText late', 'deleteMessage']);
  });

  it('does not send for a caller who went away, nor for an app that was disabled meanwhile', async () => {
    refuseOnce(5);
    const first = send('first');
    await counted('agent held');
    const leaving = new AbortController();
    const left = gateway
      .call(`/bot${agent.token}/sendMessage`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ chat_id: 5, text: 'left' }),
        signal: leaving.signal,
      })
      .catch(() => 'left');
    await counted('agent held', 2);
    leaving.abort();
    expect(await left).toBe('left');
    await gateway.store.apps.toggle(agent.id, clock.now());
    await clock.advance(5_000);
    expect((await first).status).toBe(403);
    await clock.advance(60_000);
    expect(received()).toEqual(['sendMessage first']);
  });

  it('repeats an upload of up to 1 MB, and leaves a larger one unread while its chat waits', async () => {
    const upload = async (bytes: number) => {
      const form = new FormData();
      form.set('chat_id', '5');
      form.set('document', new Blob([randomBytes(bytes)]), 'a.bin');
      const response = new Response(form);
      return {
        body: Buffer.from(await response.arrayBuffer()),
        headers: { 'content-type': response.headers.get('content-type') ?? '' },
      };
    };
    const path = `/bot${agent.token}/sendDocument`;
    refuseOnce(5);
    const small = gateway.call(path, { method: 'POST', ...(await upload(900_000)) });
    await counted('agent held');
    const { body, headers } = await upload(20_000_000);
    const large = httpRequest(gateway.url + path, {
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
    });
    const answer = once(large, 'response');
    large.end(body);
    await counted('agent held', 2);
    expect(large.writableFinished).toBe(false);
    await advanceUntil(clock, () => gateway.platform.requests.length >= 3, 500);
    expect((await small).status).toBe(200);
    await answer;
    const [first, repeated, rest] = gateway.platform.requests;
    expect(repeated?.sha256).toBe(first?.sha256);
    expect(rest?.bytes).toBe(body.length);
  });

  it('has at most 32 MB of its calls in memory that Telegram has not answered', async () => {
    const answers: (() => void)[] = [];
    gateway.platform.answer((res, { bytes }) => {
      const isStreamed = answers.length === 32;
      const end = () => {
        res.writeHead(isStreamed ? 429 : 200, json);
        res.end(
          JSON.stringify(isStreamed ? { ok: false, parameters: { retry_after: 5 } } : sentMessage),
        );
      };
      if (isStreamed || bytes < 1_000) end();
      else answers.push(end);
    });
    const large = () => send('x'.repeat(1_040_000));
    const first = Array.from({ length: 32 }, large);
    await expect.poll(() => answers.length).toBe(32);
    // Nothing of it was kept, so it is not repeated.
    expect((await large()).status).toBe(429);
    for (const answer of answers.splice(0)) answer();
    expect((await Promise.all(first)).every(({ status }) => status === 200)).toBe(true);
    const read = large();
    await expect.poll(() => answers.length).toBe(1);
    answers.pop()?.();
    expect((await read).status).toBe(200);
  });

  it('answers what it holds when the service stops', async () => {
    refuseOnce(30);
    const held = send('held');
    await counted('agent held');
    await gateway.close();
    expect(await held.then(({ status }) => status)).toBe(503);
    gateway = await startGatewayApp();
  });

  it('needs no more of the database outside a flood wait than without pacing', async () => {
    const calls: string[] = [];
    const { engine } = gateway;
    for (const name of ['readRaw', 'write'] as const) {
      const call = engine[name].bind(engine) as (...args: unknown[]) => Promise<unknown>;
      Object.assign(engine, {
        [name]: (...args: unknown[]) => {
          calls.push(name);
          return call(...args);
        },
      });
    }
    let before: string[] = [];
    gateway.platform.answer((res) => {
      before = [...calls];
      res.writeHead(200, json);
      res.end(JSON.stringify(sentMessage));
    });
    const callsBefore = async (pacing: 'off' | 'on') => {
      await gateway.store.apps.update(agent.id, { patch: { pacing } }, clock.now());
      await send('the first reads the app');
      calls.length = 0;
      await send('hi');
      return before;
    };
    expect(await callsBefore('on')).toEqual(await callsBefore('off'));
  });
});

import type { WebhookInfo } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../src/sandbox/clock.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { UserRecord } from '../../src/sandbox/world/records.ts';
import { type Receiver, receiver, type Scene, scene, until } from './helpers.ts';

interface HookScene extends Scene {
  hook: Receiver;
  ann: UserRecord;
  ben: UserRecord;
}

async function hooked(params: object = {}, options: SandboxOptions = {}): Promise<HookScene> {
  const made = await scene(options);
  const hook = await receiver();
  await made.api.ok('setWebhook', { url: hook.url, ...params });
  const ann = made.sandbox.createUser({ first_name: 'Ann' });
  const ben = made.sandbox.createUser({ first_name: 'Ben' });
  return { ...made, hook, ann, ben };
}

/** Refuses a delivery and waits until its retry is a timer of the clock. */
async function refuse(clock: ManualClock, respond: () => void): Promise<void> {
  const before = clock.startedTimers();
  respond();
  await until(() => clock.startedTimers() > before);
}

describe('webhook delivery', () => {
  test('15. a JSON POST with the secret header; any 2xx is success', async () => {
    const { sandbox, bot, hook, ann, api } = await hooked({ secret_token: 'Secret_1-2' });
    sandbox.say(ann, bot, 'hello');
    const hit = await hook.next();
    expect(hit.headers['content-type']).toBe('application/json');
    expect(hit.headers['x-telegram-bot-api-secret-token']).toBe('Secret_1-2');
    expect(hit.update.message?.text).toBe('hello');
    expect((await api.ok<WebhookInfo>('getWebhookInfo')).pending_update_count).toBe(1);
    hit.respond(204);
    await until(() => bot.updates.size === 0);
    await api.ok('setWebhook', { url: hook.url });
    sandbox.say(ann, bot, 'no secret');
    const plain = await hook.next();
    expect(plain.headers['x-telegram-bot-api-secret-token']).toBeUndefined();
    plain.respond(299);
    await until(() => bot.updates.size === 0);
  });

  test('15a. a redirect is a failure and is not followed', async () => {
    const { sandbox, bot, hook, ann, api } = await hooked();
    sandbox.say(ann, bot, 'hello');
    const first = await hook.next();
    first.respond(302, '', { location: `${hook.url}/elsewhere` });
    const again = await hook.next();
    expect(again.update.update_id).toBe(first.update.update_id);
    const info = await api.ok<WebhookInfo>('getWebhookInfo');
    expect(info.last_error_message).toBe('Wrong response from the webhook: 302 Found');
    again.respond(200);
    await until(() => bot.updates.size === 0);
  });

  test('15b. no answer within 60 s is a failure', async () => {
    const clock = createManualClock();
    const { sandbox, bot, hook, ann, api } = await hooked({}, { clock });
    sandbox.say(ann, bot, 'hello');
    await hook.next();
    clock.advance(59_000);
    expect(hook.waiting()).toBe(0);
    clock.advance(2000);
    await until(() => bot.webhook?.lastErrorMessage !== undefined);
    const info = await api.ok<WebhookInfo>('getWebhookInfo');
    expect(info.last_error_message).toBe('Read timeout expired');
    clock.advance(0);
    const again = await hook.next();
    again.respond(200);
    await until(() => bot.updates.size === 0);
  });

  test('15c. the secret is 1–256 of A-Z a-z 0-9 _ -', async () => {
    const { api, bot } = await scene();
    const url = 'http://127.0.0.1:9/';
    expect(await api.refused('setWebhook', { url, secret_token: 'a b' })).toBe(
      'Bad Request: secret token contains unallowed characters',
    );
    expect(await api.refused('setWebhook', { url, secret_token: 'a'.repeat(257) })).toBe(
      'Bad Request: secret token is too long',
    );
    expect(bot.webhook).toBeUndefined();
    await api.ok('setWebhook', { url, secret_token: 'a'.repeat(256) });
  });

  test('16. one in flight per chat; other chats go on', async () => {
    const { sandbox, bot, hook, ann, ben } = await hooked();
    sandbox.say(ann, bot, 'ann 1');
    sandbox.say(ann, bot, 'ann 2');
    sandbox.say(ben, bot, 'ben 1');
    const first = await hook.next();
    const second = await hook.next();
    expect(new Set([first, second].map((hit) => hit.update.message?.text))).toEqual(
      new Set(['ann 1', 'ben 1']),
    );
    const [fromAnn, fromBen] =
      first.update.message?.text === 'ann 1' ? [first, second] : [second, first];
    fromBen.respond(200);
    await until(() => bot.updates.size === 2);
    expect(hook.waiting()).toBe(0);
    fromAnn.respond(200);
    const third = await hook.next();
    expect(third.update.message?.text).toBe('ann 2');
    third.respond(200);
    await until(() => bot.updates.size === 0);
  });

  test('16a. only the head of a failing chat is retried, the others flow', async () => {
    const clock = createManualClock();
    const { sandbox, bot, hook, ann, ben } = await hooked({}, { clock });
    sandbox.say(ann, bot, 'ann 1');
    sandbox.say(ann, bot, 'ann 2');
    const failed = await hook.next();
    await refuse(clock, () => failed.respond(500));
    sandbox.say(ben, bot, 'ben 1');
    const ben1 = await hook.next();
    expect(ben1.update.message?.text).toBe('ben 1');
    ben1.respond(200);
    await until(() => bot.updates.size === 2);
    clock.advance(0);
    const retry = await hook.next();
    expect(retry.update.message?.text).toBe('ann 1');
    retry.respond(200);
    const next = await hook.next();
    expect(next.update.message?.text).toBe('ann 2');
    next.respond(200);
    await until(() => bot.updates.size === 0);
  });

  test("16b. button presses queue by user, apart from the chat's messages", async () => {
    const { sandbox, bot, hook, ann, api } = await hooked();
    sandbox.say(ann, bot, 'menu please');
    (await hook.next()).respond(200);
    const { message_id } = await api.ok('sendMessage', {
      chat_id: ann.id,
      text: 'menu',
      reply_markup: { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] },
    });
    await until(() => bot.updates.size === 0);
    sandbox.say(ann, bot, 'held');
    const held = await hook.next();
    sandbox.press(ann, bot, message_id, 'A');
    const press = await hook.next();
    expect(press.update.callback_query?.data).toBe('a');
    press.respond(200);
    held.respond(200);
    await until(() => bot.updates.size === 0);
  });

  test('16c. max_connections is clamped to 1–100, default 40, and holds', async () => {
    const { sandbox, bot, hook, api } = await hooked({ max_connections: 2 });
    const users = [1, 2, 3].map(() => sandbox.createUser());
    for (const user of users) sandbox.say(user, bot, 'hello');
    const first = await hook.next();
    const second = await hook.next();
    // The third waits for one of the two: nothing has arrived even after a full exchange.
    await api.ok('getMe');
    expect(hook.waiting()).toBe(0);
    first.respond(200);
    const third = await hook.next();
    second.respond(200);
    third.respond(200);
    await until(() => bot.updates.size === 0);
    const connections = async (params: object): Promise<number | undefined> => {
      await api.ok('setWebhook', { url: hook.url, ...params });
      return (await api.ok<WebhookInfo>('getWebhookInfo')).max_connections;
    };
    expect(await connections({})).toBe(40);
    expect(await connections({ max_connections: 0 })).toBe(1);
    expect(await connections({ max_connections: 1000 })).toBe(100);
  });

  test('17. first retry at once, then 2 s doubling to between 60 and 120 s', async () => {
    const clock = createManualClock();
    const { sandbox, bot, hook, ann } = await hooked({}, { clock });
    sandbox.say(ann, bot, 'stubborn');
    const gaps: number[] = [];
    for (let n = 0; n < 10; n++) {
      const hit = await hook.next();
      await refuse(clock, () => hit.respond(500));
      const gapMs = clock.nextTimerInMs() ?? 0;
      gaps.push(gapMs / 1000);
      clock.advance(gapMs);
    }
    expect(gaps.slice(0, 6)).toEqual([0, 2, 4, 8, 16, 32]);
    for (const gap of gaps.slice(6)) {
      expect(gap).toBeGreaterThanOrEqual(60);
      expect(gap).toBeLessThanOrEqual(120);
    }
    expect(new Set(gaps.slice(6)).size).toBeGreaterThan(1);
  });

  test('17a. a Retry-After answer replaces the delay', async () => {
    const clock = createManualClock();
    const { sandbox, bot, hook, ann } = await hooked({}, { clock });
    sandbox.say(ann, bot, 'later');
    const hit = await hook.next();
    await refuse(clock, () => hit.respond(503, '', { 'retry-after': '37' }));
    expect(clock.nextTimerInMs()).toBe(37_000);
    clock.advance(37_000);
    (await hook.next()).respond(200);
    await until(() => bot.updates.size === 0);
  });

  test('17b. an update that would expire before its retry is dropped', async () => {
    const clock = createManualClock();
    const { sandbox, bot, hook, ann } = await hooked({}, { clock });
    sandbox.say(ann, bot, 'menu');
    (await hook.next()).respond(200);
    await until(() => bot.updates.size === 0);
    const { message_id } = sandbox.say(ann, bot, 'x');
    (await hook.next()).respond(200);
    await until(() => bot.updates.size === 0);
    const sent = (await sandbox.call(bot.token, 'sendMessage', {
      chat_id: ann.id,
      text: 'menu',
      reply_markup: { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] },
    })) as { message_id: number };
    expect(sent.message_id).toBe(message_id + 1);
    sandbox.press(ann, bot, sent.message_id, 'A');
    (await hook.next()).respond(503, '', { 'retry-after': '151' });
    await until(() => bot.updates.size === 0);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('18. a method call in a 2xx body is executed, its result discarded', async () => {
    const { sandbox, bot, hook, ann } = await hooked();
    sandbox.say(ann, bot, 'hello');
    const hit = await hook.next();
    hit.respond(200, JSON.stringify({ method: 'sendMessage', chat_id: ann.id, text: 'hi back' }), {
      'content-type': 'application/json',
    });
    await until(() => bot.updates.size === 0);
    expect(sandbox.history(ann, bot).map((shown) => shown.message.text)).toEqual([
      'hello',
      'hi back',
    ]);
    sandbox.say(ann, bot, 'as a form');
    (await hook.next()).respond(
      200,
      new URLSearchParams({
        method: 'sendMessage',
        chat_id: String(ann.id),
        text: 'form',
      }).toString(),
      { 'content-type': 'application/x-www-form-urlencoded' },
    );
    await until(() => bot.updates.size === 0);
    expect(sandbox.history(ann, bot).at(-1)?.message.text).toBe('form');
  });

  test('18a. get*, setWebhook, deleteWebhook, close and logOut in an answer are ignored, failures too', async () => {
    const { sandbox, bot, hook, ann } = await hooked();
    const methods = [
      'getMe',
      'setWebhook',
      'deleteWebhook',
      'close',
      'logOut',
      'sendMessage',
      'nonsense',
    ];
    for (const method of methods) {
      sandbox.say(ann, bot, `answer with ${method}`);
      (await hook.next()).respond(200, JSON.stringify({ method, url: '' }), {
        'content-type': 'application/json',
      });
      await until(() => bot.updates.size === 0);
    }
    expect(bot.webhook?.url).toBe(hook.url);
    expect(bot.loggedOutUntil).toBeUndefined();
  });

  test('19. setWebhook unchanged says so; drop_pending_updates clears the queue', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    sandbox.say(ann, bot, 'one');
    const url = 'http://127.0.0.1:9/hook';
    expect((await api.call('setWebhook', { url, secret_token: 's' })).body).toEqual({
      ok: true,
      result: true,
      description: 'Webhook was set',
    });
    expect((await api.call('setWebhook', { url, secret_token: 's' })).body.description).toBe(
      'Webhook is already set',
    );
    expect((await api.call('setWebhook', { url, secret_token: 't' })).body.description).toBe(
      'Webhook was set',
    );
    expect((await api.ok<WebhookInfo>('getWebhookInfo')).pending_update_count).toBe(1);
    await api.ok('setWebhook', { url, secret_token: 't', drop_pending_updates: true });
    expect((await api.ok<WebhookInfo>('getWebhookInfo')).pending_update_count).toBe(0);
    expect((await api.call('deleteWebhook')).body.description).toBe('Webhook was deleted');
    sandbox.say(ann, bot, 'two');
    await api.ok('deleteWebhook', { drop_pending_updates: true });
    expect(await api.ok('getUpdates')).toEqual([]);
  });

  test('19a. getWebhookInfo shows the fields it should', async () => {
    const clock = createManualClock();
    const { api, sandbox, hook, bot, ann } = await hooked(
      { max_connections: 7, allowed_updates: ['message', 'callback_query'] },
      { clock },
    );
    expect(await api.ok('getWebhookInfo')).toEqual({
      url: hook.url,
      has_custom_certificate: false,
      pending_update_count: 0,
      max_connections: 7,
      ip_address: '127.0.0.1',
      allowed_updates: ['message', 'callback_query'],
    });
    sandbox.say(ann, bot, 'hello');
    const hit = await hook.next();
    await refuse(clock, () => hit.respond(404));
    expect(await api.ok('getWebhookInfo')).toMatchObject({
      pending_update_count: 1,
      last_error_date: Math.floor(clock.now() / 1000),
      last_error_message: 'Wrong response from the webhook: 404 Not Found',
    });
    await api.ok('deleteWebhook');
    expect(await api.ok('getWebhookInfo')).toEqual({
      url: '',
      has_custom_certificate: false,
      pending_update_count: 1,
      allowed_updates: ['message', 'callback_query'],
    });
  });

  test('19b. Telegram itself demands https and one of four ports', async () => {
    const { api } = await scene({ strictWebhookUrls: true });
    expect(await api.refused('setWebhook', { url: 'http://example.com/' })).toBe(
      'Bad Request: bad webhook: An HTTPS URL must be provided for webhook',
    );
    expect(await api.refused('setWebhook', { url: 'https://example.com:8080/' })).toBe(
      'Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443',
    );
  });
});

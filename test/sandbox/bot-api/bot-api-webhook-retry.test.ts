import type { WebhookInfo } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import { scene, until } from '../helpers.ts';
import { hooked, refuse } from '../support/scenes.ts';

describe('webhook retries, answers and settings', () => {
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

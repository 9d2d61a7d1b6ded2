import type { WebhookInfo } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import { scene, until } from '../helpers.ts';
import { hooked, refuse } from '../support/scenes.ts';

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

  test('16b1. a stop does not wait for the message that it should stop', async () => {
    const { sandbox, bot, hook, ann, api } = await hooked();
    sandbox.say(ann, bot, 'write a book');
    const held = await hook.next();
    const draft = { chat_id: ann.id, draft_id: 1, text: 'Once', can_stop: true };
    await api.ok('sendMessageDraft', draft);
    sandbox.stopDraft(ann, bot);
    const stop = await hook.next();
    expect(stop.update).toMatchObject({ stopped_message_generation: { draft_id: 1 } });
    stop.respond(200);
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
});

import type { Update } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import { createPolling } from '../../../sandbox/src/updates/polling.ts';
import { pending, type Scene, scene, until } from '../helpers.ts';

const dayMs = 86_400_000;

/** A scene whose bot has `count` messages waiting. */
async function waiting(
  count: number,
  options: Parameters<typeof scene>[0] = {},
): Promise<Scene & { ids: number[]; ann: { id: number } }> {
  const made = await scene(options);
  const ann = made.sandbox.createUser({ first_name: 'Ann' });
  for (let n = 1; n <= count; n++) made.sandbox.say(ann, made.bot, `message ${n}`);
  return { ...made, ann, ids: [...made.bot.updates.keys()] };
}

const idsOf = (updates: Update[]): number[] => updates.map((update) => update.update_id);

describe('getUpdates', () => {
  test('6. out-of-range limit and timeout are clamped, never refused', async () => {
    const { api } = await waiting(130);
    expect(await pending(api)).toHaveLength(100);
    expect(await pending(api, { limit: 1000 })).toHaveLength(100);
    expect(await pending(api, { limit: 0 })).toHaveLength(1);
    expect(await pending(api, { limit: -5 })).toHaveLength(1);
    expect(await pending(api, { limit: 7, timeout: -3 })).toHaveLength(7);
  });

  test('6a. a timeout above 50 waits 50 seconds', async () => {
    const clock = createManualClock();
    const { api } = await scene({ clock });
    const poll = pending(api, { timeout: 5000 });
    await until(() => clock.pendingTimers() > 0);
    clock.advance(50_000);
    expect(await poll).toEqual([]);
  });

  test('7. a positive offset forgets what is below; 0 or none forgets nothing; −n keeps the last n', async () => {
    const { api, ids } = await waiting(6);
    expect(idsOf(await pending(api))).toEqual(ids);
    expect(idsOf(await pending(api, { offset: 0 }))).toEqual(ids);
    expect(idsOf(await pending(api, { offset: ids[2] }))).toEqual(ids.slice(2));
    expect(idsOf(await pending(api))).toEqual(ids.slice(2));
    expect(idsOf(await pending(api, { offset: -2 }))).toEqual(ids.slice(-2));
    expect(idsOf(await pending(api))).toEqual(ids.slice(-2));
    expect(await pending(api, { offset: (ids.at(-1) ?? 0) + 1 })).toEqual([]);
  });

  test('8. an offset far past the newest id confirms nothing and returns from the oldest', async () => {
    const { api, ids } = await waiting(3);
    const newest = ids.at(-1) ?? 0;
    expect(idsOf(await pending(api, { offset: newest + 11 }))).toEqual(ids);
    expect(idsOf(await pending(api))).toEqual(ids);
    expect(await pending(api, { offset: newest + 10 })).toEqual([]);
    expect(await pending(api)).toEqual([]);
  });

  test('9. a response stops at about 4 MiB below the limit; a timeout without data gives []', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    // Each update holds the message that it answers, with its keyboard.
    const key = (index: number) => [{ text: 'x'.repeat(600), callback_data: String(index) }];
    const inline_keyboard = Array.from({ length: 100 }, (_, index) => key(index));
    sandbox.say(ann, bot, '/start');
    const { message_id: replyTo } = await api.ok('sendMessage', {
      chat_id: ann.id,
      text: 'x',
      reply_markup: { inline_keyboard },
    });
    for (let n = 0; n < 79; n++) sandbox.say(ann, bot, 'x'.repeat(4000), { replyTo });
    const response = await fetch(`${(await sandbox.listen()).url}/bot${bot.token}/getUpdates`);
    const text = await response.text();
    const { result } = JSON.parse(text) as { result: Update[] };
    expect(text.length).toBeLessThan(4.3 * 1024 * 1024);
    expect(text.length).toBeGreaterThan(3.8 * 1024 * 1024);
    expect(result.length).toBeLessThan(80);
    const last = result.at(-1)?.update_id ?? 0;
    const rest = await pending(api, { offset: last + 1 });
    expect(result.length + rest.length).toBe(80);
    await pending(api, { offset: (rest.at(-1)?.update_id ?? 0) + 1 });
    expect((await api.call('getUpdates', { timeout: 1 })).body).toEqual({ ok: true, result: [] });
  });

  test('10. a poll that has to wait ends the older waiting one with 409; one answered at once does not', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    const first = api.call('getUpdates', { timeout: 30 });
    await until(() => sandbox.isPolled(bot.id));
    expect((await api.call('getUpdates', { timeout: 0 })).body).toEqual({ ok: true, result: [] });
    const second = api.call<Update[]>('getUpdates', { timeout: 30 });
    expect(await first).toMatchObject({
      status: 409,
      body: {
        ok: false,
        error_code: 409,
        description:
          'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      },
    });
    sandbox.say(ann, bot, 'wake up');
    const { body } = await second;
    expect(body.ok && body.result[0]?.message?.text).toBe('wake up');
  });

  test('11. while a webhook is set getUpdates is 409; setWebhook ends a waiting poll', async () => {
    const { api, sandbox, bot } = await scene();
    const poll = api.call('getUpdates', { timeout: 30 });
    await until(() => sandbox.isPolled(bot.id));
    await api.ok('setWebhook', { url: 'http://127.0.0.1:9/hook' });
    expect(await poll).toMatchObject({
      status: 409,
      body: { description: 'Conflict: terminated by setWebhook request' },
    });
    expect(await api.call('getUpdates')).toMatchObject({
      status: 409,
      body: {
        description:
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      },
    });
    await api.ok('deleteWebhook');
    expect(await pending(api)).toEqual([]);
  });

  test('12. allowed_updates: absent keeps, empty resets, applied when an update is queued', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    const kinds = async (params: object = {}): Promise<string[]> =>
      (await pending(api, params)).map((update) => Object.keys(update)[1] ?? '');
    const { message_id } = sandbox.say(ann, bot, 'one');
    sandbox.react(ann, bot, message_id, '👍');
    sandbox.edit(ann, bot, message_id, 'two');
    // Reactions are not among the default kinds.
    expect(await kinds()).toEqual(['message', 'edited_message']);
    // Queued updates stay; later ones follow the new list.
    expect(await kinds({ allowed_updates: ['message_reaction', 'callback_query'] })).toEqual([
      'message',
      'edited_message',
    ]);
    sandbox.say(ann, bot, 'unwanted');
    sandbox.react(ann, bot, message_id, '🔥');
    expect(await kinds()).toEqual(['message', 'edited_message', 'message_reaction']);
    await pending(api, { allowed_updates: [] });
    sandbox.react(ann, bot, message_id, '🎉');
    sandbox.say(ann, bot, 'wanted again');
    expect(await kinds()).toEqual(['message', 'edited_message', 'message_reaction', 'message']);
  });

  test('12a. chat_member comes only when it is asked for by name', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    const ben = sandbox.createUser();
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
    sandbox.promote(ann, group, bot);
    sandbox.join(ben, group);
    const before = (await pending(api)).filter((update) => update.chat_member);
    await pending(api, { allowed_updates: ['chat_member'] });
    sandbox.leave(ben, group);
    const after = (await pending(api)).filter((update) => update.chat_member);
    expect(before).toEqual([]);
    expect(after.map((update) => update.chat_member?.new_chat_member.status)).toEqual(['left']);
  });

  test('13. ids are sequential from a random start and may jump down after a quiet week', async () => {
    const clock = createManualClock();
    const { api, sandbox, bot, ids, ann } = await waiting(3, { clock });
    expect(ids).toEqual([ids[0], (ids[0] ?? 0) + 1, (ids[0] ?? 0) + 2]);
    expect(ids[0]).toBeLessThan(2e9);
    await pending(api, { offset: (ids[2] ?? 0) + 1 });
    sandbox.jumpUpdateIds(bot.id);
    sandbox.say(ann, bot, 'after the jump');
    const [jumped] = await pending(api, { offset: (ids[2] ?? 0) + 1 });
    expect(jumped?.update_id).toBeLessThan(ids[0] ?? 0);
    expect(jumped?.message?.text).toBe('after the jump');
    await pending(api, { offset: (jumped?.update_id ?? 0) + 1 });
    clock.advance(8 * dayMs);
    sandbox.say(ann, bot, 'after a week');
    const [later] = await pending(api);
    expect(later?.update_id).not.toBe((jumped?.update_id ?? 0) + 1);
  });
});

describe('expiry', () => {
  test('14. updates live 24 h, inline queries 30 s, callback queries 150 s', async () => {
    const clock = createManualClock();
    const { api, sandbox, bot } = await scene({ clock }, { inlineMode: true });
    const ann = sandbox.createUser();
    sandbox.say(ann, bot, 'a day');
    const { message_id } = await api.ok('sendMessage', {
      chat_id: ann.id,
      text: 'menu',
      reply_markup: { inline_keyboard: [[{ text: 'go', callback_data: 'go' }]] },
    });
    sandbox.press(ann, bot, message_id, 'go');
    sandbox.inlineQuery(ann, bot, bot, 'cats');
    const kinds = async (): Promise<string[]> =>
      (await pending(api)).map((update) => Object.keys(update)[1] ?? '');
    clock.advance(29_000);
    expect(await kinds()).toEqual(['message', 'callback_query', 'inline_query']);
    clock.advance(2000);
    expect(await kinds()).toEqual(['message', 'callback_query']);
    clock.advance(118_000);
    expect(await kinds()).toEqual(['message', 'callback_query']);
    clock.advance(2000);
    expect(await kinds()).toEqual(['message']);
    clock.advance(dayMs - 152_000);
    expect(await kinds()).toEqual(['message']);
    clock.advance(2000);
    expect(await kinds()).toEqual([]);
  });

  test('10a. a poll whose caller disconnected before it waits ends no other poll', async () => {
    const { bot } = await scene();
    const clock = createManualClock();
    const polling = createPolling(clock, clock);
    const request = { offset: 0, limit: 1, timeoutSeconds: 50 };
    const live = polling.getUpdates(bot, request);
    expect(await polling.getUpdates(bot, { ...request, signal: AbortSignal.abort() })).toBe('[]');
    expect(polling.isWaiting(bot.id)).toBe(true);
    polling.stop();
    expect(await live).toBe('[]');
  });
});

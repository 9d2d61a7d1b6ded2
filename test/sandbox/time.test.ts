import type { ChatMember, Update } from '@grammyjs/types';
import { expect, test } from 'vitest';
import { createManualClock, createMovableClock } from '../../sandbox/src/clock.ts';
import { runAction } from '../../sandbox/src/actions/control.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/sandbox.ts';
import { pending, receiver, scene, until } from './helpers.ts';

const startSeconds = Date.UTC(2030, 0, 1) / 1000;

/** Time moves only through the control API. */
const still = () => scene({ clock: createManualClock() });
const advance = (sandbox: Sandbox, seconds: number) =>
  runAction(sandbox, 'time/advance', { seconds });

test('time is shown, moved on, set and given back', async () => {
  const { sandbox, url } = await still();
  const shown = async () => (await fetch(`${url}/sandbox/time`)).json();
  expect(await shown()).toEqual({ now: startSeconds, ahead_seconds: 0 });
  expect(advance(sandbox, 90)).toEqual({ now: startSeconds + 90, ahead_seconds: 90 });
  expect(runAction(sandbox, 'time/set', { now: startSeconds - 3600 })).toEqual({
    now: startSeconds - 3600,
    ahead_seconds: -3600,
  });
  expect(await shown()).toEqual({ now: startSeconds - 3600, ahead_seconds: -3600 });
  expect(runAction(sandbox, 'time/reset', {})).toEqual({ now: startSeconds, ahead_seconds: 0 });
});

test('mistakes with time are named', async () => {
  const { sandbox } = await still();
  expect(() => advance(sandbox, -1)).toThrow('"seconds" must not be negative');
  expect(() => advance(sandbox, 1.5)).toThrow('"seconds" must be an integer.');
  expect(() => advance(sandbox, 1e12)).toThrow('"seconds" must be a number from 0 to 315360000.');
  expect(() => runAction(sandbox, 'time/set', { now: 'noon' })).toThrow('"now" must be');
  runAction(sandbox, 'time/set', { now: Date.UTC(2100, 0, 1) / 1000 });
  expect(() => advance(sandbox, 1)).toThrow('Sandbox time cannot pass the year 2100.');
});

test('updates and presses expire when time passes', async () => {
  const { sandbox, bot, api } = await still();
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, 'an hour ago');
  advance(sandbox, 23 * 3600);
  sandbox.say(ann, bot, 'now');
  expect(await pending(api)).toHaveLength(2);
  advance(sandbox, 3600);
  expect((await pending(api)).map((update) => update.message?.text)).toEqual(['now']);
});

test('a mute ends at its time', async () => {
  const { sandbox, bot, api } = await still();
  const ann = sandbox.createUser({ first_name: 'Ann' });
  const group = sandbox.createChat({ title: 'Quiet', owner: ann, members: [bot] });
  sandbox.promote(ann, group, bot);
  const ben = sandbox.createUser({ first_name: 'Ben' });
  sandbox.join(ben, group);
  const where = { chat_id: group.id, user_id: ben.id };
  await api.ok('restrictChatMember', {
    ...where,
    permissions: {},
    until_date: startSeconds + 600,
  });
  expect(() => sandbox.say(ben, group, 'hello?')).toThrow('may not send');
  advance(sandbox, 601);
  expect(sandbox.say(ben, group, 'hello!').text).toBe('hello!');
  expect((await api.ok<ChatMember>('getChatMember', where)).status).toBe('member');
});

test('a live location lives as long as it said', async () => {
  const { sandbox, bot, api } = await still();
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, 'where are you?');
  const at = { chat_id: ann.id, latitude: 1, longitude: 2 };
  const { message_id } = await api.ok('sendLocation', { ...at, live_period: 600 });
  advance(sandbox, 599);
  await api.ok('editMessageLiveLocation', { ...at, message_id, latitude: 3 });
  advance(sandbox, 1);
  expect(await api.refused('editMessageLiveLocation', { ...at, message_id })).toBe(
    "Bad Request: message can't be edited",
  );
});

test('flood windows open again', async () => {
  const { sandbox, bot, api } = await still();
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, 'hi');
  runAction(sandbox, 'flood-limits', { on: true });
  const hello = { chat_id: ann.id, text: 'hello' };
  await api.ok('sendMessage', hello);
  expect(await api.refused('sendMessage', hello)).toBe('Too Many Requests: retry after 1');
  advance(sandbox, 1);
  await api.ok('sendMessage', hello);
});

test('a poll of people ends at its time; a poll of getUpdates waits on in the time of its caller', async () => {
  const clock = createManualClock();
  const { sandbox, bot, api } = await scene({ clock });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, 'hi');
  await api.ok('sendPoll', {
    chat_id: ann.id,
    question: 'Tea?',
    options: ['yes', 'no'],
    close_date: startSeconds + 40 * 86_400,
  });
  await api.ok('getUpdates', { offset: -1 });
  const [last] = await pending(api);
  const waiting = api.ok<Update[]>('getUpdates', {
    offset: (last?.update_id ?? 0) + 1,
    timeout: 50,
  });
  await until(() => sandbox.isPolled(bot.id));
  advance(sandbox, 86_400);
  expect(sandbox.isPolled(bot.id)).toBe(true);
  clock.advance(50_000);
  expect(await waiting).toEqual([]);
  advance(sandbox, 39 * 86_400);
  expect((await pending(api)).map((update) => update.poll?.is_closed)).toEqual([true]);
});

test('a webhook that failed is tried again when time passes', async () => {
  const clock = createManualClock();
  const { sandbox, bot, api } = await scene({ clock });
  const hook = await receiver();
  await api.ok('setWebhook', { url: hook.url });
  sandbox.say(sandbox.createUser({ first_name: 'Ann' }), bot, 'hi');
  for (const waitSeconds of [0, 2, 4]) {
    (await hook.next()).respond(500);
    await until(() => clock.nextTimerInMs() === waitSeconds * 1000);
    advance(sandbox, waitSeconds);
  }
  const { update, respond } = await hook.next();
  expect(update.message?.text).toBe('hi');
  respond(200);
});

test('going back undoes nothing, and what waits waits as long as before', () => {
  const base = createManualClock();
  const clock = createMovableClock(base);
  const rang: number[] = [];
  clock.setTimeout(() => rang.push(clock.now()), 10_000);
  clock.setAhead(-3_600_000);
  expect(clock.now()).toBe(base.now() - 3_600_000);
  base.advance(9_999);
  expect(rang).toEqual([]);
  base.advance(1);
  expect(rang).toEqual([clock.now()]);
});

test('each timer rings at its own moment, those set meanwhile too', () => {
  const base = createManualClock();
  const clock = createMovableClock(base);
  const start = clock.now();
  const rang: number[] = [];
  clock.setTimeout(() => rang.push(clock.now() - start), 5_000);
  clock.setTimeout(() => {
    rang.push(clock.now() - start);
    clock.setTimeout(() => rang.push(clock.now() - start), 1_000);
  }, 2_000);
  clock.clearTimeout(clock.setTimeout(() => rang.push(-1), 3_000));
  clock.setAhead(4_000);
  expect(rang).toEqual([2_000, 3_000]);
  base.advance(1_000);
  expect(rang).toEqual([2_000, 3_000, 5_000]);
});

test('longer waits than Node knows are waited for', () => {
  const base = createManualClock();
  const clock = createMovableClock(base);
  let rang = false;
  clock.setTimeout(() => {
    rang = true;
  }, 2 ** 32);
  base.advance(2 ** 32 - 1);
  expect(rang).toBe(false);
  base.advance(1);
  expect(rang).toBe(true);
});

test('a kept world goes on at its own time', async () => {
  const { sandbox } = await still();
  advance(sandbox, 86_400);
  const again = createSandbox({ clock: createManualClock() });
  again.importState(sandbox.exportState());
  expect(again.world.now()).toBe(startSeconds + 86_400);
  await again.close();
});

test('the same seed and the same calls give the same ids', async () => {
  const story = async (unguessable: boolean) => {
    const sandbox = createSandbox({ seed: 5, unguessable });
    const bot = sandbox.createBot({ username: 'seed_bot' });
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const message = sandbox.say(ann, bot, 'roll');
    const dice = await sandbox.call(bot.token, 'sendDice', { chat_id: ann.id });
    const updates = [...bot.updates.keys()];
    await sandbox.close();
    const { message_id, dice: shown } = dice as { message_id: number; dice: object };
    return {
      ids: [bot.id, ann.id, message.message_id, message_id, ...updates],
      shown,
      token: bot.token,
    };
  };
  const first = await story(false);
  expect(await story(false)).toEqual(first);
  const hidden = await story(true);
  expect((await story(true)).ids).toEqual(hidden.ids);
  expect((await story(true)).token).not.toBe(hidden.token);
});

test('people talk in turn while time passes', async () => {
  const { sandbox } = await still();
  const ann = sandbox.createUser({ username: 'ann' });
  const ben = sandbox.createUser({ username: 'ben' });
  const { id: chat } = sandbox.createChat({ title: 'Tea', owner: ann, members: [ben] });
  const talk = (lines: object[]) =>
    runAction(sandbox, 'talk', { lines }) as { message_ids: number[] };
  const { message_ids } = talk([
    { user: 'ann', chat, text: 'Tea?' },
    { user: 'ben', chat, text: 'Yes', after_seconds: 60, reply: true },
    { user: 'ann', chat, text: 'Come', after_seconds: 0 },
  ]);
  const shown = sandbox.history(ann, chat).slice(-3);
  expect(shown.map(({ message }) => [message.message_id, message.text, message.date])).toEqual([
    [message_ids[0], 'Tea?', startSeconds],
    [message_ids[1], 'Yes', startSeconds + 60],
    [message_ids[2], 'Come', startSeconds + 60],
  ]);
  expect(shown[1]?.message.reply_to_message?.message_id).toBe(message_ids[0]);
  expect(() => talk([{ user: 'ann', chat, text: 'x', after_seconds: -1 }])).toThrow('negative');
  expect(() => runAction(sandbox, 'talk', { lines: ['Tea?'] })).toThrow('"lines"');
});

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { File, Update } from '@grammyjs/types';
import { expect, onTestFinished, test } from 'vitest';
import { createSandbox, type Sandbox } from '../../sandbox/src/sandbox.ts';
import { receiver, until } from './helpers.ts';

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

function fresh(): Sandbox {
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.close());
  return sandbox;
}

test('the world survives a restart: tokens, undelivered updates, ids, files, webhooks', async () => {
  const file = path.join(await folder(), 'world.json');
  const first = fresh();
  const kept = await first.persistTo(file);
  const bot = first.createBot({ username: 'kept_bot' });
  const ann = first.createUser({ first_name: 'Ann', username: 'ann' });
  const group = first.createChat({ title: 'Kept', owner: ann, members: [bot] });
  first.say(ann, bot, 'remember me');
  const sent = first.sendMedia(ann, bot, { caption: 'a photo' });
  const before = (await first.call(bot.token, 'getUpdates')) as { json: string };
  await kept.stop();
  await first.close();

  const second = fresh();
  await second.persistTo(file);
  expect(second.ownsToken(bot.token)).toBe(true);
  const after = (await second.call(bot.token, 'getUpdates')) as { json: string };
  expect(after.json).toBe(before.json);
  const updates = JSON.parse(after.json) as Update[];
  const fileId = updates.at(-1)?.message?.photo?.at(-1)?.file_id;
  const info = (await second.call(bot.token, 'getFile', { file_id: fileId })) as File;
  const { url } = await second.listen();
  const bytes = await (await fetch(`${url}/file/bot${bot.token}/${info.file_path}`)).arrayBuffer();
  expect(bytes.byteLength).toBe(sent.photo?.at(-1)?.file_size);
  expect(second.history(ann.id, group.id)).toHaveLength(1);
  // Ids continue where they stopped.
  second.say(ann.id, bot.id, 'next');
  const later = JSON.parse(
    ((await second.call(bot.token, 'getUpdates')) as { json: string }).json,
  ) as Update[];
  expect(later.at(-1)?.update_id).toBe((updates.at(-1)?.update_id ?? 0) + 1);
  expect(later.at(-1)?.message?.message_id).toBe(sent.message_id + 1);
  expect(second.createBot().id).toBe(bot.id + 1);
});

test('topics survive a restart as they were', async () => {
  const file = path.join(await folder(), 'world.json');
  const first = fresh();
  const kept = await first.persistTo(file);
  const bot = first.createBot({ username: 'kept_bot', hasTopics: true });
  const ann = first.createUser({ first_name: 'Ann' });
  const forum = first.createChat({ title: 'Kept', owner: ann, isForum: true });
  first.promote(ann, forum, bot);
  const open = first.createTopic(ann, forum, { name: 'Open' });
  const closed = first.createTopic(ann, forum, { name: 'Closed' });
  const deleted = first.createTopic(ann, forum, { name: 'Deleted' });
  const pruned = first.createTopic(ann, forum, { name: 'Pruned' });
  first.say(ann, forum, 'in a topic', { topicId: open });
  first.changeTopic(ann, forum, closed, { isClosed: true });
  first.changeTopic(ann, forum, 1, { isHidden: true });
  first.removeTopic(ann, forum, deleted);
  first.pruneTopic(ann, forum, pruned);
  const trip = first.createTopic(ann, bot, { name: 'Trip' });
  first.enableTopics(ann, bot, false);
  const shown = first.topics(ann, forum);
  await kept.stop();
  await first.close();

  const second = fresh();
  await second.persistTo(file);
  expect(second.topics(ann.id, forum.id)).toEqual(shown);
  const send = (chat_id: number, message_thread_id: number) =>
    second.call(bot.token, 'sendMessage', { chat_id, message_thread_id, text: 'x' });
  expect(await send(forum.id, open)).toMatchObject({ message_thread_id: open });
  await expect(send(forum.id, deleted)).rejects.toThrow('TOPIC_DELETED');
  await expect(send(forum.id, pruned)).rejects.toThrow('message thread not found');
  await expect(send(ann.id, trip)).rejects.toThrow('message thread not found');
  second.enableTopics(ann.id, bot.id);
  expect(await send(ann.id, trip)).toMatchObject({ message_thread_id: trip });
});

test('after a crash no id is given out a second time', async () => {
  const file = path.join(await folder(), 'world.json');
  const first = fresh();
  const kept = await first.persistTo(file);
  const bot = first.createBot({ username: 'crashed_bot' });
  const ann = first.createUser({ username: 'ann' });
  const bob = first.createUser({ username: 'bob' });
  const group = first.createChat({ title: 'All', owner: ann, members: [bot, bob] });
  await first.call(bot.token, 'setMyCommands', {
    commands: [{ command: 'psst', description: 'Quietly', is_ephemeral: true }],
  });
  const saySomething = async (sandbox: Sandbox) => {
    const inGroup = sandbox.say(ann.id, group.id, '/hello').message_id;
    const alone = sandbox.say(ann.id, bot.id, 'hello').message_id;
    const unseen = sandbox.sayUnseen(ann.id, group.id, '/psst').ephemeral_message_id ?? 0;
    const { json } = (await sandbox.call(bot.token, 'getUpdates')) as { json: string };
    const last = (JSON.parse(json) as Update[]).at(-1)?.update_id ?? 0;
    const made = sandbox.createChat({ title: 'New', owner: ann.id }).id;
    return { inGroup, alone, unseen, update: last, made, user: sandbox.createUser().id };
  };
  await saySomething(first);
  await kept.stop();
  const closed = await readFile(file, 'utf8');

  // A world that was closed: what is left behind by the next life says that it was not.
  const second = fresh();
  await second.persistTo(file);
  const crashed = await readFile(file, 'utf8');
  expect(crashed).not.toBe(closed);
  const seen = await saySomething(second);
  await second.close();

  const seenBefore = [seen];
  for (let crash = 0; crash < 2; crash++) {
    if (crash === 0) await writeFile(file, crashed);
    const next = fresh();
    await next.persistTo(file);
    const left = await readFile(file, 'utf8');
    const now = await saySomething(next);
    for (const key of Object.keys(seen) as (keyof typeof seen)[]) {
      expect(
        seenBefore.map((one) => one[key]),
        key,
      ).not.toContain(now[key]);
    }
    expect(now.update).toBeGreaterThan(seen.update + 1_000);
    seenBefore.push(now);
    await next.close();
    await writeFile(file, left);
  }
});

test('a webhook with pending updates goes on delivering after a restart', async () => {
  const hook = await receiver();
  const first = fresh();
  const bot = first.createBot();
  const ann = first.createUser();
  await first.call(bot.token, 'setWebhook', { url: hook.url, secret_token: 'kept' });
  first.say(ann, bot, 'hello');
  (await hook.next()).respond(500);
  const saved = first.exportState();
  await first.close();

  const second = fresh();
  second.importState(saved);
  const hit = await hook.next();
  expect(hit.update.message?.text).toBe('hello');
  expect(hit.headers['x-telegram-bot-api-secret-token']).toBe('kept');
  hit.respond(200);
  await until(() => second.world.state.bots.get(bot.id)?.updates.size === 0);
});

test('a change is written by itself, atomically, readable by the owner only', async () => {
  const dir = await folder();
  const file = path.join(dir, 'world.json');
  const sandbox = fresh();
  const kept = await sandbox.persistTo(file);
  const bot = sandbox.createBot();
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.includes(bot.token)) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await readdir(dir)).toEqual(['world.json', 'world.json.lock']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await kept.stop();
});

test('data of another version is refused', () => {
  expect(() => fresh().importState('{"version":2}')).toThrow('another version');
});

test('a seed makes a run repeatable; without one tokens differ', () => {
  const tokens = (seed?: number): string =>
    createSandbox(seed === undefined ? {} : { seed }).createBot().token;
  expect(tokens(5)).toBe(tokens(5));
  expect(tokens(5)).not.toBe(tokens(6));
  expect(tokens()).not.toBe(tokens());
});

test('whatever a bot or a person puts into a message, the world can be read again', async () => {
  const file = path.join(await folder(), 'world.json');
  const first = fresh();
  const kept = await first.persistTo(file);
  const bot = first.createBot();
  const ann = first.createUser();
  const contact = { phone_number: '1', first_name: 'A', $bytes: 7, $plain: [], $map: { $map: 1 } };
  first.sendContent(ann, bot, { contact } as never);
  await first.call(bot.token, 'sendMessage', {
    chat_id: ann.id,
    text: 'x',
    reply_markup: { keyboard: [[{ text: 'a', $map: 5 }]] },
  });
  const before = first.history(ann, bot);
  await kept.stop();

  const second = fresh();
  await second.persistTo(file);
  expect(second.history(ann.id, bot.id)).toEqual(before);
  expect(before[0]?.message.contact).toEqual(contact);
});

test('a large world is written while others go on, and what they do meanwhile is in it', async () => {
  const file = path.join(await folder(), 'world.json');
  const first = fresh();
  const kept = await first.persistTo(file);
  const bot = first.createBot();
  const ann = first.createUser();
  for (let line = 0; line < 3_000; line++) first.say(ann, bot, `${line} ${'long '.repeat(60)}`);
  let isWritten = false;
  const writing = kept.flush().then(() => {
    isWritten = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  const ben = first.createUser({ first_name: 'Ben' });
  const group = first.createChat({ title: 'New', owner: ben, members: [ann, bot] });
  first.say(ben, group, '/hello');
  first.say(ann, bot, 'meanwhile');
  expect(isWritten).toBe(false);
  await writing;
  const written = await readFile(file, 'utf8');
  await first.close();

  const second = fresh();
  second.importState(written);
  const texts = second.history(ann.id, bot.id, { limit: 2 }).map(({ message }) => message.text);
  expect(texts.at(-1)).toBe('meanwhile');
  expect(second.world.state.rooms.get(`${ann.id}:${bot.id}`)?.messages.size).toBe(3_001);
  expect(second.history(ben.id, group.id).at(-1)?.message.text).toBe('/hello');
  const updates = second.world.state.bots.get(bot.id)?.updates;
  expect(updates?.size).toBe(first.world.state.bots.get(bot.id)?.updates.size);
});

test('a world written as one JSON object, as it once was, is read', async () => {
  const file = path.join(await folder(), 'world.json');
  const first = fresh();
  const bot = first.createBot();
  const ann = first.createUser();
  first.say(ann, bot, 'long ago');
  await writeFile(file, first.exportState());

  const second = fresh();
  await second.persistTo(file);
  expect(second.history(ann.id, bot.id)).toEqual(first.history(ann, bot));
  expect(await readFile(file, 'utf8')).toMatch(/^\["messages",/u);
});

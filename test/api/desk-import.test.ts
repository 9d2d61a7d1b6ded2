import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DesksImportTopicsResponse } from '../../src/api-types.ts';
import { importTopicMap } from '../../src/manage/import/import-topic-map.ts';
import { dialects } from '../support/database/engines.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

interface Shown {
  text?: string;
  message_thread_id?: number;
}

/** A database as another bot leaves it. */
function fileOf(statements: readonly string[]): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = path.join(folder.path, 'other.db');
  const db = new DatabaseSync(file);
  for (const statement of statements) db.exec(statement);
  db.close();
  return file;
}

describe.each(dialects)('topics of another support bot on %s', (dialect) => {
  const { ask, call, addBot, addPerson, say, seen } = serviceForAllTests(dialect);

  /** A forum with a topic for each name, and a desk there. */
  async function deskWith(names: readonly string[]) {
    const lead = await addPerson('Lead');
    const bot = await addBot({ long_poll_enabled: true });
    const forum = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Team',
      owner: lead.id,
      is_forum: true,
    });
    const chat = forum.id;
    await call('/api/sandbox/chats/promote', { chat, user: bot.platformId, by: lead.id });
    const threads: number[] = [];
    for (const name of names) {
      const by = { chat, user: lead.id };
      const made = await call<{ message_thread_id: number }>('/api/sandbox/topics/create', {
        ...by,
        name,
      });
      threads.push(made.message_thread_id);
    }
    const fields = { name: 'Help', desk_bot_id: bot.id, chat_id: chat, bot_ids: [bot.id] };
    const desk = await call<{ id: number }>('/api/desks/add', fields);
    const bring = (file: string, dryRun = false) =>
      importTopicMap(file, (topics) =>
        call<DesksImportTopicsResponse>('/api/desks/import-topics', {
          id: desk.id,
          bot_id: bot.id,
          dry_run: dryRun,
          topics,
        }),
      );
    const inTopic = async (thread: number | undefined, text: string) =>
      (await seen<Shown>(lead, chat)).some(
        (one) => one.text === text && one.message_thread_id === thread,
      );
    return { bot, bring, chat, desk, inTopic, lead, threads };
  }

  it('of BetterForward become those of the desk, and both sides go on in them', async () => {
    const [anna, boris, carl] = [
      await addPerson('Anna'),
      await addPerson('Boris'),
      await addPerson('Carl'),
    ];
    const { bot, bring, chat, inTopic, lead, threads } = await deskWith(['Anna', 'Boris']);
    const [ofAnna, ofBoris] = threads;
    const file = fileOf([
      'create table topics (id integer primary key, user_id integer, thread_id integer)',
      'create table blocked_users (user_id integer primary key, username text)',
      `insert into topics (user_id, thread_id) values (${anna.id}, ${ofAnna}), (${boris.id}, ${ofBoris}),
         (null, 900), (${carl.id}, 1), (${anna.id}, 901), (${carl.id}, ${ofBoris})`,
      `insert into blocked_users values (${boris.id}, 'boris')`,
    ]);
    const found = {
      source: 'BetterForward',
      added: 2,
      known: 0,
      skipped: 2,
      conflicts: [
        {
          user_id: anna.id,
          message_thread_id: 901,
          problem_detail: { code: 'customer_has_topic', params: { topic: ofAnna } },
        },
        {
          user_id: carl.id,
          message_thread_id: ofBoris,
          problem_detail: { code: 'topic_has_customer', params: { user_id: boris.id } },
        },
      ],
    };
    // A dry run reports the same and stores nothing.
    expect(await bring(file, true)).toMatchObject(found);
    expect(await bring(file)).toMatchObject(found);
    expect(await bring(file)).toMatchObject({ ...found, added: 0, known: 2 });

    await say(anna, bot, 'Still there?');
    await vi.waitFor(async () => expect(await inTopic(ofAnna, 'Still there?')).toBe(true), {
      interval: 20,
    });
    await call('/api/sandbox/say', {
      user: lead.id,
      chat,
      message_thread_id: ofAnna,
      text: 'Of course',
    });
    await vi.waitFor(
      async () => expect((await seen<Shown>(anna, bot.platformId)).at(-1)?.text).toBe('Of course'),
      { interval: 20 },
    );
    // Whom the other bot blocked stays out, and who has no topic gets one.
    await say(boris, bot, 'Let me in');
    await say(carl, bot, 'Hello, I am new');
    const ofCarl = async () =>
      (await seen<Shown>(lead, chat)).find(({ text }) => text === 'Hello, I am new');
    await vi.waitFor(async () => expect(await ofCarl()).toBeDefined(), { interval: 20 });
    expect(threads).not.toContain((await ofCarl())?.message_thread_id);
    expect(await inTopic(ofBoris, 'Let me in')).toBe(false);
  });

  it('of Telegram-interactive-bot come with closed ones, which the customer reopens', async () => {
    const [dora, emil] = [await addPerson('Dora'), await addPerson('Emil')];
    const { bot, bring, chat, inTopic, lead, threads } = await deskWith(['Dora']);
    const [ofDora] = threads;
    await call('/api/sandbox/topics/edit', {
      user: lead.id,
      chat,
      message_thread_id: ofDora,
      is_closed: true,
    });
    const file = fileOf([
      `create table user (id integer primary key, user_id integer unique, first_name varchar(64),
         last_name varchar(64), message_thread_id integer)`,
      'create table formn_status (id integer primary key, message_thread_id integer, status varchar(64))',
      `insert into user (user_id, first_name, last_name, message_thread_id)
         values (${dora.id}, 'Dora', null, ${ofDora}), (${emil.id}, 'Emil', 'E', 0)`,
      `insert into formn_status (message_thread_id, status) values (${ofDora}, 'closed')`,
    ]);
    const found = { source: 'interactive-bot', added: 1, skipped: 1, conflicts: [] };
    expect(await bring(file)).toMatchObject(found);
    await say(dora, bot, 'One more thing');
    await vi.waitFor(async () => expect(await inTopic(ofDora, 'One more thing')).toBe(true), {
      interval: 20,
    });
  });

  it('are refused for bots of others, and from files that have none', async () => {
    const { bot, bring, desk } = await deskWith([]);
    const other = await addBot();
    const topics = [{ user_id: 5, message_thread_id: 40 }];
    const fields = { id: desk.id, bot_id: bot.id, topics };
    const send = (more: object, as?: { key: string }) =>
      ask('/api/desks/import-topics', { ...fields, ...more }, as);
    expect(await send({ bot_id: other.id })).toMatchObject({
      status: 400,
      json: { details: [{ field: 'bot_id', reason_code: 'bot_not_at_desk' }] },
    });
    expect(await send({ id: 999 })).toMatchObject({ status: 404 });
    expect(await send({ topics: [{ user_id: 5, message_thread_id: 1 }] })).toMatchObject({
      status: 400,
    });
    const { key } = await call<{ key: string }>('/api/auth/api-keys/create', {
      name: 'elsewhere',
      scope: 'manage',
      bot_ids: [other.id],
    });
    expect((await send({}, { key })).status).not.toBe(200);
    await expect(bring('/nowhere/other.db')).rejects.toThrow('not found');
    await expect(bring(fileOf(['create table topics (id integer)']))).rejects.toThrow(
      'it has no topics of customers',
    );
    const view = 'create view topics as select 1 as user_id, 2 as thread_id';
    await expect(bring(fileOf([view]))).rejects.toThrow('topics is not a table');
  });
});

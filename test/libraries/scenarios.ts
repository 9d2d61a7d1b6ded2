import { describe, expect, onTestFinished, test } from 'vitest';
import {
  paintPicture,
  type Sandbox,
  type ShownMessage,
  type UserRecord,
} from '../../sandbox/src/index.ts';
import { gramioBot } from './gramio-bot.ts';
import { grammyBot, grammyTopicBot } from './grammy-bot.ts';
import type { Address, LibraryBot, TopicBot } from './library-bot.ts';
import { nodeTelegramBot } from './node-telegram-bot.ts';
import { pythonTopicBots } from './python-bot.ts';
import { telegrafBot, telegrafTopicBot } from './telegraf-bot.ts';
import { serve } from '../support/local-server.ts';

/** The API root of a library, and the world behind it. */
export interface Target extends Address {
  sandbox: Sandbox;
  botId: number;
  /** Resolves when the library's polling would no longer miss an update. */
  polled(): Promise<void>;
  /** Makes the library's next getChat fail with 429 and this retry_after. */
  slowDown(retryAfterSeconds: number): void;
  close(): Promise<void>;
}

const libraries: LibraryBot[] = [grammyBot, telegrafBot, nodeTelegramBot, gramioBot];
const topicLibraries: TopicBot[] = [grammyTopicBot, telegrafTopicBot, ...pythonTopicBots];

/** A user of the sandbox in a private chat with the bot. */
class Person {
  readonly target: Target;
  readonly user: UserRecord;

  constructor(target: Target) {
    this.target = target;
    this.user = target.sandbox.createUser({ first_name: 'Ann' });
  }

  say(text: string): number {
    return this.target.sandbox.say(this.user, this.target.botId, text).message_id;
  }

  /** The result of `look`, now or after a change. */
  async once<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found) return found;
      await new Promise<void>((resolve) => {
        const stop = this.target.sandbox.onChange(() => {
          stop();
          resolve();
        });
      });
    }
  }

  /** The newest message of the bot that looks as wanted. */
  sees(wanted: (shown: ShownMessage) => boolean): Promise<ShownMessage> {
    const { sandbox, botId } = this.target;
    return this.once(() =>
      sandbox.history(this.user, botId).findLast((shown) => !shown.outgoing && wanted(shown)),
    );
  }

  seesText(text: string): Promise<ShownMessage> {
    return this.sees((shown) => shown.message.text === text);
  }
}

async function conversation(person: Person): Promise<void> {
  const { sandbox, botId } = person.target;

  person.say('/start');
  const greeting = await person.seesText('Hello, Ann!');
  expect(greeting.message.reply_markup?.inline_keyboard[0]?.map((button) => button.text)).toEqual([
    'Yes',
    'No',
  ]);

  const press = sandbox.press(person.user, botId, greeting.message.message_id, 'Yes');
  const edited = await person.seesText('You chose yes');
  expect(edited.message.message_id).toBe(greeting.message.message_id);
  expect(edited.message.reply_markup).toBeUndefined();
  // A library may answer in the response to the webhook, so this can come after the edit.
  const answer = await person.once(
    () => press.type === 'callback' && sandbox.callbackAnswer(press.id),
  );
  expect(answer).toMatchObject({ text: 'noted' });

  const id = person.say('echo this: /start@nobody & <b>ünïcode</b> 🎉');
  await person.seesText('echo this: /start@nobody & <b>ünïcode</b> 🎉');
  sandbox.edit(person.user, botId, id, 'better');
  await person.seesText('edited: better');

  person.say('edit me');
  const after = await person.seesText('after');
  expect(after.message.entities).toEqual([{ type: 'bold', offset: 0, length: 5 }]);
  expect(after.message.edit_date).toBeGreaterThan(0);

  const picture = paintPicture(640, 480, 200);
  sandbox.sendMedia(person.user, botId, { bytes: picture });
  const copy = await person.sees((shown) => shown.message.document !== undefined);
  expect(copy.message.caption).toBe(`${picture.length} bytes`);
  expect(copy.message.document).toMatchObject({ file_name: 'copy.png', file_size: picture.length });
  const stored = sandbox.world.state.files.get(copy.message.document?.file_id ?? '');
  expect(stored?.bytes.equals(picture)).toBe(true);

  person.say('fail');
  await person.seesText('400 Bad Request: chat not found');

  person.target.slowDown(7);
  person.say('slow down');
  await person.seesText('429 Too Many Requests: retry after 7 (7)');
}

/** Ann and the bot talk in topics of a forum and of their private chat. */
async function topicConversation(person: Person): Promise<void> {
  const { user } = person;
  const { botId, sandbox } = person.target;
  const forum = sandbox.createChat({ title: 'Help', owner: user, isForum: true });
  sandbox.promote(user, forum, botId);
  const seesIn = (chat: number, topicId: number, text: string) =>
    person.once(() =>
      sandbox
        .history(user, chat, { topicId })
        .some(({ message, outgoing }) => !outgoing && message.text === text),
    );
  const topicNamed = async (name: string) =>
    (await person.once(() => sandbox.topics(user, forum).find((topic) => topic.name === name)))
      .message_thread_id;

  sandbox.say(user, forum, '/topic Orders');
  const orders = await topicNamed('Orders');
  await seesIn(forum.id, orders, 'Welcome to Orders');
  sandbox.say(user, forum, 'Two, please', { topicId: orders });
  await seesIn(forum.id, orders, 'Two, please');
  const mine = sandbox.createTopic(user, forum, { name: 'Mine' });
  await seesIn(forum.id, mine, 'I see Mine');
  for (let times = 0; times < 2; times += 1) {
    sandbox.say(user, forum, 'close', { topicId: orders });
  }
  await seesIn(forum.id, orders, '400 Bad Request: TOPIC_NOT_MODIFIED');

  const trip = sandbox.createTopic(user, botId, { name: 'Trip' });
  await seesIn(botId, trip, 'I see Trip');
  sandbox.say(user, botId, 'To the sea', { topicId: trip });
  await seesIn(botId, trip, 'To the sea');
  expect(sandbox.topics(user, forum).map(({ name, isClosed }) => [name, isClosed])).toEqual([
    ['General', false],
    ['Orders', true],
    ['Mine', false],
  ]);
}

async function open(makeTarget: () => Promise<Target>): Promise<Target> {
  const target = await makeTarget();
  onTestFinished(() => target.close());
  return target;
}

/** Registers the conversations in topics against a target. */
export function topicScenarios(makeTarget: () => Promise<Target>): void {
  describe.each(topicLibraries)('topics with $name', (library) => {
    test('creates, greets, closes, and answers in the topic', async () => {
      const target = await open(makeTarget);
      const running = await library.poll(target);
      await target.polled();
      await topicConversation(new Person(target));
      await running.stop();
    });
  });
}

/** Registers every library's conversation, by polling and by webhook, against a target. */
export function libraryScenarios(makeTarget: () => Promise<Target>): void {
  describe.each(libraries)('$name', (library) => {
    test('polling: commands, buttons, media both ways, edits, errors', async () => {
      const target = await open(makeTarget);
      const running = await library.poll(target);
      await target.polled();
      await conversation(new Person(target));
      await running.stop();
    });

    test('webhook: commands, buttons, media both ways, edits, errors', async () => {
      const target = await open(makeTarget);
      const { url, server, close } = await serve();
      onTestFinished(close);
      const hook = { url: `${url}/telegram`, secret: 'hook-secret_1' };
      const running = await library.webhook(target, hook);
      server.on('request', running.listener);
      await conversation(new Person(target));
      await running.stop();
    });
  });
}

import type { Message } from '@grammyjs/types';
import { deskDefaults, type DeskOptions } from '../../../src/core/desks/desk-options.ts';
import { enqueueIntent } from '../../../src/store/outbox/outbox.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import type { SandboxOptions } from '../../../sandbox/src/index.ts';
import type { RigBot } from './routing-rig.ts';
import { patienceMs } from '../patience.ts';
import { openRoutingWorld, type RoutingWorld } from './routing-world.ts';

interface Person {
  id: number;
}

export type Shown = Message & { text?: string; caption?: string };

/** A desk of the bot `helper` for customers of the bot `tea`. Ends with the test. */
export interface DeskWorld extends RoutingWorld {
  tea: RigBot;
  helper: RigBot;
  forum: { id: number };
  anna: Person;
  deskId: number;
  /** All messages of the forum. */
  shown(): Shown[];
  /** Texts in the forum, each with the number of its topic, without cards. */
  inForum(): [topic: number, text: string][];
  /** The topics in which something was written, oldest first. */
  topics(): number[];
  /** Texts that the bot wrote to a person. */
  heardBy(person?: Person, bot?: RigBot): (string | undefined)[];
  /** Gives the desk these settings; what is left out gets its default. */
  set(options: Partial<DeskOptions>): Promise<void>;
  /** A customer writes. */
  say(text: string, person?: Person): Promise<void>;
  /** The team writes in the newest topic. */
  answer(text: string, more?: { replyTo?: number; topicId?: number }): Promise<Message>;
  /** Olga writes on the page; returns the ID of the message. */
  sendFromPage(text: string): Promise<number>;
  /** Olga changes a message on the page. */
  callFromPage(method: string, params: Record<string, unknown>): Promise<void>;
  /** Lets time pass until the condition holds, also while sends wait. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets time pass until desks look again at what held them up. */
  lookAgain(): Promise<void>;
}

const card = 'Here since';

export async function openDeskWorld(
  dialect: DialectName,
  options: SandboxOptions & { isTimeShared?: boolean } = {},
): Promise<DeskWorld> {
  const world = await openRoutingWorld(dialect, { seed: 39, ...options });
  const { clock, rig, sandbox, store } = world;
  const tea = await rig.addBot('tea', { manage_enabled: true });
  const helper = await rig.addBot('helper', { manage_enabled: true });
  const forum = sandbox.createChat({ title: 'Team', owner: rig.agent, isForum: true });
  sandbox.promote(rig.agent, forum.id, helper.platformId);
  const anna = sandbox.createUser({ first_name: 'Anna' });
  const deskId = await rig.desk({ desk_bot_id: helper.id, chat_id: forum.id, bot_ids: [tea.id] });
  let pageKeys = 0;

  const shown = () => sandbox.history(rig.agent, forum.id).map(({ message }) => message as Shown);
  const topics = () => [
    ...new Set(shown().flatMap(({ message_thread_id: id }) => (id === undefined ? [] : [id]))),
  ];

  async function callFromPage(method: string, params: Record<string, unknown>): Promise<void> {
    const intent = {
      botId: tea.id,
      chatId: anna.id,
      method,
      params: { chat_id: anna.id, ...params },
      origin: 'sent',
      intentKey: `page:${++pageKeys}`,
      priority: 'interactive',
      author: { kind: 'user', id: 3, name: 'Olga' },
    } as const;
    await store.engine.write(() => enqueueIntent(intent, clock.now()));
    await rig.takeUp();
  }

  return {
    ...world,
    tea,
    helper,
    forum,
    anna,
    deskId,
    shown,
    topics,
    inForum: () =>
      shown().flatMap(({ text, message_thread_id: id }) =>
        text === undefined || text.includes(card) ? [] : [[topics().indexOf(id ?? 0), text]],
      ),
    heardBy: (person = anna, bot = tea) =>
      sandbox
        .history(person.id, bot.platformId)
        .flatMap(({ message }) => (message.from?.is_bot ? [message.text] : [])),
    async set(options) {
      const desk = await store.desks.get(deskId);
      if (!desk) throw new Error('no desk');
      const settings = { ...desk, ...deskDefaults, ...options };
      await store.engine.write(() => store.desks.saveStep(deskId, settings, clock.now()));
      await rig.reload(tea);
      await rig.reload(helper);
    },
    async say(text, person = anna) {
      sandbox.say(person.id, tea.platformId, text);
      await rig.settle();
    },
    async answer(text, more = {}) {
      const place = { topicId: topics().at(-1) as number, ...more };
      const message = sandbox.say(rig.agent, forum.id, text, place);
      await rig.settle();
      return message;
    },
    async sendFromPage(text) {
      await callFromPage('sendMessage', { text });
      return sandbox.history(anna.id, tea.platformId).at(-1)?.message.message_id ?? 0;
    },
    callFromPage,
    async until(condition) {
      const giveUpAt = Date.now() + patienceMs;
      while (!(await condition())) {
        if (Date.now() > giveUpAt) throw new Error('it does not come about');
        await rig.takeIn();
        if (!world.isBusy()) await clock.advance(50);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    async lookAgain() {
      await clock.advance(60_000);
      await rig.takeUp();
      await rig.takeUp();
    },
  };
}

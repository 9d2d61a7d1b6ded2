import { expect, onTestFinished, vi } from 'vitest';
import type { DialectName } from '../../../src/store/engine.ts';
import { temporaryFolder } from '../../support/relay-process.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { createForum, forumChat, forumId, helper, shop, type Step, steps } from './desk-forum.ts';
import type { HeldPlatform, Update } from './held-platform.ts';
import { inspect } from './reconcile.ts';
import { addBot, createStage } from './stage.ts';

/** After so many kills, all steps were struck at all moments. */
export const allKills = steps.length * 3;

/** The answer of the platform was never sent, or was sent just before, or the call did not arrive. */
const moments = ['after', 'answered', 'before'] as const;

interface Strike {
  step: Step;
  moment: (typeof moments)[number];
  /** The customer, or the text of the answer. */
  about: string;
}

/**
 * Kills the service at each step of opening a topic and of an answer, again and again. Checks that
 * each customer has one live topic with all messages in order, that only a call in flight was
 * repeated, and that no answer came twice. Returns a line that says what happened. The number of a kill
 * tells its step, its moment and its node.
 */
export async function killDesk(dialect: DialectName, kills: readonly number[]): Promise<string> {
  const { database, platform } = await createStage(dialect);
  const forum = createForum();
  const folders = dialect === 'postgres' ? [temporaryFolder(), temporaryFolder()] : [];
  onTestFinished(() => folders.forEach((folder) => folder.remove()));
  const nodes =
    folders.length === 0
      ? [database.settings]
      : folders.map(({ path }) => ({ ...database.settings, RELAY_DATA_DIR: path }));
  const run = (index: number) =>
    startServiceProcess(
      { settings: nodes[index] as (typeof nodes)[0] },
      { TELEGRAM_API_URL: platform.url },
    );

  const { strikeAt } = followCalls(platform, forum);
  const services = [await run(0)];
  const add = async (token: string) => (await addBot(services[0] as ServiceProcess, { token })).id;
  const [shopId, helperId] = [await add(shop as string), await add(helper as string)];
  await (services[0] as ServiceProcess).call('/api/desks/add', {
    name: 'Team',
    desk_bot_id: helperId,
    chat_id: forumId,
    bot_ids: [shopId],
  });
  for (let index = 1; index < nodes.length; index++) services.push(await run(index));

  let updates = 0;
  const deal = (token: string, message: object) =>
    platform.deal(token, { update_id: ++updates, message } as Update);
  const write = (customer: number, text: string) => {
    const person = { id: customer, first_name: `c${customer}` };
    deal(shop as string, {
      message_id: forum.nextId(),
      date: 1_790_000_000,
      chat: { ...person, type: 'private' },
      from: { ...person, is_bot: false },
      text: `c${customer} ${text}`,
    });
  };
  const topicOf = (customer: number) =>
    [...forum.topics].find(([, topic]) => topic.texts.includes(`c${customer} second`))?.[0];
  /** Maps each answer to its place in the forum. */
  const answers = new Map<string, { messageId: number; threadId: number }>();
  const act = (message_thread_id: number, content: object): number => {
    const message_id = forum.nextId();
    deal(helper as string, {
      message_id,
      date: 1_790_000_000,
      chat: forumChat,
      from: { id: 5, is_bot: false, first_name: 'Agent' },
      is_topic_message: true,
      message_thread_id,
      ...content,
    });
    return message_id;
  };
  const answer = (text: string) => {
    const threadId = topicOf(1) as number;
    answers.set(text, { messageId: act(threadId, { text }), threadId });
  };
  /** The team closes the topic of a new customer, which their next message opens again. */
  const closed = new Set<string>();
  const closeTopicOf = async (customer: number, service: ServiceProcess) => {
    const name = `c${customer}`;
    const topic = () => [...forum.topics].find(([, { texts }]) => texts.includes(`${name} first`));
    await vi.waitFor(async () => {
      expect(topic()).toBeDefined();
      // Nobody closes a topic between the arrival of a message and its outcome.
      expect(await service.call(`/api/outbox?bot_id=${helperId}&state=sending`)).toEqual([]);
    });
    act(topic()?.[0] as number, { forum_topic_closed: {} });
    const chat = `/api/chats/get?bot_id=${shopId}&chat_id=${customer}`;
    await vi.waitFor(async () => expect(await service.call(chat)).toMatchObject({ state: 'done' }));
    closed.add(name);
  };

  let customers = 1;
  write(1, 'first');
  write(1, 'second');
  await vi.waitFor(() => expect(topicOf(1)).toBeDefined());
  const struck = new Map<string, number>();
  for (const kill of kills) {
    const step = steps[kill % steps.length] as Step;
    const moment = moments[
      (kill + Math.floor(kill / steps.length)) % moments.length
    ] as Strike['moment'];
    const customer = step === 'answer' ? 1 : ++customers;
    const about = step === 'answer' ? `answer ${kill}` : `c${customer}`;
    const index = kill % services.length;
    if (step === 'reopen') {
      write(customer, 'first');
      await closeTopicOf(customer, services[index] as ServiceProcess);
    }
    const hit = strikeAt({ step, moment, about });
    if (step === 'answer') answer(about);
    else {
      if (step !== 'reopen') write(customer, 'first');
      write(customer, 'second');
    }
    const settle = await hit;
    await (services[index] as ServiceProcess).crash();
    // The other node may have made the call: it gets its answer.
    settle();
    forum.nextLife();
    services[index] = await run(index);
    struck.set(`${step} ${moment}`, (struck.get(`${step} ${moment}`) ?? 0) + 1);
  }

  await vi.waitFor(
    () => {
      const late = Array.from({ length: customers }, (_, index) => index + 1);
      expect(late.filter((customer) => topicOf(customer) === undefined)).toEqual([]);
      const lost = [...answers].filter(
        ([text, { messageId, threadId }]) =>
          !forum.heard.has(text) && !forum.topics.get(threadId)?.replies.includes(messageId),
      );
      expect(lost).toEqual([]);
    },
    { timeout: 120_000, interval: 100 },
  );

  for (const service of services) await service.stop();
  const live = await inspect(database, (engine) =>
    engine.readRaw<{ name: string; thread_id: number }>(
      'select name, thread_id from desk_topics',
      [],
    ),
  );
  expect(live).toHaveLength(customers);
  let repeated = 0;
  for (const { name, thread_id } of live) {
    const texts = forum.topics.get(thread_id)?.texts ?? [];
    const said = texts.filter((words) => words.startsWith(`${name} `));
    expect([...new Set(said)], name).toEqual([`${name} first`, `${name} second`]);
    // Order: the repetition of a message comes before the next one.
    expect(said, name).toEqual(said.toSorted());
    const elsewhere = [...forum.topics].filter(
      ([id, { customer, texts: others }]) =>
        id !== thread_id && customer === name && others.length > 0,
    );
    expect(elsewhere, name).toEqual([]);
    // A step is repeated only after a kill, and only as long as nothing else followed it.
    const sequence = forum.sequences.get(name) ?? [];
    const once = sequence.filter((step, at) => {
      const before = sequence[at - 1];
      const isRepeat = before?.what === step.what && before.life < step.life;
      if (isRepeat) repeated++;
      return !isRepeat;
    });
    expect(
      once.map(({ what }) => what),
      name,
    ).toEqual([
      'create',
      'card',
      'pin',
      'first',
      ...(closed.has(name) ? ['reopen'] : []),
      'second',
    ]);
  }
  const twice = [...forum.heard].filter(([, times]) => times > 1);
  expect(twice).toEqual([]);
  const unknown = [...answers.keys()].filter((text) => !forum.heard.has(text)).length;
  return `${dialect}: ${kills.length} kills at ${struck.size} points, ${customers} customers with one topic each, ${repeated} steps repeated, ${answers.size} answers, of which ${unknown} did not arrive and are marked\n`;
}

/** Answers all calls; the one that is to be struck is left as a kill finds it. */
function followCalls(platform: HeldPlatform, forum: ReturnType<typeof createForum>) {
  let strike: (Strike & { hit(settle: () => void): void }) | undefined;
  platform.onCall = (call) => {
    const named = forum.stepOf(call);
    const isMeant = strike && named?.step === strike.step && named.about === strike.about;
    if (!strike || !isMeant) return call.answer(...forum.execute(call));
    const { hit, moment } = strike;
    strike = undefined;
    if (moment === 'answered') {
      call.answer(...forum.execute(call));
      return hit(() => {});
    }
    let isGone = false;
    call.whenGone(() => {
      isGone = true;
    });
    const done = moment === 'after' ? forum.execute(call) : undefined;
    hit(() => {
      if (!isGone) call.answer(...(done ?? forum.execute(call)));
    });
  };
  return {
    strikeAt: (next: Strike) =>
      new Promise<() => void>((hit) => {
        strike = { ...next, hit };
      }),
  };
}

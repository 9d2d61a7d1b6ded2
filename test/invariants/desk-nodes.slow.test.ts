import { expect, it, onTestFinished, vi } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { createForum, forumChat, forumId, helper, shop } from './support/desk-forum.ts';
import { inspect } from './support/reconcile.ts';
import { addBot, createStage } from './support/stage.ts';

/** Few enough for the burst that a group allows. */
const customers = [1, 2];
const turns = [1, 2, 3];

/** Two nodes get the updates of the same bots by webhook, as behind a load balancer. */
async function startNodes() {
  const { database, platform } = await createStage('postgres');
  const forum = createForum();
  platform.onCall = (call) => call.answer(...forum.execute(call));
  const nodes: ServiceProcess[] = [];
  for (let count = 0; count < 2; count++) {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const settings = { ...database.settings, RELAY_DATA_DIR: folder.path };
    const env = { TELEGRAM_API_URL: platform.url, RELAY_PUBLIC_URL: 'http://relay.example.com' };
    nodes.push(await startServiceProcess({ settings }, env));
  }
  const [first] = nodes as [ServiceProcess, ServiceProcess];
  const ids = new Map<string, number>();
  for (const token of [shop, helper] as string[]) {
    ids.set(token, (await addBot(first, { token, webhook_mode: true })).id);
    await vi.waitFor(() => expect(platform.webhook(token)).toBeDefined());
  }
  await first.call('/api/desks/add', {
    name: 'Team',
    desk_bot_id: ids.get(helper as string),
    chat_id: forumId,
    bot_ids: [ids.get(shop as string)],
  });

  /** Telegram delivers until somebody says yes. */
  async function deliver(token: string, update: object, to: ServiceProcess): Promise<void> {
    const { secret = '' } = platform.webhook(token) ?? {};
    const other = nodes.find((node) => node !== to) as ServiceProcess;
    const giveUpAt = Date.now() + patienceMs;
    for (let node = to; Date.now() < giveUpAt; node = node === to ? other : to) {
      const answer = await node
        .request(`/hooks/telegram/${ids.get(token)}`, {
          body: update,
          headers: { 'x-telegram-bot-api-secret-token': secret },
          key: '',
        })
        .catch(() => undefined);
      if (answer?.status === 200) return;
    }
    throw new Error('no node takes the update');
  }
  return { database, deliver, forum, nodes: nodes as [ServiceProcess, ServiceProcess] };
}

it('a desk on two nodes has one topic for each customer who writes at both, also when one is killed', async () => {
  const { database, deliver, forum, nodes } = await startNodes();
  const [first, second] = nodes;
  let updates = 0;
  const write = (customer: number, text: string, to: ServiceProcess) => {
    const person = { id: customer, first_name: `c${customer}` };
    const message = {
      message_id: forum.nextId(),
      date: 1_790_000_000,
      chat: { ...person, type: 'private' },
      from: { ...person, is_bot: false },
      text: `c${customer} ${text}`,
    };
    return deliver(shop as string, { update_id: ++updates, message }, to);
  };
  const topicOf = (customer: number) =>
    [...forum.topics].find(([, { texts }]) =>
      texts.some((text) => text.startsWith(`c${customer} `)),
    );

  /** Messages of one node come after each other; both nodes get theirs at once. */
  const lane = async (name: string, to: ServiceProcess) => {
    for (const turn of turns) {
      await Promise.all(customers.map((customer) => write(customer, `${name}${turn}`, to)));
      if (turn === 2 && to === first) void first.crash();
    }
  };
  await Promise.all([lane('a', first), lane('b', second)]);

  await vi.waitFor(() => expect(customers.filter((one) => !topicOf(one))).toEqual([]));
  const answers = customers.map((customer) => `answer ${customer}`);
  await Promise.all(
    customers.map(async (customer, index) => {
      const update = {
        update_id: ++updates,
        message: {
          message_id: forum.nextId(),
          date: 1_790_000_000,
          chat: forumChat,
          from: { id: 5, is_bot: false, first_name: 'Agent' },
          is_topic_message: true,
          message_thread_id: topicOf(customer)?.[0],
          text: answers[index],
        },
      };
      // Telegram did not see the first yes.
      await deliver(helper as string, update, second);
      await deliver(helper as string, update, second);
    }),
  );

  await vi.waitFor(
    () => {
      for (const customer of customers) {
        const said = new Set(topicOf(customer)?.[1].texts);
        for (const name of ['a', 'b']) {
          const ofLane = [...said].filter((text) => text.startsWith(`c${customer} ${name}`));
          expect(ofLane).toEqual(turns.map((turn) => `c${customer} ${name}${turn}`));
        }
      }
      expect([...forum.heard.keys()].toSorted()).toEqual(answers);
    },
    { timeout: patienceMs, interval: 100 },
  );
  await second.stop();
  expect([...forum.heard.values()]).toEqual([1, 1]);
  const rows = await inspect(database, (engine) =>
    engine.readRaw<{ name: string; thread_id: number }>(
      'select name, thread_id from desk_topics order by name',
      [],
    ),
  );
  expect(rows.map(({ name, thread_id: at }) => [name, Number(at)])).toEqual(
    customers.map((customer) => [`c${customer}`, topicOf(customer)?.[0]]),
  );
  // Only a topic whose creation the kill hit is there a second time, and it is empty.
  const used = [...forum.topics.values()].filter(({ texts }) => texts.length > 0);
  expect(used).toHaveLength(customers.length);
});

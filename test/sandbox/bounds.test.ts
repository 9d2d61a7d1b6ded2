import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../sandbox/src/clock.ts';
import { enqueue } from '../../sandbox/src/updates/queue.ts';
import { startWebhook } from '../../sandbox/src/updates/webhook.ts';
import { keepPoll, schedulePollClose } from '../../sandbox/src/world/messages/polls.ts';
import type { PollRecord } from '../../sandbox/src/world/records.ts';
import { scene } from './helpers.ts';

/* Nothing grows without limit, however long a bot runs. */

test('a poll that is closed or forgotten is no longer waited for', async () => {
  const clock = createManualClock();
  const { api, sandbox, bot } = await scene({ clock });
  const ann = sandbox.createUser();
  sandbox.say(ann, bot, 'hi');
  const idle = clock.pendingTimers();
  const poll = { chat_id: ann.id, question: 'Q', options: ['a', 'b'], open_period: 600 };
  const { message_id, poll: shown } = await api.ok('sendPoll', poll);
  expect(clock.pendingTimers()).toBe(idle + 1);
  await api.ok('stopPoll', { chat_id: ann.id, message_id });
  expect(clock.pendingTimers()).toBe(idle);

  const { world } = sandbox;
  const record = world.state.polls.get(shown?.id ?? '') as PollRecord;
  for (let n = 0; n < 10_050; n++) {
    const another = { ...record, id: `another ${n}`, isClosed: false };
    keepPoll(world, another);
    schedulePollClose(world, another);
  }
  expect(world.state.polls.size).toBe(10_000);
  expect(clock.pendingTimers()).toBe(idle + 10_000);
});

test('of invite links those that lead nowhere are forgotten first', async () => {
  const { sandbox, bot } = await scene();
  const ann = sandbox.createUser();
  const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
  sandbox.promote(ann, group, bot);
  const link = (method: string) =>
    sandbox.call(bot.token, method, { chat_id: group.id }) as Promise<{ invite_link: string }>;
  const { invite_link } = await link('createChatInviteLink');
  for (let n = 0; n < 1_100; n++) await link('exportChatInviteLink');
  expect(group.inviteLinks).toHaveLength(1_000);
  expect(sandbox.join(sandbox.createUser(), group, invite_link)).toBe('joined');
});

/** Collects all garbage. */
async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('behind a webhook that fails wait hardly more updates than are kept', async () => {
  const { sandbox, bot } = await scene();
  const { clock, random } = sandbox.world;
  bot.webhook = { url: 'http://127.0.0.1:9/', maxConnections: 1, hasCustomCertificate: false };
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const delivery = startWebhook(bot, { clock, random, dispatcher, execute: async () => undefined });
  const refs: WeakRef<object>[] = [];
  const now = sandbox.world.now();
  for (let n = 0; n < 5_000; n++) {
    const payload = { text: `update ${n}` };
    const update = enqueue({ bot, kind: 'message', payload, queue: 'q', now, random, limit: 10 });
    refs.push(new WeakRef(update));
    delivery.add(update);
  }
  await collectGarbage();
  expect(refs.filter((ref) => ref.deref()).length).toBeLessThan(1_500);
  delivery.stop();
});

test('many tiny files take their room, too', async () => {
  const { sandbox, bot } = await scene({ limits: { fileBytes: 20_000 } });
  const ann = sandbox.createUser();
  for (let n = 0; n < 100; n++) {
    sandbox.sendMedia(ann, bot, { kind: 'document', bytes: Buffer.from('x') });
  }
  expect(sandbox.world.state.files.size).toBeLessThan(20);
});

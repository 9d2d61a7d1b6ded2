import { expect } from 'vitest';
import type { DialectName } from '../../../../src/store/engine.ts';
import { patienceMs } from '../../../support/patience.ts';
import { openDeskWorld } from '../../../support/rigs/desk-world.ts';
import { telegramLimits } from '../../../support/telegram-limits.ts';

/** Topics, cards and messages count together. */
const perGroupPerMinute = telegramLimits.perGroupPerMinute;

/**
 * Opens topics for many customers who write at the same moment, within Telegram's limits. Returns a
 * line that says how long it took by the clock of the relay.
 */
export async function serveMany(dialect: DialectName, count: number): Promise<string> {
  const world = await openDeskWorld(dialect, { isTimeShared: true });
  const { clock, forum, helper, rig, sandbox, store, tea } = world;
  await rig.settle();
  sandbox.flood.set(telegramLimits);
  const people = Array.from({ length: count }, (_, index) =>
    sandbox.createUser({ first_name: `P${index}` }),
  );
  for (const person of people) {
    sandbox.say(person.id, tea.platformId, 'first');
    sandbox.say(person.id, tea.platformId, 'second');
  }
  const startedAt = clock.now();
  const giveUpAt = Date.now() + patienceMs + count * 1_000;
  const bossSend = async () => (await store.outbox.byKeys(['boss'])).get('boss');
  const isDone = async () => {
    const [row] = await store.engine.readRaw<{ topics: number; items: number }>(
      `select (select count(*) from desk_topics) as topics, (select count(*) from desk_items) as items`,
      [],
    );
    return (
      Number(row?.topics) === count &&
      Number(row?.items) === 0 &&
      (await bossSend())?.state === 'sent'
    );
  };
  const boss = sandbox.createUser({ first_name: 'Boss' });
  for (let turn = 0; ; turn++) {
    if (Date.now() > giveUpAt) throw new Error('it does not come to an end');
    await rig.takeIn();
    if (!world.isBusy()) await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 1));
    // Another chat of the desk bot is not held up by its forum.
    if (turn === 20) {
      sandbox.say(boss.id, helper.platformId, '/start');
      await store.outbox.enqueue(
        {
          botId: helper.id,
          chatId: boss.id,
          method: 'sendMessage',
          params: { chat_id: boss.id, text: 'hello' },
          origin: 'sent',
          intentKey: 'boss',
          priority: 'interactive',
          author: undefined,
        },
        clock.now(),
      );
    }
    if (turn % 10 === 0 && (await isDone())) break;
  }
  const minutes = (clock.now() - startedAt) / 60_000;
  const other = await bossSend();
  expect((other?.updatedAt ?? 0) - (other?.createdAt ?? 0)).toBeLessThan(20_000);

  const topics = await store.engine.readRaw<{ name: string; thread_id: number }>(
    'select name, thread_id from desk_topics',
    [],
  );
  expect(new Set(topics.map(({ name }) => name)).size).toBe(count);
  expect(new Set(topics.map(({ thread_id }) => thread_id)).size).toBe(count);
  for (const { name, thread_id } of topics) {
    const texts = sandbox
      .history(rig.agent, forum.id, { topicId: thread_id })
      .flatMap(({ message }) => message.text ?? []);
    expect(
      texts.filter((text) => !text.includes('Here since')),
      name,
    ).toEqual(['first', 'second']);
  }
  const [refused] = await store.engine.readRaw<{ calls: number }>(
    'select count(*) as calls from outbox where bot_id = $1 and attempts > 1',
    [helper.id],
  );
  // A topic, its card and two messages. Telegram refuses a few while the relay learns the pace.
  const calls = count * 4;
  expect(Number(refused?.calls)).toBeLessThanOrEqual(4 + calls / 100);
  expect(minutes).toBeGreaterThan(calls / perGroupPerMinute - 2);
  return `${dialect}: ${count} customers in ${Math.round(minutes)} min, ${refused?.calls} refusals\n`;
}

import { expect, it } from 'vitest';
import { deskDefaults } from '../../../src/core/desks/desk.ts';
import { enqueueIntent } from '../../../src/store/outbox/outbox.ts';
import { dialects } from '../../support/database/engines.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

const asksDesks = /\b(?:desks|desk_\w+)\b/;

it.each(dialects)('a bot without a desk asks no table of desks on %s', async (dialect) => {
  const statements: string[] = [];
  const world = await openRoutingWorld(dialect, {
    seed: 39,
    onStatement: (sql) => void statements.push(sql),
  });
  const { clock, rig, sandbox, store } = world;
  const tea = await rig.addBot('tea', { manage_enabled: true });
  const helper = await rig.addBot('helper', { manage_enabled: true });
  const anna = sandbox.createUser({ first_name: 'Anna' });
  let sends = 0;

  /** Anna and the page write to each other; returns the statements that ask desks. */
  async function talk(): Promise<string[]> {
    statements.length = 0;
    for (const text of ['one', 'two', 'three']) {
      sandbox.say(anna.id, tea.platformId, text);
      await store.engine.write(() =>
        enqueueIntent(
          {
            botId: tea.id,
            chatId: anna.id,
            method: 'sendMessage',
            params: { chat_id: anna.id, text },
            origin: 'sent',
            intentKey: `page:${++sends}`,
            priority: 'interactive',
            author: { kind: 'user', id: 3, name: 'Olga' },
          },
          clock.now(),
        ),
      );
      await rig.settle();
    }
    return statements.filter((sql) => asksDesks.test(sql));
  }

  sandbox.say(anna.id, tea.platformId, '/start');
  await rig.settle();
  // As the service does at its start.
  await store.desks.deskBots();
  expect(await talk()).toEqual([]);
  expect(statements.length).toBeGreaterThan(20);

  const forum = sandbox.createChat({ title: 'Team', owner: rig.agent, isForum: true });
  sandbox.promote(rig.agent, forum.id, helper.platformId);
  await rig.desk({ desk_bot_id: helper.id, chat_id: forum.id, bot_ids: [helper.id] });
  await store.desks.deskBots();
  expect(await talk()).toEqual([]);
  await store.engine.write(function* () {
    const desk = { ...deskDefaults, desk_bot_id: helper.id, chat_id: forum.id, bot_ids: [tea.id] };
    yield* store.desks.saveStep(1, desk, clock.now());
  });
  await rig.reload(tea);
  expect((await talk()).length).toBeGreaterThan(3);
});

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { localCaller } from '../../src/core/access/access.ts';
import type { BotRunner } from '../../src/core/ports.ts';
import { createVault } from '../../src/core/access/vault.ts';
import { createBotService } from '../../src/manage/bots/bots.ts';
import { createStore } from '../../src/store/store.ts';
import { createTelegramClient } from '../../src/telegram/client.ts';
import { nowhere } from '../support/rigs/domain-app.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { createIdleRunner } from '../support/idle-runner.ts';

it.each(dialects)('the service runs a bot on that could not be deleted, on %s', async (dialect) => {
  const database = await createDatabase(dialect);
  onTestFinished(() => database.drop());
  const engine = await database.open();
  onTestFinished(() => engine.close());
  const store = createStore(
    engine,
    createVault(['a master key of at least thirty-two characters']),
  );
  const telegram = createTelegramClient({ baseUrlFor: () => nowhere, clock: systemClock });
  onTestFinished(() => telegram.close());
  const bot = await store.bots.insert({ token: '4711:AAdelete', source: 'web' }, 1);
  const done: string[] = [];
  const runner: BotRunner = {
    ...createIdleRunner(),
    apply: async (id) => void done.push(`run ${id}`),
    retire: async (id) => void done.push(`stop ${id}`),
  };
  const full = new Error('the disk is full');
  const failing = { ...store.bots, remove: () => Promise.reject(full) };
  const config = { publicUrl: '', backends: { mode: 'private-ok' as const, allow: [] } };
  const serviceOn = (bots: typeof store.bots) =>
    createBotService({
      store: { ...store, bots },
      telegram,
      clock: systemClock,
      events: { publish: () => {}, subscribe: () => () => {} },
      runner,
      config,
    });
  await expect(serviceOn(failing).delete(localCaller, bot.id)).rejects.toBe(full);
  expect(done).toEqual([`stop ${bot.id}`, `run ${bot.id}`]);
  expect(await store.bots.get(bot.id)).toBeDefined();

  done.length = 0;
  await serviceOn(store.bots).delete(localCaller, bot.id);
  expect(done).toEqual([`stop ${bot.id}`]);
  expect(await store.bots.get(bot.id)).toBeUndefined();
});

import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/logger.ts';
import { createCommitWriter } from '../../../src/relay/delivery/commit-writer.ts';
import { createTestStore } from '../../support/database/store.ts';
import { createManualClock } from '../../support/manual-clock.ts';

it('the commit writer goes on with the others when one pusher cannot say what it finished', async () => {
  const { store, close } = await createTestStore('sqlite');
  onTestFinished(close);
  const clock = createManualClock();
  const { id: botId } = await store.bots.insert({ token: '1:a', source: 'web' }, clock.now());
  await store.log.openReader(botId, 'push', clock.now());
  const writer = createCommitWriter({
    engine: store.engine,
    clock,
    logger: createLogger({ level: 'silent' }),
    onMethodCall: function* () {},
    onCallsCommitted: () => {},
  });
  const changes = {
    botId,
    reader: 'push',
    epoch: undefined,
    generation: 0,
    cursor: { position: 5, state: '' },
    attempts: [],
    positions: new Map(),
    queues: new Map(),
    deadLetters: [],
    replayed: [],
    calls: [],
    backend: undefined,
  };
  const commit = async () => {
    const broken = writer.commit(() => {
      throw new Error('broken');
    });
    const whole = writer.commit(() => changes);
    writer.hurry();
    return Promise.all([broken, whole]);
  };
  expect(await commit()).toEqual(['failed', 'stored']);
  expect(await commit()).toEqual(['failed', 'stored']);
  expect((await store.log.readers(botId))[0]?.position).toBe(5);
});

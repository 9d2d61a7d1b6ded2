import { describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { ConsumerRepository } from '../../store/apps/consumers.ts';
import { createConsumerCursors } from './consumer-cursors.ts';

function cursorsThatRecord(known: string[] = []) {
  const told: string[] = [];
  const cursor = { position: 7, state: '' };
  const consumers = {
    find: async (_botId, name) => (known.includes(name) ? cursor : undefined),
    async open(_botId, name) {
      told.push(`open "${name}"`);
      return cursor;
    },
  } as Partial<ConsumerRepository> as ConsumerRepository;
  const cursors = createConsumerCursors(consumers, systemClock, async (botId) => {
    await new Promise(setImmediate);
    told.push(`settled bot ${botId}`);
  });
  return { told, open: (name: string) => cursors.open(3, name, async (at) => at) };
}

describe('opening a consumer', () => {
  it('waits for push before it makes the unnamed consumer', async () => {
    const { told, open } = cursorsThatRecord();
    expect(await open('')).toMatchObject({ position: 7 });
    expect(told).toEqual(['settled bot 3', 'open ""']);
  });

  it('does not wait for push to make a named consumer', async () => {
    const { told, open } = cursorsThatRecord();
    await open('own');
    expect(told).toEqual(['open "own"']);
  });

  it('does not wait for push when the consumer exists', async () => {
    const { told, open } = cursorsThatRecord(['']);
    await open('');
    expect(told).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { ConsumerRepository } from '../../store/log/consumers.ts';
import { createPlaces } from './consumer-cursors.ts';

function placesThatTell(known: string[] = []) {
  const told: string[] = [];
  const place = { position: 7, state: '' };
  const consumers = {
    find: async (_botId, name) => (known.includes(name) ? place : undefined),
    async open(_botId, name) {
      told.push(`open "${name}"`);
      return place;
    },
  } as Partial<ConsumerRepository> as ConsumerRepository;
  const places = createPlaces(consumers, systemClock, async (botId) => {
    await new Promise(setImmediate);
    told.push(`settled bot ${botId}`);
  });
  return { told, open: (name: string) => places.open(3, name, async (at) => at) };
}

it('waits for push before it makes the unnamed consumer', async () => {
  const { told, open } = placesThatTell();
  expect(await open('')).toMatchObject({ position: 7 });
  expect(told).toEqual(['settled bot 3', 'open ""']);
});

it('does not wait for push to make a named consumer', async () => {
  const { told, open } = placesThatTell();
  await open('own');
  expect(told).toEqual(['open "own"']);
});

it('does not wait for push when the consumer exists', async () => {
  const { told, open } = placesThatTell(['']);
  await open('');
  expect(told).toEqual([]);
});

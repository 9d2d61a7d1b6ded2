import { expect, it } from 'vitest';
import { QueueTable } from './queue-table.ts';

it('finds every queue by its name, and none that left, however many there are', () => {
  const table = new QueueTable();
  const names = Array.from({ length: 500 }, (_, index) => `c${1_000_000 + index * 7}`);
  const queues = names.map((name) => table.add(name));
  expect(names.map((name) => table.get(name))).toEqual(queues);
  expect(table.get('c1')).toBeUndefined();

  for (const queue of queues.filter((_, index) => index % 3 > 0)) table.remove(queue);
  const left = queues.filter((_, index) => index % 3 === 0);
  expect(names.map((name) => table.get(name)).filter(Boolean)).toEqual(left);
  expect(new Set(table.all())).toEqual(new Set(left));
  expect(table.size).toBe(left.length);

  for (const queue of table.all()) table.remove(queue);
  expect(table.size).toBe(0);
  expect(table.all()).toEqual([]);
});

it('lets a name come back as another queue, and does not mix them up', () => {
  const table = new QueueTable();
  const first = table.add('c1');
  table.remove(first);
  const second = table.add('c1');
  table.remove(first);
  expect(table.get('c1')).toBe(second);
  expect(table.size).toBe(1);
});

it('keeps apart names that fall on one place, and lets go of those that leave', () => {
  const table = new QueueTable();
  // 'Aa' and 'BB' are the oldest example of two texts with one hash.
  const [one, two, three] = ['AaAa', 'BBBB', 'AaBB'].map((name) => table.add(name));
  if (!one || !two || !three) throw new Error('three were added');
  table.remove(two);
  expect([table.get('AaAa'), table.get('BBBB'), table.get('AaBB')]).toEqual([
    one,
    undefined,
    three,
  ]);
  expect(two.nextOfPlace).toBeUndefined();
});

import { expect, it } from 'vitest';
import { InFlightList } from './in-flight.ts';

const item = (name: string) => ({ name, index: -1 });

it('holds what was added and not removed, whatever the order', () => {
  const inFlight = new InFlightList<ReturnType<typeof item>>();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(item) as ReturnType<typeof item>[];
  if (!a || !b || !c || !d) throw new Error('four were made');
  for (const one of [a, b, c]) inFlight.add(one);
  inFlight.remove(a);
  inFlight.add(d);
  inFlight.remove(d);
  inFlight.remove(b);
  expect(inFlight.all()).toEqual([c]);
  inFlight.remove(c);
  expect(inFlight.size).toBe(0);
});

it('may be gone through while everything in it ends', () => {
  const inFlight = new InFlightList<ReturnType<typeof item>>();
  for (const name of ['a', 'b', 'c']) inFlight.add(item(name));
  const seen: string[] = [];
  for (const one of inFlight.all()) {
    seen.push(one.name);
    inFlight.remove(one);
  }
  expect(seen).toEqual(['a', 'b', 'c']);
  expect(inFlight.size).toBe(0);
});

it('takes no notice of what is added twice, or removed without standing there', () => {
  const inFlight = new InFlightList<ReturnType<typeof item>>();
  const [a, b, stranger] = ['a', 'b', 'stranger'].map(item) as ReturnType<typeof item>[];
  if (!a || !b || !stranger) throw new Error('three were made');
  for (const one of [a, b, a]) inFlight.add(one);
  inFlight.remove(stranger);
  expect(inFlight.all()).toEqual([a, b]);
  inFlight.remove(a);
  inFlight.remove(a);
  expect(inFlight.all()).toEqual([b]);
  inFlight.add(a);
  expect(inFlight.size).toBe(2);
});

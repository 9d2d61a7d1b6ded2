import { expect, it } from 'vitest';
import { UnderWay } from './in-flight.ts';

const item = (name: string) => ({ name, place: -1 });

it('holds what was added and not removed, whatever the order', () => {
  const underWay = new UnderWay<ReturnType<typeof item>>();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(item) as ReturnType<typeof item>[];
  if (!a || !b || !c || !d) throw new Error('four were made');
  for (const one of [a, b, c]) underWay.add(one);
  underWay.remove(a);
  underWay.add(d);
  underWay.remove(d);
  underWay.remove(b);
  expect(underWay.all()).toEqual([c]);
  underWay.remove(c);
  expect(underWay.size).toBe(0);
});

it('may be gone through while everything in it ends', () => {
  const underWay = new UnderWay<ReturnType<typeof item>>();
  for (const name of ['a', 'b', 'c']) underWay.add(item(name));
  const seen: string[] = [];
  for (const one of underWay.all()) {
    seen.push(one.name);
    underWay.remove(one);
  }
  expect(seen).toEqual(['a', 'b', 'c']);
  expect(underWay.size).toBe(0);
});

it('takes no notice of what is added twice, or removed without standing there', () => {
  const underWay = new UnderWay<ReturnType<typeof item>>();
  const [a, b, stranger] = ['a', 'b', 'stranger'].map(item) as ReturnType<typeof item>[];
  if (!a || !b || !stranger) throw new Error('three were made');
  for (const one of [a, b, a]) underWay.add(one);
  underWay.remove(stranger);
  expect(underWay.all()).toEqual([a, b]);
  underWay.remove(a);
  underWay.remove(a);
  expect(underWay.all()).toEqual([b]);
  underWay.add(a);
  expect(underWay.size).toBe(2);
});

import { describe, expect, it } from 'vitest';
import { IndexedList } from './indexed-list.ts';

const item = (name: string) => ({ name, index: -1 });

describe('an indexed list', () => {
  it('holds what was added and not removed, whatever the order', () => {
    const list = new IndexedList<ReturnType<typeof item>>();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(item) as ReturnType<typeof item>[];
    if (!a || !b || !c || !d) throw new Error('four were made');
    for (const one of [a, b, c]) list.add(one);
    list.remove(a);
    list.add(d);
    list.remove(d);
    list.remove(b);
    expect(list.all()).toEqual([c]);
    list.remove(c);
    expect(list.size).toBe(0);
  });

  it('may be gone through while everything in it ends', () => {
    const list = new IndexedList<ReturnType<typeof item>>();
    for (const name of ['a', 'b', 'c']) list.add(item(name));
    const seen: string[] = [];
    for (const one of list.all()) {
      seen.push(one.name);
      list.remove(one);
    }
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(list.size).toBe(0);
  });

  it('takes no notice of what is added twice, or removed without standing there', () => {
    const list = new IndexedList<ReturnType<typeof item>>();
    const [a, b, stranger] = ['a', 'b', 'stranger'].map(item) as ReturnType<typeof item>[];
    if (!a || !b || !stranger) throw new Error('three were made');
    for (const one of [a, b, a]) list.add(one);
    list.remove(stranger);
    expect(list.all()).toEqual([a, b]);
    list.remove(a);
    list.remove(a);
    expect(list.all()).toEqual([b]);
    list.add(a);
    expect(list.size).toBe(2);
  });
});

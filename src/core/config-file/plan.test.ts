import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConfigEntry, entryKey, planChanges, type PlannedChange } from './plan.ts';

const entries = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom('bot' as const, 'user' as const),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    fields: fc.record({ x: fc.nat(2), y: fc.array(fc.nat(2), { maxLength: 2 }) }),
  }),
  { selector: entryKey },
);
const everything = () => true;
const nothing = () => false;

function carriedOut(
  current: readonly ConfigEntry[],
  wanted: readonly ConfigEntry[],
  plan: readonly PlannedChange[],
): Map<string, ConfigEntry['fields']> {
  const state = new Map(current.map((entry) => [entryKey(entry), entry.fields]));
  const given = new Map(wanted.map((entry) => [entryKey(entry), entry.fields]));
  for (const change of plan) {
    const key = entryKey(change);
    if (change.change === 'delete') state.delete(key);
    else {
      const names = change.change === 'add' ? Object.keys(given.get(key) ?? {}) : change.fields;
      const fields = names.map((name) => [name, given.get(key)?.[name]]);
      state.set(key, { ...state.get(key), ...(Object.fromEntries(fields) as object) });
    }
  }
  return state;
}
const asMap = (list: readonly ConfigEntry[]) =>
  new Map(list.map((entry) => [entryKey(entry), entry.fields]));

describe('the plan', () => {
  it('leads from any state to any other, and then plans nothing', () => {
    fc.assert(
      fc.property(entries, entries, (current, wanted) => {
        const plan = planChanges(current, wanted, everything);
        expect(carriedOut(current, wanted, plan)).toEqual(asMap(wanted));
        expect(planChanges(wanted, wanted, everything)).toEqual([]);
      }),
    );
  });

  it('without pruning, deletes nothing', () => {
    fc.assert(
      fc.property(entries, entries, (current, wanted) => {
        const plan = planChanges(current, wanted, nothing);
        expect(carriedOut(current, wanted, plan)).toEqual(
          new Map([...asMap(current), ...asMap(wanted)]),
        );
      }),
    );
  });

  it('keeps what an entry does not say, and ignores the order of fields', () => {
    const bot = (fields: object) => [{ kind: 'bot' as const, name: '1', fields: { ...fields } }];
    const current = bot({ token: 't', filter: { a: 1, b: 2 } });
    expect(
      planChanges(current, bot({ token: undefined, filter: { b: 2, a: 1 } }), everything),
    ).toEqual([]);
    expect(planChanges(current, bot({ token: 'u' }), everything)).toEqual([
      { change: 'update', kind: 'bot', name: '1', fields: ['token'] },
    ]);
  });
});

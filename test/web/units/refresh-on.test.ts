import { expect, it } from 'vitest';
import { createTouched, refreshOn } from '../../../web/src/api/client/refresh-on.ts';

it('reads again what an event touches, of its bot or of all', () => {
  const touched = createTouched();
  const state = { data: undefined, dataUpdatedAt: 0 };
  const all = { meta: refreshOn(['bot', 'delivery']), state };
  const ofOne = { meta: refreshOn(['delivery'], 1), state };
  const ofOther = { meta: refreshOn(['delivery'], 2), state };
  const sends = { meta: refreshOn(['sent'], 1), state };
  const log = { meta: refreshOn(['received'], 1), state };
  const none = { meta: undefined, state };
  const queries = [all, ofOne, ofOther, sends, log, none];
  touched.add({ type: 'delivery', data: { bot_id: 1 } });
  expect(queries.filter(touched.take())).toEqual([all, ofOne]);
  touched.add({ type: 'message', data: { bot_id: 1, kind: 'sent' } });
  expect(queries.filter(touched.take())).toEqual([sends]);
  touched.add({ type: 'message', data: { bot_id: 1 } });
  touched.add({ type: 'bot', data: { bot_id: 7 } });
  expect(queries.filter(touched.take())).toEqual([all, log]);
  expect(queries.filter(touched.take())).toEqual([]);
});

it('leaves a long read in peace for a while', () => {
  const touched = createTouched();
  const restMs = (data: unknown) => Number(data) * 20;
  const meta = { ...refreshOn(['delivery']), restMs };
  const state = { data: 400, dataUpdatedAt: 1_000_000 };
  const isReadAfter = (ms: number) => {
    touched.add({ type: 'delivery', data: { bot_id: 1 } });
    return touched.take(state.dataUpdatedAt + ms)({ meta, state });
  };
  expect(isReadAfter(7_999)).toBe(false);
  expect(isReadAfter(8_000)).toBe(true);
});

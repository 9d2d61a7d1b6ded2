import { expect, it } from 'vitest';
import { createTouched, refreshOn } from '../../../web/src/api/client/refresh-on.ts';

it('reads again what an event touches, of its bot or of all', () => {
  const touched = createTouched();
  const all = { meta: refreshOn(['bot', 'delivery']) };
  const ofOne = { meta: refreshOn(['delivery'], 1) };
  const ofOther = { meta: refreshOn(['delivery'], 2) };
  const sends = { meta: refreshOn(['sent'], 1) };
  const log = { meta: refreshOn(['received'], 1) };
  const none = { meta: undefined };
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

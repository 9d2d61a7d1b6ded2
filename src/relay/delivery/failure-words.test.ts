import { expect, it } from 'vitest';
import { isUnreached } from './failure-words.ts';

it.each([
  ['a refused connection', { code: 'ECONNREFUSED' }, true],
  ['all addresses of a name refused', { errors: [{ code: 'ECONNREFUSED' }, {}] }, true],
  ['a connection that ended before the answer', { code: 'ECONNRESET' }, false],
  ['a socket that failed', { code: 'UND_ERR_SOCKET' }, false],
  ['no reason', undefined, false],
])('nobody was reached: %s', (_, error, expected) => {
  expect(isUnreached(error)).toBe(expected);
});

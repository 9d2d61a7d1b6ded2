import { expect, it } from 'vitest';
import { rangeOf } from './byte-range.ts';

it.each([
  ['bytes=0-3', { start: 0, end: 3 }],
  ['bytes=3-', { start: 3, end: 9 }],
  ['bytes=-4', { start: 6, end: 9 }],
  ['bytes=-40', { start: 0, end: 9 }],
  ['bytes=5-500', { start: 5, end: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-3', undefined],
  ['bytes=0-1,3-4', undefined],
  ['lines=0-1', undefined],
  ['bytes=-', undefined],
  [undefined, undefined],
])('reads %s of ten bytes', (header, expected) => {
  expect(rangeOf(header, 10)).toEqual(expected);
});

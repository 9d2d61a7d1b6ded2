import { describe, expect, it } from 'vitest';
import { reason } from './reason.ts';
import { packReason, unpackReason } from './stored.ts';

describe('a stored reason', () => {
  it('comes back as it was', () => {
    const why = reason('service_stopping');
    expect(unpackReason(packReason(why)).detail).toEqual(why);
  });

  it.each(['answered 500', '{"code":"x', '{"code":"verbatim","params":{}}', '{"code":"verbatim"}'])(
    'stays the words they are where it is none: %s',
    (words) => expect(unpackReason(words)).toEqual({ text: words, detail: null }),
  );
});

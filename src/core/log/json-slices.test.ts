import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceArray } from './json-slices.ts';

describe('sliceArray', () => {
  it('gives back every element as it was written, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (elements, other) => {
        const written = elements.map((element) => JSON.stringify(element, null, 1));
        const text = `{"a":${JSON.stringify(other)}, "result" : [ ${written.join(' , ')} ], "b":1}`;
        expect(sliceArray(text, 'result')).toEqual(written);
      }),
    );
  });

  it('finds only the key of the outermost object', () => {
    expect(
      sliceArray('{"x":{"result":[1]},"y":"\\"result\\":[2]","result":[3]}', 'result'),
    ).toEqual(['3']);
  });

  it('says so when there is no such array', () => {
    for (const text of ['', '{}', '[]', '{"result":1}', '{"result":[1,2', '<html>']) {
      expect(sliceArray(text, 'result')).toBeUndefined();
    }
  });
});

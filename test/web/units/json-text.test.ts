import { describe, expect, it } from 'vitest';
import { indented } from '../../../web/src/ui/text/json-text.ts';

describe('the JSON view', () => {
  it('writes as JSON.stringify does', () => {
    const value = {
      text: 'a "quoted" {brace}, [list]: \\ \n',
      list: [1, -2.5e3, true, null, {}, [], [[1], { a: [] }]],
      empty: {},
    };
    expect(indented(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(indented(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2));
    for (const one of ['7', '"words"', 'null', '[]', '{}']) expect(indented(one)).toBe(one);
  });

  it('keeps numbers that have more digits than numbers here', () => {
    expect(indented('{"id":1234567890123456789012,"rate":1.10}')).toBe(
      '{\n  "id": 1234567890123456789012,\n  "rate": 1.10\n}',
    );
  });

  it('spells out what is escaped without need', () => {
    expect(indented('["\\u041f\\u0440\\u0438\\u0432\\u0435\\u0442"]')).toBe('[\n  "Привет"\n]');
  });

  it('leaves alone what is no JSON', () => {
    expect(indented('out of order')).toBe('out of order');
    expect(indented('{"a":')).toBe('{"a":');
  });
});

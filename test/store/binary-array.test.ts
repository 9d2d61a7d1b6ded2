import { describe, expect, it, onTestFinished } from 'vitest';
import { binaryArray } from '../../src/store/sql/binary-array.ts';
import { createDatabase } from '../support/database/engines.ts';

describe('arrays in the format of PostgreSQL', () => {
  it('arrive as they were', async () => {
    const database = await createDatabase('postgres');
    const engine = await database.open();
    onTestFinished(async () => {
      await engine.close();
      await database.drop();
    });
    const numbers = [0, 1, -1, 2 ** 31, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53) + 1, null];
    const texts = ['', 'a "quoted" \\ text', 'Привет 👋', '{}', 'NULL', null];
    const [row] = await engine.readRaw<{ numbers: string; texts: string; empty: string }>(
      `select to_json($1::bigint[])::text as numbers, to_json($2::text[])::text as texts,
         to_json($3::text[])::text as empty`,
      [binaryArray('bigint', numbers), binaryArray('text', texts), binaryArray('text', [])],
    );
    expect(JSON.parse(row?.numbers ?? '')).toEqual(numbers);
    expect(JSON.parse(row?.texts ?? '')).toEqual(texts);
    expect(JSON.parse(row?.empty ?? '')).toEqual([]);
  });

  it('hold only whole numbers', () => {
    expect(() => binaryArray('bigint', [1.5])).toThrow(RangeError);
    expect(() => binaryArray('integer', [Number.NaN])).toThrow(RangeError);
  });
});

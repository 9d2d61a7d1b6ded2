import { expect, it, onTestFinished } from 'vitest';
import { effect } from '../../../src/store/engine.ts';
import { createDatabase } from '../../support/database/engines.ts';

it('refuses a second statement where there is no transaction around it', async () => {
  const database = await createDatabase('postgres');
  const engine = await database.open();
  onTestFinished(async () => {
    await engine.close();
    await database.drop();
  });
  const put = (name: string) =>
    effect(`insert into settings (name, value) values ($1, '')`, [name]);
  const write = engine.write(
    function* () {
      yield* put('first');
      yield* put('second');
    },
    { isSingle: true },
  );
  await expect(write).rejects.toThrow('one statement too many');
  expect(await engine.readRaw(`select 1 from settings where name = 'second'`, [])).toEqual([]);
});

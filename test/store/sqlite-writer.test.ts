import { expect, it, onTestFinished } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { temporaryFolder } from '../support/relay-process.ts';

const insert = (name: string) =>
  raw('insert into settings (name, value) values ($1, $2)', [name, 'x']);

it('lets what a commit set free go on before the next commit', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const engine = await openSqlite(folder.path);
  onTestFinished(() => engine.close());
  const order: string[] = [];
  let second: Promise<unknown> = Promise.resolve();
  const first = engine
    .write(function* () {
      yield* insert('first');
      // It waits while the first is being committed, as under load.
      second = engine.write(() => insert('second')).then(() => order.push('second committed'));
    })
    // A request over an open connection is written in the next turn of the event loop.
    .then(() => new Promise((resolve) => setImmediate(resolve)))
    .then(() => order.push('first sent on'));
  await first;
  await second;
  expect(order).toEqual(['first sent on', 'second committed']);
});

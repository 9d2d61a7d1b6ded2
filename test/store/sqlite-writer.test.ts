import { describe, expect, it, onTestFinished } from 'vitest';
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

describe('a job in the background', () => {
  async function openWriter() {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    let commits = 0;
    const engine = await openSqlite(folder.path, { onCommit: () => commits++ });
    onTestFinished(() => engine.close().catch(() => {}));
    const commitsBefore = commits;
    /** Resolves with the number of the commit that holds the job. */
    const write = (name: string, isBackground = false, spinMs = 0): Promise<number> =>
      engine.write(
        function* () {
          for (const until = performance.now() + spinMs; performance.now() < until; );
          yield* insert(name);
          return commits - commitsBefore + 1;
        },
        { isBackground },
      );
    return { engine, write };
  }

  it('lets all others go first, and shares no commit with another of its kind', async () => {
    const { write } = await openWriter();
    const background = [write('one', true), write('two', true)];
    const others = [write('three'), write('four')];
    expect(await Promise.all(others)).toEqual([1, 1]);
    expect(await Promise.all(background)).toEqual([2, 3]);
  });

  it('runs together with others after it has waited', async () => {
    const { write } = await openWriter();
    let isDone = false;
    const background = write('background', true).finally(() => {
      isDone = true;
    });
    let turns = 0;
    // One of these always waits.
    for (let next = write('0', false, 10); !isDone; turns++) {
      const current = next;
      next = write(`${turns + 1}`, false, 10);
      await current;
    }
    expect(await background).toBeGreaterThan(1);
    expect(turns).toBeLessThan(50);
  });

  it('is committed when the database is closed', async () => {
    const { engine, write } = await openWriter();
    const background = write('one', true);
    await engine.close();
    expect(await background).toBe(1);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { type Engine, raw } from '../../src/store/engine.ts';
import { startTestApp } from '../support/test-app.ts';

/** As a volume without space: the database cannot grow. */
async function limitSize(engine: Engine, pages: number): Promise<void> {
  await engine.write(() => raw(`pragma max_page_count = ${pages}`));
}

const large = (name: string) =>
  raw('insert into settings (name, value) values ($1, $2)', [name, 'x'.repeat(100_000)]);

describe('the service', () => {
  it('answers 503 and names the disk while it is full, and goes on once it is not', async () => {
    const test = await startTestApp();
    onTestFinished(() => test.close());
    const { headers } = await test.key('admin');
    const create = () =>
      test.app.inject({
        method: 'POST',
        url: '/api/auth/api-keys/create',
        headers,
        payload: { name: 'n'.repeat(64), scope: 'read' },
      });
    await limitSize(test.engine, 1);
    await expect(test.engine.write(() => large('a'))).rejects.toMatchObject({
      code: 'database_unavailable',
    });
    // Small rows still find room in the pages that are there; before long they do not.
    let answer = await create();
    while (answer.statusCode === 200) answer = await create();
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.json()).toMatchObject({
      code: 'database_unavailable',
      error: 'The database disk is full. Free some space, then try again.',
    });
    const ready = await test.app.inject({ url: '/readyz' });
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toEqual({
      status: 'not ready',
      reasons: ['The database disk is full. Free some space, then try again.'],
      reasons_detail: [{ code: 'database_disk_full', params: {} }],
    });
    // Read requests still work, and do not mention the disk.
    expect((await test.app.inject({ url: '/api/auth/api-keys', headers })).statusCode).toBe(200);
    await limitSize(test.engine, 1_000_000);
    expect((await test.app.inject({ url: '/readyz' })).statusCode).toBe(503);
    expect((await create()).statusCode).toBe(200);
    expect((await test.app.inject({ url: '/readyz' })).statusCode).toBe(200);
  });

  it('fails all writes of a commit at once when the disk is full', async () => {
    const test = await startTestApp();
    onTestFinished(() => test.close());
    await limitSize(test.engine, 1);
    let runs = 0;
    const jobs = Array.from({ length: 50 }, (_, index) =>
      test.engine.write(function* () {
        runs++;
        yield* large(String(index));
      }),
    );
    const outcomes = await Promise.allSettled(jobs);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(runs).toBeLessThanOrEqual(50);
  });
});

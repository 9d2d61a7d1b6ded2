import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { type Database, dialects } from '../support/database/engines.ts';
import { message } from './support/held-platform.ts';
import { inspect, readLog } from './support/reconcile.ts';
import { addBot, createStage, pull } from './support/stage.ts';

const polled = '7201:AAintake_polled';
const hooked = '7202:AAintake_hooked';
const dayMs = 86_400_000;

/** Blocks all other commits to the log until it is released. */
async function holdCommits(database: Database): Promise<() => Promise<void>> {
  if (database.dialect === 'sqlite') {
    const db = new DatabaseSync(path.join(database.dataDir, 'relay.db'), { timeout: 5_000 });
    db.exec('begin immediate');
    return async () => db.close();
  }
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  await client.query('begin; lock table log in share mode');
  return () => client.end();
}

describe.each(dialects)('intake on %s', (dialect) => {
  it('invariant 1: says yes to the platform only after the commit', async () => {
    const { database, platform, start } = await createStage(dialect);
    let service = await start();
    await addBot(service, { token: polled });
    const { id } = await addBot(service, { token: hooked, webhook_mode: true });
    const post = async () => {
      const { secret } = platform.webhook(hooked) ?? { secret: '' };
      const answer = await service.request(`/hooks/telegram/${id}`, {
        body: message(1, 5),
        headers: { 'x-telegram-bot-api-secret-token': secret },
        key: '',
      });
      return answer.status;
    };
    await vi.waitFor(() => expect(platform.isPolled(polled)).toBe(true));
    await vi.waitFor(() => expect(platform.webhook(hooked)).toBeDefined());

    const letGo = await holdCommits(database);
    platform.deal(polled, message(1, 5));
    const answered = post().then(
      (status) => (status >= 500 ? 'refused' : status),
      () => 'no answer',
    );
    // Long enough that an answer that did not wait for the commit would be here. After a longer
    // pause of the machine, the service may have given up on the commit.
    const early = await Promise.race([
      answered,
      new Promise((resolve) => setTimeout(resolve, 700, 'nothing yet')),
    ]);
    expect(['nothing yet', 'refused']).toContain(early);
    await service.crash();
    await letGo();
    expect(['no answer', 'refused']).toContain(await answered);
    expect([...platform.confirmed(polled)]).toEqual([]);
    const before = await readLog(database);
    expect([before.updateIds(polled), before.updateIds(hooked)]).toEqual([[], []]);

    service = await start();
    expect(await post()).toBe(200);
    expect(await post()).toBe(200);
    await vi.waitFor(() => expect([...platform.confirmed(polled)]).toEqual([1]));
    await service.crash();
    const after = await readLog(database);
    expect([after.updateIds(polled), after.updateIds(hooked)]).toEqual([[1], [1]]);
  });

  it('invariant 2: takes ids that jump down after a quiet week for new, to the end', async () => {
    const { database, platform, sink, start } = await createStage(dialect);
    let service = await start();
    const forwarded = { proxy_enabled: true, backend_url: sink.url, long_poll_enabled: true };
    await addBot(service, { token: polled, ...forwarded });
    const deal = (...ids: number[]) => {
      for (const id of ids) platform.deal(polled, message(id, 5));
    };
    deal(1_000, 1_001, 1_002);
    await sink.reached(3);
    expect(await pull(service, polled, 0)).toEqual([1_000, 1_001, 1_002]);
    expect(await pull(service, polled, 1_003, 0)).toEqual([]);
    await vi.waitFor(() => expect(platform.confirmed(polled).size).toBe(3));
    expect(await service.stop()).toMatchObject({ code: 0 });

    // The week passes: everything stored is so much older, and what is kept for days is gone.
    await inspect(database, async (engine) => {
      await engine.write(function* () {
        yield* raw('update seen_ranges set seen_at = seen_at - $1', [8 * dayMs]);
        yield* raw('update log set received_at = received_at - $1', [8 * dayMs]);
      });
    });

    service = await start();
    let jumped = pull(service, polled, 1_003);
    deal(400, 401);
    await sink.reached(5);
    // It may have got one of them, or none before its time was over.
    const got: number[] = [];
    for (;;) {
      got.push(...(await jumped));
      if (got.length > 1) break;
      jumped = pull(service, polled, (got.at(-1) ?? 1_002) + 1);
    }
    expect(got).toEqual([400, 401]);
    // Numbers of the week before that come again are new as well.
    deal(1_001, 1_002);
    await sink.reached(7);
    expect(await pull(service, polled, 402)).toEqual([1_001, 1_002]);
    expect(sink.arrivals.map(({ updateId }) => updateId)).toEqual([
      1_000, 1_001, 1_002, 400, 401, 1_001, 1_002,
    ]);
    expect(await service.stop()).toMatchObject({ code: 0 });
    const { positions } = await readLog(database);
    const kept = positions(polled);
    expect(kept).toEqual([1, 2, 3, 4, 5, 6, 7].slice(-kept.length));
  });
});

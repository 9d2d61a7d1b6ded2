import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/update-facts.ts';
import { createPullers } from '../../src/relay/pull/pullers.ts';
import { createUpdateLog } from '../../src/relay/update-log.ts';
import { createConsumerRepository } from '../../src/store/consumers.ts';
import { type Engine, run } from '../../src/store/engine.ts';
import { createLogRepository } from '../../src/store/log.ts';
import { createDatabase, type Database } from '../support/engines.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** What may happen, in any order: ids that rise, jump or fall, polls, lost answers, restarts. */
const event = fc.oneof(
  fc.record({ type: fc.constant('append' as const), ids: fc.array(fc.nat(40), { maxLength: 6 }) }),
  fc.record({ type: fc.constant('poll' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('lost answer' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('restart' as const) }),
);

describe('a client that asks with the last id plus one', () => {
  let database: Database;
  let engine: Engine;
  let bots = 0;

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    engine = await database.open();
  });
  afterAll(async () => {
    await engine.close();
    await database.drop();
  });

  async function addBot(): Promise<number> {
    const id = ++bots;
    await engine.write(() =>
      run(
        engine.sql.insertInto('bots').values({
          id,
          platform_id: id,
          token_hash: `hash ${id}`,
          token_sealed: '',
          name: '',
          source: 'web',
          created_at: 0,
          updated_at: 0,
        } as never),
      ),
    );
    return id;
  }

  it('is given every update, in order, and twice only what an answer was lost for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (events) => {
        const botId = await addBot();
        const clock = createManualClock();
        const start = () => {
          const log = createLogRepository(engine);
          const updateLog = createUpdateLog(log);
          const consumers = createConsumerRepository(engine);
          return { updateLog, pullers: createPullers({ consumers, log, updateLog, clock }) };
        };
        let service = start();
        await service.pullers.ensureDefaultReader(botId);
        const appended: number[] = [];
        const seen: number[] = [];
        let offset = 0;
        let serial = 0;
        let lost = 0;

        const append = async (ids: number[]) => {
          const updates = ids.map((updateId) => {
            const content = { update_id: updateId, message: { serial: serial++ } };
            return readUpdate(JSON.stringify(content), content, 0) as IncomingUpdate;
          });
          for (const update of updates) {
            // As if each came days after the last: the same id may come again.
            await engine.write(() => run(engine.sql.deleteFrom('seen_updates')));
            await service.updateLog.append(botId, [update], { receivedAt: clock.now() });
            appended.push((JSON.parse(update.raw) as Content).message.serial);
          }
        };
        const poll = async (limit: number) =>
          (
            await service.pullers.poll({ botId, consumer: '', offset, limit, timeoutSeconds: 0 })
          ).map((raw) => JSON.parse(raw) as Content);
        const take = (answer: Content[]) => {
          for (let index = 1; index < answer.length; index++) {
            expect(answer[index]?.update_id).toBeGreaterThan(answer[index - 1]?.update_id ?? 0);
          }
          seen.push(...answer.map((content) => content.message.serial));
          offset = (answer.at(-1)?.update_id ?? offset - 1) + 1;
          lost = 0;
        };
        /** Three lost answers in a row are more than anyone is asked to make up for. */
        const lose = async (limit: number) => {
          if (++lost <= 3) await poll(limit);
        };

        for (const happening of events) {
          if (happening.type === 'append') await append(happening.ids);
          else if (happening.type === 'poll') take(await poll(happening.limit));
          else if (happening.type === 'lost answer') await lose(happening.limit);
          else service = start();
        }
        for (let answer = await poll(3); answer.length > 0; answer = await poll(3)) take(answer);
        expect([...new Set(seen)]).toEqual(appended);
        // Only an id that comes twice leaves a doubt that is worth showing an update again for.
        const ids = events.flatMap((one) => (one.type === 'append' ? one.ids : []));
        if (new Set(ids).size === ids.length) expect(seen).toEqual(appended);
      }),
      { numRuns: 60 },
    );
  });
});

interface Content {
  update_id: number;
  message: { serial: number };
}

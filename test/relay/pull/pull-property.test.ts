import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createAppReaders } from '../../../src/relay/apps/app-readers.ts';
import { createPullers } from '../../../src/relay/pull/pullers.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { createConsumerRepository } from '../../../src/store/apps/consumers.ts';
import { type Engine, raw } from '../../../src/store/engine.ts';
import { createLogRepository } from '../../../src/store/log/log.ts';
import { createDatabase, type Database } from '../../support/database/engines.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { addBotRow, appendParts, storeOn } from '../../support/database/store.ts';

/**
 * What may happen, in any order: ids that rise, jump or fall, polls, lost answers, restarts, and
 * someone who sets the consumer to another position, or drops what waits for it.
 */
const event = fc.oneof(
  fc.record({
    type: fc.constant('append' as const),
    ids: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
  }),
  fc.record({ type: fc.constant('poll' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('lost answer' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('restart' as const) }),
);
const rewind = fc.oneof(
  fc.record({ type: fc.constant('rewind' as const), part: fc.nat(100) }),
  fc.record({ type: fc.constant('drop' as const) }),
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
    await addBotRow(engine, id);
    return id;
  }

  type Happening = typeof event extends fc.Arbitrary<infer T> ? T : never;
  type Move = typeof rewind extends fc.Arbitrary<infer T> ? T : never;

  /** Lets it all happen, then reads what is left. */
  async function live(events: readonly (Happening | Move)[]) {
    const botId = await addBot();
    const clock = createManualClock();
    const start = () => {
      const log = createLogRepository(engine, appendParts(engine.dialect));
      const updateLog = createUpdateLog(log);
      const consumers = createConsumerRepository(engine);
      const apps = createAppReaders(storeOn(engine));
      return { updateLog, pullers: createPullers({ consumers, log, updateLog, clock, apps }) };
    };
    let service = start();
    await service.pullers.ensureDefaultReader(botId);
    const appended: number[] = [];
    /** The updates seen from each position that the consumer was set to. */
    const stretches: Stretch[] = [{ from: 0, seen: [], missed: -1 }];
    let offset = 0;
    let lost = 0;

    const append = async (ids: number[]) => {
      for (const updateId of ids) {
        const content = { update_id: updateId, message: { serial: appended.length } };
        const update = readUpdate(JSON.stringify(content), content, 0) as IncomingUpdate;
        // As if each came days after the last: the same id may come again.
        await engine.write(() => raw('delete from seen_ranges'));
        await service.updateLog.append(botId, [update], { receivedAt: clock.now() });
        appended.push(content.message.serial);
      }
    };
    const poll = async (limit: number) =>
      (await service.pullers.poll({ botId, consumer: '', offset, limit, timeoutSeconds: 0 })).map(
        (raw) => JSON.parse(raw) as Content,
      );
    const take = (answer: Content[]) => {
      for (let index = 1; index < answer.length; index++) {
        expect(answer[index]?.update_id).toBeGreaterThan(answer[index - 1]?.update_id ?? 0);
      }
      stretches.at(-1)?.seen.push(...answer.map((content) => content.message.serial));
      offset = (answer.at(-1)?.update_id ?? offset - 1) + 1;
      lost = 0;
    };
    /** Three lost answers in a row are more than anyone is asked to make up for. */
    const lose = async (limit: number) => {
      if (++lost > 3) return;
      const [only, ...more] = await poll(limit);
      const stretch = stretches.at(-1);
      // Set back by one update, a client asks the same whether it got that again or not.
      if (only?.update_id === offset - 1 && more.length === 0 && stretch?.seen.length === 0) {
        if (stretches.length > 1) stretch.missed = only.message.serial;
      }
    };
    const move = async (part: number) => {
      const from = Math.round((appended.length * part) / 100);
      await service.pullers.rewind(botId, '', from);
      stretches.push({ from, seen: [], missed: -1 });
    };

    const drop = async () => {
      await service.pullers.drop(botId);
      stretches.push({ from: appended.length, seen: [], missed: -1 });
    };

    for (const happening of events) {
      if (happening.type === 'append') await append(happening.ids);
      else if (happening.type === 'poll') take(await poll(happening.limit));
      else if (happening.type === 'lost answer') await lose(happening.limit);
      else if (happening.type === 'rewind') await move(happening.part);
      else if (happening.type === 'drop') await drop();
      else service = start();
    }
    for (let answer = await poll(3); answer.length > 0; answer = await poll(3)) take(answer);
    const ids = events.flatMap((one) => (one.type === 'append' ? one.ids : []));
    return { appended, stretches, hasTwins: new Set(ids).size < ids.length };
  }

  it('is given every update, in order, and twice only what an answer was lost for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (events) => {
        const { appended, stretches, hasTwins } = await live(events);
        const seen = stretches[0]?.seen ?? [];
        expect([...new Set(seen)]).toEqual(appended);
        // Only an id that comes twice leaves a doubt that is worth showing an update again for.
        if (!hasTwins) expect(seen).toEqual(appended);
      }),
      { numRuns: 60 },
    );
  });

  it('is given everything from the position it was set to, however its offset stood', async () => {
    const anything = fc.array(fc.oneof({ weight: 5, arbitrary: event }, rewind), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(anything, fc.boolean(), async (drawn, withTwins) => {
        const used = new Set<number>();
        const isNew = (id: number) => withTwins || (!used.has(id) && Boolean(used.add(id)));
        const events = drawn.map((one) =>
          one.type === 'append' ? { ...one, ids: one.ids.filter(isNew) } : one,
        );
        const { appended, stretches, hasTwins } = await live(events);
        for (const [index, { from, seen: all, missed }] of stretches.entries()) {
          const seen = all.filter((serial) => serial !== missed);
          const there = appended.slice(from).filter((serial) => serial !== missed);
          const unique = [...new Set(seen)];
          const isLast = index === stretches.length - 1;
          // Of two equal ids it is unknown which one a client has seen: one may be missed, none comes late.
          if (hasTwins) expect(unique).toEqual(there.filter((serial) => unique.includes(serial)));
          else expect(seen).toEqual(isLast ? there : there.slice(0, seen.length));
        }
      }),
      { numRuns: 80 },
    );
  });
});

interface Stretch {
  from: number;
  seen: number[];
  /** Updates lost on the way that are not sent again. */
  missed: number;
}

interface Content {
  update_id: number;
  message: { serial: number };
}

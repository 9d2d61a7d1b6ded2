import { afterEach, beforeEach } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createAppReaders } from '../../../src/relay/apps/app-readers.ts';
import type { PollRequest } from '../../../src/relay/pull/apply-request.ts';
import { createPullers, type Pullers } from '../../../src/relay/pull/pullers.ts';
import { createUpdateLog, type UpdateLog } from '../../../src/relay/log/update-log.ts';
import { createConsumerRepository } from '../../../src/store/apps/consumers.ts';
import type { DialectName, Engine } from '../../../src/store/engine.ts';
import { createLogRepository } from '../../../src/store/log/log.ts';
import { createDatabase, type Database } from '../database/engines.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { addBotRow, appendParts, storeOn } from '../database/store.ts';

/** A message of a person, or the same as another kind of update. */
export function update(updateId: number, kind = 'message', text = 'x'): IncomingUpdate {
  const content = {
    update_id: updateId,
    [kind]: {
      message_id: updateId,
      date: 1_700_000_000,
      chat: { id: 5, type: 'private' },
      from: { id: 5, is_bot: false, first_name: 'Ann' },
      text,
    },
  };
  const read = readUpdate(JSON.stringify(content), content, 1_700_000_000_000);
  if (!read) throw new Error('not an update');
  return read;
}

export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Bot 1 with its log, whose updates are polled; a new one for each test. */
export function pullsForEachTest(dialect: DialectName) {
  let database: Database;
  let engine: Engine;
  let clock: ManualClock;
  let updateLog: UpdateLog;
  let pullers: Pullers;
  const announced: string[] = [];

  /** Like a node, here or, with a separate engine, elsewhere. */
  function startPullers(on: Engine, log = createLogRepository(on, appendParts(on.dialect))) {
    const appended = createUpdateLog(log);
    const started = createPullers({
      consumers: createConsumerRepository(on),
      log,
      updateLog: appended,
      clock,
      apps: createAppReaders(storeOn(on)),
      onWaiting: (_botId, _consumer, pollId) => announced.push(pollId),
    });
    return { updateLog: appended, pullers: started };
  }

  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
    clock = createManualClock();
    ({ updateLog, pullers } = startPullers(engine));
    await addBotRow(engine, 1);
    await pullers.ensureDefaultReader(1);
  });
  afterEach(async () => {
    pullers.close();
    await engine.close();
    await database.drop();
  });

  const append = (...updates: IncomingUpdate[]) =>
    updateLog.append(1, updates, { receivedAt: clock.now() });
  const pollRaw = (request: Partial<PollRequest> = {}) =>
    pullers.poll({ botId: 1, consumer: '', offset: 0, limit: 100, timeoutSeconds: 0, ...request });

  return {
    database: () => database,
    engine: () => engine,
    clock: () => clock,
    pullers: () => pullers,
    startPullers,
    /** The polls that were announced to other nodes. */
    announced,
    append,
    appendIds: (...ids: number[]) => append(...ids.map((id) => update(id))),
    pollRaw,
    /** The ids in the answer. */
    async poll(request: Partial<PollRequest> = {}) {
      const raws = await pollRaw(request);
      return raws.map((raw) => (JSON.parse(raw) as { update_id: number }).update_id);
    },
    /** Resolves once that many polls wait. */
    async waiting(count: number): Promise<void> {
      while (pullers.waiting !== count) await new Promise((resolve) => setImmediate(resolve));
    },
    async restart(): Promise<void> {
      pullers.close();
      await engine.close();
      engine = await database.open();
      ({ updateLog, pullers } = startPullers(engine));
    },
  };
}

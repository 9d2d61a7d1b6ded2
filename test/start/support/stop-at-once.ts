import { expect, onTestFinished } from 'vitest';
import { type Clock, sleepOn, systemClock } from '../../../src/clock.ts';
import { readSettings, toConfig } from '../../../src/config.ts';
import { createLogger } from '../../../src/logger.ts';
import { startService } from '../../../src/main.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { createDatabase } from '../../support/database/engines.ts';

// What a stop does is cut off after seconds, and a slow machine may need them: its deadlines are far away.
const after: Clock['after'] = (ms, fn) => systemClock.after(ms < 1_000 ? ms : 10 * ms, fn);
const clock: Clock = { ...systemClock, after, sleep: (ms, signal) => sleepOn(after, ms, signal) };

/** Stops a service with busy bots as soon as it started, again and again: nothing uses the database after its end. */
export async function stopAtOnce(dialect: DialectName, rounds: number): Promise<void> {
  const database = await createDatabase(dialect);
  onTestFinished(() => database.drop());
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn', write: (line) => lines.push(line) });
  const env = {
    ...database.settings,
    PORT: '0',
    RELAY_SECRET_KEY: 'k'.repeat(40),
    RELAY_SANDBOX: '1',
  };
  const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
  const onUnhandled = (reason: unknown) => lines.push(String(reason));
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled));

  const first = await startService(config, { logger, clock });
  const call = async <T>(path: string, body: object): Promise<T> => {
    const answer = await fetch(first.address + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${first.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as T;
  };
  const ids: number[] = [];
  for (let index = 0; index < 12; index++) {
    const { token } = await call<{ token: string }>('/api/sandbox/bots', {});
    const { id } = await call<{ id: number }>('/api/bots/add', {
      token,
      long_poll_enabled: index % 2 === 0,
      llm_routing_enabled: index % 3 === 0,
    });
    ids.push(id);
  }
  for (const [index, id] of ids.entries()) {
    const target = ids[(index + 1) % ids.length];
    // Some take no part, so that their start looks whether they have a reader to end.
    if (index % 4 !== 3) {
      const route = { source_bot_id: id, target_bot_id: target, action: 'copy' };
      await call('/api/routes/add', route);
    }
  }
  await first.close();

  for (let round = 0; round < rounds; round++) {
    const service = await startService(config, { logger, clock });
    await service.close();
  }
  expect(lines).toEqual([]);
}

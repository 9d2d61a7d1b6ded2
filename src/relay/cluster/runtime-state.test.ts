import { expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import type { BotRuntimeRepository } from '../../store/cluster/bot-runtime.ts';
import { createRuntimeStates } from './runtime-state.ts';

it('a node writes states until the database takes them, and gives up once the node stops', async () => {
  const clock = createManualClock();
  const stop = new AbortController();
  const errors: unknown[] = [];
  let isReachable = false;
  const saved: string[] = [];
  const states = createRuntimeStates({
    repository: {
      async saveStates(rows: { state: string }[]) {
        if (!isReachable) throw new Error('unreachable');
        saved.push(...rows.map(({ state }) => state));
      },
    } as unknown as BotRuntimeRepository,
    clock,
    closing: stop.signal,
    onError: (error) => errors.push(error),
  });
  states.begin(1, 1);
  await clock.advance(5_000);
  expect(errors.length).toBeGreaterThan(3);
  isReachable = true;
  await clock.advance(2_000);
  expect(saved).toEqual(['starting']);

  isReachable = false;
  stop.abort();
  errors.length = 0;
  states.set(1, 'stopped', null);
  await clock.advance(60_000);
  expect(errors).toHaveLength(1);
  await states.flush();
  await clock.advance(60_000);
  expect(errors).toHaveLength(2);
});

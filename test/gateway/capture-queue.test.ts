import { verbatim } from '../../src/core/reasons/reason.ts';
import { expect, it } from 'vitest';
import type { AnswerFacts } from '../../src/core/messages/answer-facts.ts';
import { RelayError } from '../../src/errors.ts';
import { createCaptureQueue } from '../../src/http/gateway/capture-queue.ts';
import type { Captured } from '../../src/store/outbox/captures.ts';
import { createManualClock } from '../support/manual-clock.ts';

const captured = (botId: number): Captured => ({ botId, answer: {} as AnswerFacts });
const failing = (code: string) => Object.assign(new Error(code), { code });

/** Bots whose messages were stored, and whose were dropped. */
function createRig(refuse: (botIds: number[]) => Error | undefined) {
  const clock = createManualClock();
  const stored: number[] = [];
  const dropped: number[] = [];
  const queue = createCaptureQueue({
    clock,
    captures: {
      async store(group) {
        const error = refuse(group.map(({ botId }) => botId));
        if (error) throw error;
      },
    },
    onStored: ({ botId }) => stored.push(botId),
    onError: (_, botId) => dropped.push(botId),
  });
  return { clock, stored, dropped, queue };
}

it.each([
  ['a demoted primary', failing('25006')],
  ['a full disk', failing('53100')],
  ['a cancelled statement', failing('57014')],
  ['a lost deadlock', failing('40P01')],
  ['an outage', new RelayError('database_unavailable', verbatim('away'))],
  ['anything else', new Error('who knows')],
])('keeps what was sent through %s', async (_, error) => {
  let failures = 4;
  const rig = createRig(() => (failures-- > 0 ? error : undefined));
  for (const botId of [1, 2]) rig.queue.add(captured(botId));
  await rig.queue.flush();
  expect(rig.stored).toEqual([]);
  for (let second = 0; second < 5; second++) {
    await rig.clock.advance(1_000);
    await rig.queue.flush();
  }
  expect(rig.stored.toSorted()).toEqual([1, 2]);
  expect(rig.dropped).toEqual([]);
});

it.each([
  ['PostgreSQL', failing('23503')],
  ['SQLite', Object.assign(new Error('FOREIGN KEY'), { code: 'ERR_SQLITE_ERROR', errcode: 787 })],
])('drops only the row that %s will never take', async (_, error) => {
  const rig = createRig((botIds) => (botIds.includes(2) ? error : undefined));
  for (const botId of [1, 2, 3]) rig.queue.add(captured(botId));
  await rig.queue.flush();
  expect(rig.stored).toEqual([1, 3]);
  expect(rig.dropped).toEqual([2]);
});

it('does not hold up others for one that keeps failing, and drops it in the end', async () => {
  const rig = createRig((botIds) => (botIds.includes(2) ? new Error('a bug') : undefined));
  for (const botId of [1, 2, 3]) rig.queue.add(captured(botId));
  await rig.queue.flush();
  expect(rig.stored).toEqual([1, 3]);
  expect(rig.dropped).toEqual([]);
  for (let tries = 0; tries < 600; tries++) await rig.queue.flush();
  expect(rig.dropped).toEqual([2]);
});

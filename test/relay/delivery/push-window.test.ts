import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerCall } from '../../../src/relay/delivery/answer-call.ts';
import { CircuitBreaker } from '../../../src/relay/delivery/plan/circuit-breaker.ts';
import { connectionWords } from '../../../src/relay/delivery/failure-words.ts';
import {
  readReaderState,
  unfinished,
  writeReaderState,
} from '../../../src/core/log/push-progress.ts';
import { retryAfterMs, retryDelayMs } from '../../../src/relay/delivery/plan/retry-delay.ts';
import { Window } from '../../../src/relay/delivery/plan/window.ts';

describe('the window of a reader', () => {
  it('tells how many updates wait, of those that are still there', () => {
    const reader = { position: 2, state: '{"finished":[[4,5],[8,8]]}' };
    expect(unfinished(reader, { lastPosition: 10, trimmedTo: 0 })).toBe(5);
    expect(unfinished(reader, { lastPosition: 10, trimmedTo: 4 })).toBe(4);
    expect(unfinished(reader, { lastPosition: 10, trimmedTo: 10 })).toBe(0);
    expect(unfinished({ position: 10, state: '' }, { lastPosition: 10, trimmedTo: 0 })).toBe(0);
  });

  it('repeats after a restart exactly what was not finished', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        (start, first, second) => {
          const finished = new Set<number>();
          const window = new Window(start);
          for (let index = 0; index < first.length; index++) window.take(start + 1 + index);
          first.forEach((isFinished, index) => {
            if (!isFinished) return;
            window.finish(start + 1 + index);
            finished.add(start + 1 + index);
          });
          // Stored, read again by the next process, and once more after that got somewhere.
          let last = window;
          for (const round of [second, []]) {
            const state = writeReaderState({ finished: last.finishedAbove(), paused: false });
            const next = new Window(last.cursor, readReaderState(state).finished);
            for (let index = 0; index < round.length; index++) {
              const position = next.scanned + 1;
              const taken = next.take(position);
              expect(taken).toBe(!finished.has(position));
              if (taken && round[index]) {
                next.finish(position);
                finished.add(position);
              }
            }
            last = next;
          }
          for (let position = start + 1; position <= last.cursor; position++) {
            expect(finished.has(position)).toBe(true);
          }
          for (const [from, to] of last.finishedAbove()) {
            for (let position = from; position <= to; position++) {
              expect(finished.has(position)).toBe(true);
            }
          }
        },
      ),
    );
  });

  it('stays small however far apart the unfinished lie', () => {
    const window = new Window(0);
    for (let position = 1; position <= 10_000; position++) {
      window.take(position);
      if (position !== 3 && position !== 9_000) window.finish(position);
    }
    expect(window.size).toBe(2);
    expect(window.cursor).toBe(2);
    expect(window.finishedAbove()).toEqual([
      [4, 8_999],
      [9_001, 10_000],
    ]);
  });
});

describe('the breaker', () => {
  const open = (breaker: CircuitBreaker) => {
    for (let queue = 0; queue < 10; queue++) breaker.failed(`c${queue}`, true, 0);
  };

  it('opens at the tenth failure in a row, of several queues, and at no success between', () => {
    const breaker = new CircuitBreaker({ mostConnections: 40, random: () => 1 });
    for (let queue = 0; queue < 9; queue++)
      expect(breaker.failed(`c${queue}`, true, 0)).toBe(false);
    breaker.succeeded();
    for (let queue = 0; queue < 9; queue++)
      expect(breaker.failed(`c${queue}`, true, 0)).toBe(false);
    expect(breaker.failed('c9', true, 0)).toBe(true);
    expect(breaker.probeAt).toBeGreaterThan(0);
    expect(breaker.probeAt).toBeLessThanOrEqual(5_000);
  });

  it('does not open for two queues, nor by queues that failed before', () => {
    const breaker = new CircuitBreaker({ mostConnections: 40, random: () => 1 });
    for (let turn = 0; turn < 50; turn++) breaker.failed(`c${turn % 2}`, true, 0);
    expect(breaker.isOpen).toBe(false);
    for (let turn = 0; turn < 50; turn++) breaker.failed(`c${turn}`, false, 0);
    expect(breaker.isOpen).toBe(false);
    breaker.failed('c99', true, 0);
    expect(breaker.isOpen).toBe(true);
  });

  it('comes back by doubling, and is told by a healthy queue sooner', () => {
    const breaker = new CircuitBreaker({ mostConnections: 40, random: () => 1 });
    open(breaker);
    for (let probe = 0; probe < 6; probe++) breaker.probeFailed(false, 0, undefined);
    expect(breaker.probeAt).toBe(60_000);
    breaker.freshArrived(10_000);
    expect(breaker.probeAt).toBe(14_000);
    breaker.probeFailed(true, 14_000, 120_000);
    expect(breaker.probeAt).toBe(134_000);
    breaker.freshArrived(20_000);
    expect(breaker.probeAt).toBe(134_000);
    expect(breaker.succeeded()).toBe(true);
    const limits = new Set<number>();
    for (let turn = 0; turn < 100; turn++) {
      limits.add(breaker.limit);
      breaker.succeeded();
    }
    expect([...limits]).toEqual([1, 2, 4, 8, 16, 32, 40]);
    expect(breaker.isRecovering).toBe(false);
  });
});

describe('words and waits', () => {
  it('waits between one and two minutes in the end, never less than told', () => {
    expect([1, 2, 3, 6, 7, 40].map((n) => retryDelayMs(n, () => 0))).toEqual([
      0, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
    expect(retryDelayMs(40, () => 1)).toBe(120_000);
    expect(retryAfterMs('7', 0)).toBe(7_000);
    expect(retryAfterMs('0', 0)).toBe(1_000);
    expect(retryAfterMs('Thu, 01 Jan 1970 00:00:30 GMT', 10_000)).toBe(20_000);
    expect(retryAfterMs('999999999', 0)).toBe(86_400_000);
    expect(retryAfterMs('soon', 0)).toBeUndefined();
    expect(retryAfterMs(undefined, 0)).toBeUndefined();
  });

  it('never tells a token', () => {
    const error = new Error('cannot reach http://x/bot123456:AAbbccddeeff/hook');
    expect(connectionWords(error, 'x:80')).not.toContain('AAbbccddeeff');
  });

  it('takes only calls that are carried out', () => {
    expect(answerCall('{"method":"sendPhoto","photo":"p"}')).toEqual({
      method: 'sendPhoto',
      params: { photo: 'p' },
    });
    for (const body of ['[{"method":"sendMessage"}]', '{"method":5}', '{"method":"a/../b"}']) {
      expect(answerCall(body)).toBeUndefined();
    }
    for (const method of [
      'getUpdates',
      'GETME',
      'setWebhook',
      'deletewebhook',
      'close',
      'logOut',
    ]) {
      expect(answerCall(JSON.stringify({ method }))).toBeUndefined();
    }
    expect(answerCall('{"method":"closeForumTopic"}')?.method).toBe('closeForumTopic');
  });
});

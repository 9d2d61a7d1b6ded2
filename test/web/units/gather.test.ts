import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gather } from '../../../web/src/api/client/gather.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function runs() {
  const open: PromiseWithResolvers<void>[] = [];
  const gathered = gather(() => {
    const run = Promise.withResolvers<void>();
    open.push(run);
    return run.promise;
  }, 100);
  return { gathered, open };
}

describe('a gathered run', () => {
  it('makes one run of many askings', async () => {
    const { gathered, open } = runs();
    for (let time = 0; time < 5; time++) gathered.ask();
    expect(open).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(open).toHaveLength(1);
  });

  it('never runs twice at once, and misses nothing that was asked for meanwhile', async () => {
    const { gathered, open } = runs();
    gathered.ask();
    await vi.advanceTimersByTimeAsync(100);
    gathered.ask();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(open).toHaveLength(1);
    open[0]?.resolve();
    await vi.advanceTimersByTimeAsync(100);
    expect(open).toHaveLength(2);
  });

  it('goes on after a failure', async () => {
    const { gathered, open } = runs();
    gathered.ask();
    await vi.advanceTimersByTimeAsync(100);
    open[0]?.reject(new Error('offline'));
    await vi.advanceTimersByTimeAsync(0);
    gathered.ask();
    await vi.advanceTimersByTimeAsync(100);
    expect(open).toHaveLength(2);
  });

  it('does nothing after its end', async () => {
    const { gathered, open } = runs();
    gathered.ask();
    gathered.stop();
    gathered.ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(open).toHaveLength(0);
  });

  it('does not begin again when it is stopped in the middle of a run', async () => {
    const { gathered, open } = runs();
    gathered.ask();
    await vi.advanceTimersByTimeAsync(100);
    gathered.ask();
    gathered.stop();
    open[0]?.resolve();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(open).toHaveLength(1);
  });
});

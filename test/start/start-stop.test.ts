import { expect, describe, it, onTestFinished, vi } from 'vitest';
import type { Output } from '../../src/cli/output.ts';
import { endWithin } from '../../src/cli/start.ts';
import { dialects } from '../support/database/engines.ts';
import { stopAtOnce } from './support/stop-at-once.ts';

it('a process that was paused while it stopped, and then finished, does not exit with 1', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  onTestFinished(() => exit.mockRestore());
  const notes: string[] = [];
  const output = { watched: false, note: (text: string) => notes.push(text) } as unknown as Output;
  const close = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    // No turn of the event loop for longer than the limit, as after SIGSTOP.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  await endWithin(close, output, 300);
  expect(notes).toEqual([]);
  expect(exit).not.toHaveBeenCalledWith(1);

  const stuck = new AbortController();
  const never = endWithin(
    () => new Promise((resolve) => stuck.signal.addEventListener('abort', () => resolve())),
    output,
    100,
  );
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(1));
  expect(notes[0]).toBe('bot-relay: shutdown took over 5 s, exiting');
  stuck.abort();
  await never;
  // Each that stopped ends the process a moment later.
  await vi.waitFor(() =>
    expect(exit.mock.calls.filter((args) => args.length === 0)).toHaveLength(2),
  );
});

describe.each(dialects)('a service that stops as soon as it started, on %s', (dialect) => {
  it('ends what it began before the database', () => stopAtOnce(dialect, 3));
});

import type { Clock } from '../../clock.ts';

/** Resolves when the work is done, or after `ms` if it is not. */
export function withTimeout(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    const done = () => {
      cancel();
      resolve();
    };
    work.then(done, done);
  });
}

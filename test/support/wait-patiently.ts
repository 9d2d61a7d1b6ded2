import { vi } from 'vitest';
import { patienceMs } from './patience.ts';

type Options = Parameters<typeof vi.waitFor>[1];

const { waitFor, waitUntil } = vi;

/** Both give up after a second by default, which is little on a slow machine. */
export function waitPatiently(): void {
  const patiently = (options: Options) => ({
    timeout: patienceMs,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
  vi.waitFor = (callback, options) => waitFor(callback, patiently(options));
  vi.waitUntil = (callback, options) => waitUntil(callback, patiently(options));
}

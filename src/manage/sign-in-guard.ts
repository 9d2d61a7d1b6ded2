/*
 * Slows guessing down. Every attempt counts as failed until it succeeds, so that many at once gain
 * nothing. After a few free ones the wait doubles, per address and per name; the wait of a name is
 * kept short, so that nobody can lock another person out.
 */
import type { Clock } from '../clock.ts';
import { RelayError } from '../errors.ts';

const freeAttempts = 5;
const longestWaitMs = { address: 15 * 60_000, name: 60_000 };
const forgetAfterMs = 3_600_000;
const mostRemembered = 10_000;

interface Failures {
  count: number;
  lastAt: number;
  blockedUntil: number;
}

export interface SignInGuard {
  /** Throws `rate_limited` while this address or this name has to wait. */
  begin(address: string, name: string): { succeeded(): void };
}

export function createSignInGuard(deps: { clock: Clock }): SignInGuard {
  const remembered = new Map<string, Failures>();

  function recall(key: string, now: number): Failures {
    const found = remembered.get(key);
    if (found && now - found.lastAt < forgetAfterMs) return found;
    return { count: 0, lastAt: now, blockedUntil: 0 };
  }

  function count(key: string, kind: keyof typeof longestWaitMs, now: number): void {
    const failures = recall(key, now);
    failures.count += 1;
    failures.lastAt = now;
    if (failures.count >= freeAttempts) {
      const waitMs = 1_000 * 2 ** Math.min(20, failures.count - freeAttempts);
      failures.blockedUntil = now + Math.min(longestWaitMs[kind], waitMs);
    }
    remembered.delete(key);
    remembered.set(key, failures);
    if (remembered.size > mostRemembered) {
      remembered.delete(remembered.keys().next().value as string);
    }
  }

  return {
    begin(address, name) {
      const now = deps.clock.now();
      const keys = { address: `address ${address}`, name: `name ${name}` };
      const until = Math.max(
        recall(keys.address, now).blockedUntil,
        recall(keys.name, now).blockedUntil,
      );
      if (until > now) {
        const waitSeconds = Math.ceil((until - now) / 1_000);
        throw new RelayError(
          'rate_limited',
          `Too many attempts to sign in: try again in ${waitSeconds} s.`,
          { retryAfterSeconds: waitSeconds },
        );
      }
      count(keys.address, 'address', now);
      count(keys.name, 'name', now);
      return {
        succeeded() {
          remembered.delete(keys.address);
          remembered.delete(keys.name);
        },
      };
    },
  };
}

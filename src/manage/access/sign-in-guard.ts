/*
 * Slows guessing down, for all nodes together. Every attempt counts as failed until it succeeds, so
 * that many at once gain nothing. After a few free attempts the wait doubles, per address and per
 * name. The wait of a name is kept short, so that nobody can lock another person out. A success
 * clears its name, but takes only itself back from the address: one person's account does not help
 * to guess others. The failures of an address or name are forgotten one by one.
 */
import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { secretHash } from '../../core/access/vault.ts';
import { RelayError } from '../../errors.ts';
import type { Step } from '../../store/engine.ts';
import type { SignInAttempts } from '../../store/access/sign-in-attempts.ts';
import type { Store } from '../../store/store.ts';

const freeAttempts = 5;
const maxWaitMs = { address: 15 * 60_000, name: 60_000 };
const forgetOneAfterMs = 5 * 60_000;
const maxCounted = 25;
const keepClearedMs = 3_600_000;

export interface SignInGuard {
  /** Throws `rate_limited` while this address or this name has to wait. */
  begin(address: string, name: string): Promise<{ succeeded(): Promise<void> }>;
}

export function createSignInGuard(deps: {
  store: Pick<Store, 'engine' | 'signInAttempts'>;
  clock: Clock;
}): SignInGuard {
  const { clock } = deps;
  const { engine, signInAttempts } = deps.store;

  /** Returns the wait, because an error would undo and repeat the other writes of the same commit. */
  function* beginStep(
    addressHash: string,
    nameHash: string,
  ): Step<{ own: SignInAttempts; waitMs: number }> {
    const now = clock.now();
    const kindOf = (row: SignInAttempts) => (row.name_hash === nameHash ? 'name' : 'address');
    const rows = yield* signInAttempts.holdStep([addressHash, nameHash]);
    const waitMs = Math.max(
      ...rows.map((row) => leftOf(row.blocked_until, maxWaitMs[kindOf(row)], now)),
    );
    const counted =
      waitMs > 0 ? rows : rows.map((row) => countOne(row, maxWaitMs[kindOf(row)], now));
    if (waitMs === 0) for (const row of counted) yield* signInAttempts.setStep(row);
    // Removes the row of a name that a refused attempt created.
    yield* signInAttempts.removeClearedStep(now - keepClearedMs);
    const own = counted.find((row) => kindOf(row) === 'address') as SignInAttempts;
    return { own, waitMs };
  }

  function* succeededStep(own: SignInAttempts, nameHash: string): Step<void> {
    const rows = yield* signInAttempts.holdStep([own.name_hash, nameHash]);
    yield* signInAttempts.removeStep(nameHash);
    const row = rows.find(({ name_hash }) => name_hash === own.name_hash) as SignInAttempts;
    // Keep a wait that a later failure set.
    const isOwnWait = row.blocked_until === own.blocked_until;
    yield* signInAttempts.setStep({
      ...row,
      clear_at: row.clear_at - forgetOneAfterMs,
      blocked_until: isOwnWait ? 0 : row.blocked_until,
    });
  }

  return {
    async begin(address, name) {
      const addressHash = secretHash(`address ${address}`);
      const nameHash = secretHash(`name ${name}`);
      const { own, waitMs } = await engine.write(() => beginStep(addressHash, nameHash));
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1_000));
      return { succeeded: () => engine.write(() => succeededStep(own, nameHash)) };
    },
  };
}

/** The time until then; 0 if it is further off than possible, because the clock was set back. */
function leftOf(at: number, limitMs: number, now: number): number {
  const leftMs = Math.max(0, at - now);
  return leftMs > limitMs ? 0 : leftMs;
}

/** Counts one more failure: it takes `forgetOneAfterMs` longer until all are forgotten. */
function countOne(row: SignInAttempts, maxMs: number, now: number): SignInAttempts {
  const maxClearMs = maxCounted * forgetOneAfterMs;
  const leftMs = Math.min(maxClearMs, leftOf(row.clear_at, maxClearMs, now) + forgetOneAfterMs);
  const count = Math.ceil(leftMs / forgetOneAfterMs);
  const waitMs = count < freeAttempts ? 0 : 1_000 * 2 ** (count - freeAttempts);
  return {
    ...row,
    clear_at: now + leftMs,
    blocked_until: waitMs === 0 ? 0 : now + Math.min(maxMs, waitMs),
  };
}

function tooMany(waitSeconds: number): RelayError {
  return new RelayError('rate_limited', reason('too_many_sign_ins', { seconds: waitSeconds }), {
    retryAfterSeconds: waitSeconds,
  });
}

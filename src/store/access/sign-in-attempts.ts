import { raw, type Step } from '../engine.ts';

export interface SignInAttempts {
  name_hash: string;
  clear_at: number;
  blocked_until: number;
}

export interface SignInAttemptRepository {
  /** Adds missing rows and locks all of them until the transaction ends. */
  holdStep(nameHashes: readonly string[]): Step<SignInAttempts[]>;
  setStep(row: SignInAttempts): Step<void>;
  removeStep(nameHash: string): Step<void>;
  removeClearedStep(before: number): Step<void>;
}

export function createSignInAttemptRepository(): SignInAttemptRepository {
  return {
    *holdStep(nameHashes) {
      const rows: SignInAttempts[] = [];
      // All callers use the same order, so that two attempts never wait for each other.
      for (const name_hash of nameHashes.toSorted()) {
        // The update changes nothing but locks the row, which cannot be removed meanwhile.
        const held = yield* raw<SignInAttempts>(
          `insert into sign_in_attempts (name_hash, clear_at, blocked_until) values ($1, 0, 0)
           on conflict (name_hash) do update set name_hash = excluded.name_hash returning *`,
          [name_hash],
        );
        rows.push(...held);
      }
      return rows;
    },
    *setStep({ name_hash, clear_at, blocked_until }) {
      yield* raw(
        'update sign_in_attempts set clear_at = $2, blocked_until = $3 where name_hash = $1',
        [name_hash, clear_at, blocked_until],
      );
    },
    *removeStep(nameHash) {
      yield* raw('delete from sign_in_attempts where name_hash = $1', [nameHash]);
    },
    *removeClearedStep(before) {
      yield* raw('delete from sign_in_attempts where clear_at < $1', [before]);
    },
  };
}

import type { Selectable } from 'kysely';
import { all, type Engine, run, type Step } from '../engine.ts';
import type { SignInAttemptsTable } from '../schema/tables.ts';

export type SignInAttempts = Selectable<SignInAttemptsTable>;

export interface SignInAttemptRepository {
  /** Adds missing rows and locks all of them until the transaction ends. */
  holdStep(nameHashes: readonly string[]): Step<SignInAttempts[]>;
  setStep(row: SignInAttempts): Step<void>;
  removeStep(nameHash: string): Step<void>;
  removeClearedStep(before: number): Step<void>;
}

export function createSignInAttemptRepository(engine: Engine): SignInAttemptRepository {
  const { sql } = engine;
  return {
    *holdStep(nameHashes) {
      const rows: SignInAttempts[] = [];
      // All callers use the same order, so that two attempts never wait for each other.
      for (const name_hash of nameHashes.toSorted()) {
        // The update changes nothing but locks the row, which cannot be removed meanwhile.
        const held = sql
          .insertInto('sign_in_attempts')
          .values({ name_hash, clear_at: 0, blocked_until: 0 })
          .onConflict((conflict) => conflict.column('name_hash').doUpdateSet({ name_hash }))
          .returningAll();
        rows.push(...(yield* all(held)));
      }
      return rows;
    },
    *setStep({ name_hash, clear_at, blocked_until }) {
      yield* run(
        sql
          .updateTable('sign_in_attempts')
          .set({ clear_at, blocked_until })
          .where('name_hash', '=', name_hash),
      );
    },
    *removeStep(nameHash) {
      yield* run(sql.deleteFrom('sign_in_attempts').where('name_hash', '=', nameHash));
    },
    *removeClearedStep(before) {
      yield* run(sql.deleteFrom('sign_in_attempts').where('clear_at', '<', before));
    },
  };
}

import { changes, type Engine, raw } from '../engine.ts';

/** A request that was begun under a key; without a response it is unfinished or was interrupted. */
export interface BegunRequest {
  request_hash: string;
  response: string | null;
  created_at: number;
}

export interface IdempotencyRepository {
  /**
   * Undefined if this caller owns the key from then on; otherwise the request that was begun under
   * it before.
   */
  begin(
    scope: string,
    key: string,
    requestHash: string,
    now: number,
    expiredBefore: number,
  ): Promise<BegunRequest | undefined>;
  get(scope: string, key: string): Promise<BegunRequest | undefined>;
  finish(scope: string, key: string, response: string): Promise<void>;
  /** Frees the key of a request that certainly had no effect. */
  forget(scope: string, key: string): Promise<void>;
  purge(expiredBefore: number): Promise<number>;
}

const ofKey = 'where scope = $1 and idempotency_key = $2';
const select = `select request_hash, response, created_at from idempotency ${ofKey}`;

export function createIdempotencyRepository(engine: Engine): IdempotencyRepository {
  return {
    begin: (scope, key, requestHash, now, expiredBefore) =>
      engine.write(function* () {
        yield* raw(`delete from idempotency ${ofKey} and created_at < $3`, [
          scope,
          key,
          expiredBefore,
        ]);
        for (;;) {
          const added = yield* changes(
            `insert into idempotency (scope, idempotency_key, request_hash, response, created_at)
             values ($1, $2, $3, null, $4) on conflict do nothing`,
            [scope, key, requestHash, now],
          );
          if (added > 0) return undefined;
          const [begun] = yield* raw<BegunRequest>(select, [scope, key]);
          // The row may vanish in between: its request failed, and the key is free again.
          if (begun) return begun;
        }
      }),
    get: async (scope, key) => (await engine.readRaw<BegunRequest>(select, [scope, key]))[0],
    async finish(scope, key, response) {
      await engine.write(() =>
        raw(`update idempotency set response = $3 ${ofKey}`, [scope, key, response]),
      );
    },
    async forget(scope, key) {
      await engine.write(() => raw(`delete from idempotency ${ofKey}`, [scope, key]));
    },
    purge: (expiredBefore) =>
      engine.write(() => changes('delete from idempotency where created_at < $1', [expiredBefore])),
  };
}

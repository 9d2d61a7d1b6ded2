import { type Engine, first, run } from '../engine.ts';

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

export function createIdempotencyRepository(engine: Engine): IdempotencyRepository {
  const { sql } = engine;
  const select = (scope: string, key: string) =>
    sql
      .selectFrom('idempotency')
      .select(['request_hash', 'response', 'created_at'])
      .where('scope', '=', scope)
      .where('idempotency_key', '=', key);
  const remove = (scope: string, key: string) =>
    sql.deleteFrom('idempotency').where('scope', '=', scope).where('idempotency_key', '=', key);

  return {
    begin: (scope, key, requestHash, now, expiredBefore) =>
      engine.write(function* () {
        yield* run(remove(scope, key).where('created_at', '<', expiredBefore));
        for (;;) {
          const added = yield* run(
            sql
              .insertInto('idempotency')
              .values({
                scope,
                idempotency_key: key,
                request_hash: requestHash,
                response: null,
                created_at: now,
              })
              .onConflict((conflict) => conflict.doNothing()),
          );
          if (added > 0) return undefined;
          const begun = yield* first(select(scope, key));
          // The row may vanish in between: its request failed, and the key is free again.
          if (begun) return begun;
        }
      }),
    get: (scope, key) => engine.readOne(select(scope, key)),
    async finish(scope, key, response) {
      await engine.write(() =>
        run(
          sql
            .updateTable('idempotency')
            .set({ response })
            .where('scope', '=', scope)
            .where('idempotency_key', '=', key),
        ),
      );
    },
    async forget(scope, key) {
      await engine.write(() => run(remove(scope, key)));
    },
    purge: (expiredBefore) =>
      engine.write(() =>
        run(sql.deleteFrom('idempotency').where('created_at', '<', expiredBefore)),
      ),
  };
}

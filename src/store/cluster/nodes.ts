/* Stores the nodes that use the database, and how often each has shown that it is alive. */
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { type Engine, raw } from '../engine.ts';
import { newestSchema } from '../migrations/index.ts';

export interface NodeRecord {
  id: string;
  /** Differs for each start of the same node. */
  incarnation: string;
  heartbeats: number;
}

export interface NodeRepository {
  /** Registers the node, as this incarnation of it. */
  enter(nodeId: string, incarnation: string, nowMs: number): Promise<void>;
  /** Returns false if another process took this node's name. */
  heartbeat(nodeId: string, incarnation: string, nowMs: number): Promise<boolean>;
  leave(nodeId: string, incarnation: string): Promise<void>;
  /**
   * Returns the reason why this version can no longer use the database; undefined if no newer
   * version migrated it.
   */
  newerSchema(): Promise<RelayError | undefined>;
  /** Ends this node's use of the database: every call fails with the error. */
  refuse(error: RelayError): void;
  nodes(): Promise<NodeRecord[]>;
}

export function createNodeRepository(engine: Engine): NodeRepository {
  return {
    async enter(nodeId, incarnation, nowMs) {
      await engine.write(() =>
        raw(
          `insert into nodes (id, incarnation, beat, seen_at) values ($1, $2, 1, $3)
           on conflict (id) do update
           set incarnation = excluded.incarnation, beat = nodes.beat + 1, seen_at = excluded.seen_at`,
          [nodeId, incarnation, nowMs],
        ),
      );
    },
    heartbeat: (nodeId, incarnation, nowMs) =>
      engine.write(function* () {
        const rows = yield* raw(
          `update nodes set beat = beat + 1, seen_at = $3
           where id = $1 and incarnation = $2 returning id`,
          [nodeId, incarnation, nowMs],
        );
        return rows.length === 1;
      }),
    async leave(nodeId, incarnation) {
      await engine.write(() =>
        raw('delete from nodes where id = $1 and incarnation = $2', [nodeId, incarnation]),
      );
    },
    async newerSchema() {
      const [newest] = await engine.readRaw<{ id: number }>(
        'select max(id) as id from schema_migrations',
        [],
      );
      const params = { schema: newest?.id ?? 0, known: newestSchema() };
      return params.schema > params.known
        ? new RelayError('database_unavailable', reason('database_upgraded', params))
        : undefined;
    },
    refuse: (error) => engine.refuse?.(error),
    nodes: () =>
      engine.readRaw<NodeRecord>('select id, incarnation, beat as heartbeats from nodes', []),
  };
}

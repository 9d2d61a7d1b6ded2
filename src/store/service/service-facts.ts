import type { DialectName, Engine } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';

/** One node of the service, as stored in the database. */
export interface NodeFact {
  id: string;
  seenAt: number;
  /** The number of bots that it runs. */
  bots: number;
}

export interface ServiceFacts {
  engine: DialectName;
  databaseBytes: number;
  nodes: NodeFact[];
  /** When retention last ran; 0 if it never did. */
  retentionRanAt: number;
  /** The number of updates that retention deleted before some reader had read them. */
  dropped: number;
}

export interface ServiceFactRepository {
  read(): Promise<ServiceFacts>;
}

export function createServiceFactRepository(engine: Engine): ServiceFactRepository {
  return { read: () => readServiceFacts(engine) };
}

export async function databaseBytes(engine: Engine): Promise<number> {
  const { databaseSize } = wordsOf[engine.dialect];
  const [space] = await engine.readRaw<{ bytes: number }>(databaseSize);
  return Number(space?.bytes ?? 0);
}

async function readServiceFacts(engine: Engine): Promise<ServiceFacts> {
  const [bytes, nodes, [ran], [lost]] = await Promise.all([
    databaseBytes(engine),
    engine.readRaw<NodeFact>(
      `select n.id, n.seen_at as "seenAt",
         (select count(*) from leases l where l.owner = n.id) as bots
       from nodes n order by n.id`,
      [],
    ),
    engine.readRaw<{ value: string }>(
      `select value from settings where name = 'retention_ran_at'`,
      [],
    ),
    engine.readRaw<{ dropped: number }>(
      'select coalesce(sum(dropped), 0) as dropped from readers',
      [],
    ),
  ]);
  return {
    engine: engine.dialect,
    databaseBytes: bytes,
    nodes,
    retentionRanAt: Number(ran?.value ?? 0),
    dropped: Number(lost?.dropped ?? 0),
  };
}

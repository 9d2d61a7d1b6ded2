/*
 * Stores which node runs which bot.
 *
 * Invariants: a bot has one owner; every change of owner raises its epoch, so checks of the epoch
 * refuse the former owner; a lease is taken only if it is free, or from a node that the taker
 * considers dead.
 */
import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import { createNodeRepository, type NodeRepository } from './nodes.ts';

export interface HeldLease {
  botId: number;
  epoch: number;
}

export interface LeaseSurvey {
  /** The number of bots that should run. */
  wanted: number;
  /** Of those, the number held by the asking node. */
  mine: number;
  /** Identifies them: the sum of each bot's ID times its epoch. */
  checksum: number;
  /** The number held by no living node. */
  free: number;
}

export interface LeaseRepository extends NodeRepository {
  survey(nodeId: string, living: readonly string[]): Promise<LeaseSurvey>;
  /** Retakes all leases of this node's name, with new epochs. */
  retake(nodeId: string): Promise<HeldLease[]>;
  /** Takes bots that should run and that no living node holds. */
  take(nodeId: string, living: readonly string[], limit: number): Promise<HeldLease[]>;
  /** Takes one bot, running or not, unless a living node holds it. */
  takeOne(
    nodeId: string,
    living: readonly string[],
    botId: number,
  ): Promise<HeldLease | { owner: string } | undefined>;
  held(nodeId: string): Promise<HeldLease[]>;
  /** '' if nobody runs the bot. */
  ownerOf(botId: number): Promise<string>;
  /** Lists bots of a node whose settings changed at or after that time. */
  changedBots(nodeId: string, sinceMs: number): Promise<{ botId: number; updatedAt: number }[]>;
  /**
   * Releases bots at once and marks them as stopped; bots that others took meanwhile stay theirs.
   */
  release(nodeId: string, leases: readonly HeldLease[]): Promise<void>;
  /** Releases leases that the node did not know of; some may remain for the next time. */
  releaseUnused(nodeId: string, leases: readonly HeldLease[]): Promise<void>;
  /** See the function of this name. */
  requireEpoch(botId: number, epoch: number): Step<void>;
}

/** The writer's lease was taken over by another node. */
export class LeaseLost extends Error {
  constructor(botId: number) {
    super(`another node runs bot ${botId}`);
    this.name = 'LeaseLost';
  }
}

/**
 * Begins a transaction that only the bot's owner may make: throws LeaseLost if another node took
 * the bot over, and prevents that until the transaction ends.
 */
export function* requireEpoch(
  dialect: Engine['dialect'],
  botId: number,
  epoch: number,
): Step<void> {
  const [lease] = yield* raw<{ epoch: number }>(
    `select epoch from leases where bot_id = $1 ${wordsOf[dialect].lock('for share')}`,
    [botId],
  );
  if (lease?.epoch !== epoch) throw new LeaseLost(botId);
}

export function createLeaseRepository(engine: Engine): LeaseRepository {
  const { dialect } = engine;
  // The engine for all that a look at the leases waits for, because the next heartbeat waits for
  // it, too.
  const vital = engine.leases;
  const { isIn, isNotIn, list, lock } = wordsOf[dialect];
  // The survey is read every second, over all bots.
  const surveys = createStampedCache<LeaseSurvey>({
    engine: vital,
    tables: ['bots', 'leases'],
    weigh: () => 1,
    capacity: 10,
  });
  const returned = 'returning bot_id as "botId", epoch';

  /** Adds missing rows, so that every bot that should run has a row to lock. */
  function* addMissing(): Step<void> {
    yield* raw(
      `insert into leases (bot_id, owner, epoch, expires_at)
       select id, '', 0, 0 from bots
       where disabled = 0 and not exists (select 1 from leases where bot_id = id)
       order by id on conflict do nothing`,
    );
  }

  function* own(nodeId: string, botIds: readonly number[]): Step<HeldLease[]> {
    if (botIds.length === 0) return [];
    return yield* raw<HeldLease>(
      `update leases set owner = $1, epoch = epoch + 1
       where ${isIn('bot_id', '$2')} ${returned}`,
      [nodeId, list(botIds)],
    );
  }

  async function surveyNow(nodeId: string, living: readonly string[]): Promise<LeaseSurvey> {
    const [row] = await vital.readRaw<LeaseSurvey>(
      `select count(*) as wanted,
           coalesce(sum(case when owner = $1 then 1 else 0 end), 0) as mine,
           coalesce(sum(case when owner = $1 then epoch * id else 0 end), 0) as checksum,
           coalesce(sum(case when owner is null or ${isNotIn('owner', '$2', 'text')} then 1 else 0 end), 0)
             as free
         from bots left join leases on bot_id = id where disabled = 0`,
      [nodeId, list(living)],
    );
    return row ?? { wanted: 0, mine: 0, checksum: 0, free: 0 };
  }

  return {
    ...createNodeRepository(vital),
    async survey(nodeId, living) {
      // A cached survey must also report that the database cannot be read.
      if (dialect === 'sqlite') await vital.ping();
      return surveys.get(JSON.stringify([nodeId, living]), () => surveyNow(nodeId, living));
    },
    retake: (nodeId) =>
      vital.write(() =>
        raw<HeldLease>(`update leases set epoch = epoch + 1 where owner = $1 ${returned}`, [
          nodeId,
        ]),
      ),
    take: (nodeId, living, limit) =>
      vital.write(function* () {
        yield* addMissing();
        const free = yield* raw<{ botId: number }>(
          `select bot_id as "botId" from leases join bots on id = bot_id
           where disabled = 0 and ${isNotIn('owner', '$1', 'text')}
           order by bot_id limit $2 ${lock('for update of leases skip locked')}`,
          [list(living), limit],
        );
        return yield* own(
          nodeId,
          free.map((row) => row.botId),
        );
      }),
    takeOne: (nodeId, living, botId) =>
      engine.write(function* () {
        yield* raw(
          `insert into leases (bot_id, owner, epoch, expires_at)
           select id, '', 0, 0 from bots where id = $1 on conflict do nothing`,
          [botId],
        );
        const [lease] = yield* raw<{ owner: string }>(
          `select owner from leases where bot_id = $1 ${lock('for update')}`,
          [botId],
        );
        if (!lease) return undefined;
        if (lease.owner !== nodeId && living.includes(lease.owner)) return { owner: lease.owner };
        return (yield* own(nodeId, [botId]))[0];
      }),
    held: (nodeId) =>
      vital.readRaw<HeldLease>('select bot_id as "botId", epoch from leases where owner = $1', [
        nodeId,
      ]),
    async ownerOf(botId) {
      const [lease] = await engine.readRaw<{ owner: string }>(
        'select owner from leases where bot_id = $1',
        [botId],
      );
      return lease?.owner ?? '';
    },
    changedBots: (nodeId, sinceMs) =>
      engine.readRaw<{ botId: number; updatedAt: number }>(
        `select id as "botId", updated_at as "updatedAt" from bots join leases on bot_id = id
         where owner = $1 and updated_at >= $2`,
        [nodeId, sinceMs],
      ),
    requireEpoch: (botId, epoch) => requireEpoch(dialect, botId, epoch),
    release: (nodeId, leases) => release(engine, nodeId, leases, ''),
    releaseUnused: (nodeId, leases) => release(vital, nodeId, leases, 'skip locked'),
  };
}

async function release(
  engine: Engine,
  nodeId: string,
  leases: readonly HeldLease[],
  wait: '' | 'skip locked',
): Promise<void> {
  const { isIn, list, lock } = wordsOf[engine.dialect];
  for (let from = 0; from < leases.length; from += 500) {
    const portion = leases.slice(from, from + 500);
    const epochs = new Map(portion.map(({ botId, epoch }) => [botId, epoch]));
    await engine.write(function* () {
      const botIds = list([...epochs.keys()]);
      const mine = yield* raw<HeldLease>(
        `select bot_id as "botId", epoch from leases
         where owner = $1 and ${isIn('bot_id', '$2')}
         order by bot_id ${lock(`for update ${wait}`)}`,
        [nodeId, botIds],
      );
      const current = list(
        mine.filter(({ botId, epoch }) => epochs.get(botId) === epoch).map((l) => l.botId),
      );
      yield* raw(`update bot_runtime set state = 'stopped' where ${isIn('bot_id', '$1')}`, [
        current,
      ]);
      yield* raw(`update leases set owner = '', epoch = epoch + 1 where ${isIn('bot_id', '$1')}`, [
        current,
      ]);
    });
  }
}

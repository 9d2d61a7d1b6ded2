/*
 * The routers of the bots that this node runs. Most bots route nothing; a loop is only kept for those
 * that take part.
 *
 * Invariants: what is done to one bot is done in turn and by what the store says then; one loop per
 * bot; a bot that takes part never loses its reader, whoever starts, stops or hands it on meanwhile.
 */
import { createKeyedMutex } from '../async/mutex.ts';
import { type Router, type RouterDeps, startRouter } from './router.ts';

export interface Routers {
  /** Has what arrives from now on read, where there is anything to route. */
  prepare(botId: number): Promise<void>;
  /** Routes what a bot receives, where there is anything to route; harmless when it already does. */
  start(botId: number): Promise<void>;
  stop(botId: number): Promise<void>;
  /** For good: resolves when nothing is in flight. */
  stopAll(): Promise<void>;
  /** Routes what a bot of this node receives, in case it began to take part. */
  ensure(botId: number): Promise<void>;
  /** The same for all bots of this node: nobody may have told. */
  ensureAll(): Promise<void>;
  /** The routes of a bot changed, or it became the target of one. */
  reload(botId: number): Promise<void>;
  /** Routes of any bot may have changed: those to a deleted bot go with it. */
  reloadAll(): void;
}

export interface RoutersDeps extends RouterDeps {
  /** Has a bot read from now on that has anything to route, or may be answered; false for others. */
  openReader(botId: number, nowMs: number): Promise<boolean>;
  /** Forgets how far a bot was read; false, and nothing forgotten, when it takes part. */
  endReader(botId: number): Promise<boolean>;
  /** The bots that have such a reader, on whichever node. */
  readBots(): Promise<number[]>;
}

export function createRouters(deps: RoutersDeps): Routers {
  const allowed = new Set<number>();
  const routers = new Map<number, Router>();
  const mutex = createKeyedMutex();
  let isStopped = false;

  /** False for a bot that takes no part. */
  async function openReader(botId: number): Promise<boolean> {
    const open = () => deps.openReader(botId, deps.clock.now());
    if (await open()) return true;
    // Only who runs a bot ends its reader; it may have begun to take part meanwhile.
    return allowed.has(botId) && !(await deps.endReader(botId)) && open();
  }

  const look = (botId: number): Promise<void> =>
    mutex(botId, async () => {
      if (isStopped || routers.has(botId)) return;
      const takesPart = await openReader(botId);
      // It may have been stopped meanwhile.
      if (takesPart && allowed.has(botId)) routers.set(botId, startRouter(deps, botId));
    });

  async function stop(botId: number): Promise<void> {
    allowed.delete(botId);
    // At once, whatever waits for its turn before; a loop that begins until then ends in turn.
    void routers.get(botId)?.stop();
    await mutex(botId, async () => {
      const router = routers.get(botId);
      routers.delete(botId);
      await router?.stop();
    });
  }

  return {
    prepare: look,
    async start(botId) {
      if (isStopped) return;
      allowed.add(botId);
      await look(botId);
    },
    stop,
    async stopAll() {
      isStopped = true;
      await Promise.all([...allowed, ...routers.keys()].map(stop));
      await mutex.idle();
    },
    ensure: look,
    async ensureAll() {
      if (isStopped || allowed.size === routers.size) return;
      const missed = (await deps.readBots()).filter((id) => allowed.has(id) && !routers.has(id));
      await Promise.all(missed.map(look));
    },
    async reload(botId) {
      routers.get(botId)?.reload();
      await look(botId);
    },
    reloadAll() {
      for (const router of routers.values()) router.reload();
    },
  };
}

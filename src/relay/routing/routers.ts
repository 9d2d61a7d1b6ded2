/*
 * Runs the routers of the bots that this node runs. Most bots route nothing; only bots that take
 * part have a loop.
 *
 * Invariants: operations on one bot run in turn, by what the store says at that moment; each bot
 * has one loop; a bot that takes part never loses its reader, even if it is started, stopped or
 * handed to another node meanwhile.
 */
import { createKeyedMutex } from '../async/mutex.ts';
import { type Router, type RouterDeps, startRouter } from './router.ts';

export interface Routers {
  /** Opens the reader of a bot that takes part, so that later updates are read. */
  prepare(botId: number): Promise<void>;
  /** Routes what a bot receives, if there is anything to route; does nothing if it already does. */
  start(botId: number): Promise<void>;
  stop(botId: number): Promise<void>;
  /** Stops all routers for good; resolves when nothing is in flight. */
  stopAll(): Promise<void>;
  /** Starts routing for a bot of this node, in case it began to take part. */
  ensure(botId: number): Promise<void>;
  /** Does the same for all bots of this node, because a notification may be lost. */
  ensureAll(): Promise<void>;
  /** The routes of a bot changed, or it became the target of one. */
  reload(botId: number): Promise<void>;
  /** Routes of any bot may have changed, as the routes to a deleted bot are deleted with it. */
  reloadAll(): void;
}

export interface RoutersDeps extends RouterDeps {
  /** Opens the reader of a bot that has anything to route, or may be answered; returns false for others. */
  openReader(botId: number, nowMs: number): Promise<boolean>;
  /** Removes the reader of a bot; returns false and removes nothing if the bot takes part. */
  endReader(botId: number): Promise<boolean>;
  /** Lists the bots that have such a reader, on any node. */
  readBots(): Promise<number[]>;
}

export function createRouters(deps: RoutersDeps): Routers {
  const allowed = new Set<number>();
  const routers = new Map<number, Router>();
  const mutex = createKeyedMutex();
  let isStopped = false;

  /** Returns false for a bot that takes no part. */
  async function openReader(botId: number): Promise<boolean> {
    const open = () => deps.openReader(botId, deps.clock.now());
    if (await open()) return true;
    // Only the node that runs a bot ends its reader; the bot may have begun to take part meanwhile.
    return allowed.has(botId) && !(await deps.endReader(botId)) && open();
  }

  const look = (botId: number): Promise<void> =>
    mutex(botId, async () => {
      if (isStopped || routers.has(botId)) return;
      const takesPart = await openReader(botId);
      // The bot may have been stopped meanwhile.
      if (takesPart && allowed.has(botId)) routers.set(botId, startRouter(deps, botId));
    });

  async function stop(botId: number): Promise<void> {
    allowed.delete(botId);
    // Stops at once, before its turn; a loop that begins until then is stopped in its turn.
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

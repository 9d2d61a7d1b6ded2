import { routingReader } from '../../store/routing.ts';
import { type Router, type RouterDeps, startRouter } from './router.ts';

export interface Routers {
  /** Has what arrives from now on read, where there is anything to route. */
  prepare(botId: number): Promise<void>;
  /** Routes what a bot receives, where there is anything to route; harmless when it already does. */
  start(botId: number): Promise<void>;
  stop(botId: number): Promise<void>;
  stopAll(): Promise<void>;
  /** Routes what a bot of this node receives, in case it began to take part. */
  ensure(botId: number): Promise<void>;
  /** The routes of a bot changed, or it became the target of one. */
  reload(botId: number): Promise<void>;
  /** Routes of any bot may have changed: those to a deleted bot go with it. */
  reloadAll(): void;
}

export interface RoutersDeps extends RouterDeps {
  /** Whether a bot has routes, is the target of some, or has carried messages that may be answered. */
  takesPart(botId: number): Promise<boolean>;
  /** Forgets how far a bot was read that takes no part any more. */
  endReader(botId: number): Promise<void>;
}

/** Most bots route nothing; a loop is only kept for those that take part. */
export function createRouters(deps: RoutersDeps): Routers {
  const allowed = new Set<number>();
  const routers = new Map<number, Router>();

  async function prepare(botId: number): Promise<boolean> {
    if (!(await deps.takesPart(botId))) return false;
    await deps.readers.openReader(botId, routingReader, deps.clock.now());
    return true;
  }

  async function look(botId: number): Promise<void> {
    if (!(await prepare(botId))) return;
    if (allowed.has(botId) && !routers.has(botId)) routers.set(botId, startRouter(deps, botId));
  }

  async function stop(botId: number): Promise<void> {
    allowed.delete(botId);
    const router = routers.get(botId);
    routers.delete(botId);
    await router?.stop();
  }

  return {
    prepare: async (botId) => {
      await prepare(botId);
    },
    async start(botId) {
      allowed.add(botId);
      await look(botId);
      if (!routers.has(botId)) await deps.endReader(botId);
    },
    stop,
    stopAll: async () => {
      allowed.clear();
      await Promise.all([...routers.keys()].map(stop));
    },
    async ensure(botId) {
      if (!routers.has(botId)) await look(botId);
    },
    async reload(botId) {
      const router = routers.get(botId);
      if (router) router.reload();
      else await look(botId);
    },
    reloadAll() {
      for (const router of routers.values()) router.reload();
    },
  };
}

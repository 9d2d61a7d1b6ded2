import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { type Caller, maySeeBot, requireBot } from '../../core/access/access.ts';
import { conditionProblem } from '../../core/routing/conditions.ts';
import { routeDefaults, type RouteSettings } from '../../core/routing/route-settings.ts';
import type { EventBus } from '../../core/ports.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { NewRoute, RouteRecord } from '../../store/routing/routes.ts';
import type { Store } from '../../store/store.ts';
import { botNotFound } from '../bots/bots.ts';

/** Omitted fields take their defaults, also when a route is replaced. */
export interface RouteInput extends Partial<RouteSettings> {
  source_bot_id: number;
  target_bot_id: number;
  action: RouteSettings['action'];
}

export interface RouteService {
  /** The routes of one bot, in both directions, or all routes that the caller may see. */
  list(caller: Caller, botId: number | undefined): Promise<RouteRecord[]>;
  add(caller: Caller, route: RouteInput): Promise<RouteRecord>;
  update(caller: Caller, id: number, route: RouteInput): Promise<RouteRecord>;
  /** Returns the route as it was. */
  delete(caller: Caller, id: number): Promise<RouteRecord>;
}

export function createRouteService(options: {
  store: Store;
  clock: Clock;
  events?: EventBus;
}): RouteService {
  const { store, clock, events } = options;

  function publish(route: RouteRecord, change: string): RouteRecord {
    events?.publish('route', route.source_bot_id, { change, route_id: route.id });
    return route;
  }

  /** Both ends must belong to the caller; otherwise a route would reach into another's bot. */
  function requireEnds(caller: Caller, route: Pick<NewRoute, 'source_bot_id' | 'target_bot_id'>) {
    requireBot(caller, route.source_bot_id);
    requireBot(caller, route.target_bot_id);
  }

  async function requireBots(route: NewRoute): Promise<void> {
    const { source_bot_id, target_bot_id } = route;
    const found = new Set((await store.bots.list([source_bot_id, target_bot_id])).map((b) => b.id));
    if (!found.has(source_bot_id)) throw botNotFound(source_bot_id, 'source_bot_id');
    if (!found.has(target_bot_id)) throw botNotFound(target_bot_id, 'target_bot_id');
  }

  async function existing(id: number): Promise<RouteRecord> {
    const route = await store.routes.get(id);
    if (!route) throw routeNotFound(id);
    return route;
  }

  return {
    async list(caller, botId) {
      if (botId === undefined) {
        const routes = await store.routes.list();
        return routes.filter(
          (route) =>
            maySeeBot(caller, route.source_bot_id) || maySeeBot(caller, route.target_bot_id),
        );
      }
      requireBot(caller, botId);
      const routes = await store.routes.ofBot(botId);
      if (routes.length === 0 && !(await store.bots.get(botId))) throw botNotFound(botId, 'bot_id');
      return routes;
    },

    async add(caller, input) {
      const route = completeRoute(input);
      requireEnds(caller, route);
      await requireBots(route);
      const added = await store.routes.insert(route, clock.now());
      if (!added) throw botNotFound(route.target_bot_id, 'target_bot_id');
      return publish(added, 'added');
    },

    async update(caller, id, input) {
      const route = completeRoute(input);
      requireEnds(caller, route);
      const before = await existing(id);
      requireEnds(caller, before);
      await requireBots(route);
      const updated = await store.routes.replace(id, route, clock.now());
      if (!updated) throw routeNotFound(id);
      // The former source bot must be notified too.
      if (before.source_bot_id !== updated.source_bot_id) publish(before, 'updated');
      return publish(updated, 'updated');
    },

    async delete(caller, id) {
      const route = await existing(id);
      requireEnds(caller, route);
      if (!(await store.routes.remove(id))) throw routeNotFound(id);
      return publish(route, 'deleted');
    },
  };
}

/** Adds defaults; throws if the condition is wrong. */
export function completeRoute(input: RouteInput): NewRoute {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const route = {
    ...routeDefaults,
    ...(Object.fromEntries(given) as unknown as RouteInput),
  } as NewRoute;
  const conditionType = input.condition_type || 'all';
  const problem = conditionProblem(conditionType, route.condition_value);
  if (problem) throw invalidField('condition_value', problem);
  for (const end of ['source', 'target'] as const) {
    if (route[`${end}_thread_id`] === 0 || route[`${end}_chat_id`] !== 0) continue;
    throw invalidField(`${end}_thread_id`, reason('topic_needs_chat', { field: `${end}_chat_id` }));
  }
  return { ...route, condition_type: conditionType };
}

function routeNotFound(id: number): RelayError {
  return new RelayError('route_not_found', reason('no_such_route', { route_id: id }), {
    details: [{ field: 'id', problem: reason('names_no_route') }],
  });
}

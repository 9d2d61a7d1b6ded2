import { conditionWeight, isTooMuch } from '../../core/routing/conditions.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, isMissingReference } from '../../errors.ts';
import { changes, type Engine, raw, type Step } from '../engine.ts';
import type { GraphRoute } from '../../core/routing/route-graph.ts';
import { openRoutingReader } from './routing.ts';
import { takeLock } from '../sql/dialect.ts';
import { insertInto, updateRow } from '../sql/write-row.ts';

export interface RouteRecord extends GraphRoute {
  /** 0 for any; 1 for General. */
  source_thread_id: number;
  target_chat_id: number;
  /** 0 for none. */
  target_thread_id: number;
  description: string;
  priority: number;
  /** The return path of replies: off, reply or latest. */
  return_mode: string;
}

export type NewRoute = Omit<RouteRecord, 'id'>;

export interface RouteRepository {
  get(id: number): Promise<RouteRecord | undefined>;
  /** Lists routes by source bot and then in the order in which they act. */
  list(): Promise<RouteRecord[]>;
  /** Lists the routes that begin or end at the bot. */
  ofBot(botId: number): Promise<RouteRecord[]>;
  /** Lists the routes that act on what the bot receives, in order. */
  fromBot(sourceBotId: number): Promise<RouteRecord[]>;
  /** Undefined if one of the bots is gone. */
  insert(route: NewRoute, now: number): Promise<RouteRecord | undefined>;
  /** Undefined if the route, or one of the bots, is gone. */
  replace(id: number, route: NewRoute, now: number): Promise<RouteRecord | undefined>;
  remove(id: number): Promise<boolean>;
  /** Parts of a larger transaction, which checks the weight of all conditions itself. */
  insertStep(route: NewRoute, now: number): Step<RouteRecord | undefined>;
  replaceStep(id: number, route: NewRoute, now: number): Step<RouteRecord | undefined>;
  removeStep(id: number): Step<boolean>;
}

type Row = Omit<RouteRecord, 'enabled'> & { enabled: number };

const inOrder = 'order by source_bot_id, priority, id';

export function createRouteRepository(engine: Engine): RouteRepository {
  async function read(where: string, parameters: readonly unknown[]): Promise<RouteRecord[]> {
    const rows = await engine.readRaw<Row>(`select * from routes ${where}`, parameters);
    return rows.map(toRecord);
  }

  function* insertStep(route: NewRoute, now: number): Step<RouteRecord | undefined> {
    const columns = { ...toColumns(route), created_at: now, updated_at: now };
    const [row] = yield* insertInto<Row>('routes', columns, 'returning *');
    return yield* readFromNowOn(row, now);
  }

  function* replaceStep(id: number, route: NewRoute, now: number): Step<RouteRecord | undefined> {
    const columns = { ...toColumns(route), updated_at: now };
    return yield* readFromNowOn(yield* updateRow<Row>('routes', id, columns), now);
  }

  function* removeStep(id: number): Step<boolean> {
    return (yield* changes('delete from routes where id = $1', [id])) > 0;
  }

  /** Checks the conditions of a bot, because all bots share the time that they take. */
  function* requireLight(botId: number): Step<void> {
    const rows = yield* raw<{ condition_type: string; condition_value: string }>(
      'select condition_type, condition_value from routes where source_bot_id = $1 and enabled = 1',
      [botId],
    );
    if (isTooMuch(rows)) throw invalidField('condition_value', reason('routes_too_much'));
  }

  /**
   * Checks the weight under the lock of the source bot, so that two concurrent changes cannot both
   * use the last room.
   */
  function* insertLight(route: NewRoute, now: number): Step<RouteRecord | undefined> {
    yield* lockBot(route.source_bot_id);
    const added = yield* insertStep(route, now);
    if (added && route.enabled) yield* requireLight(route.source_bot_id);
    return added;
  }

  function* replaceLight(id: number, route: NewRoute, now: number): Step<RouteRecord | undefined> {
    yield* lockBot(route.source_bot_id);
    const [row] = yield* raw<Row>('select * from routes where id = $1', [id]);
    const before = row && toRecord(row);
    const replaced = yield* replaceStep(id, route, now);
    const isHeavier =
      before?.source_bot_id !== route.source_bot_id ||
      !before.enabled ||
      weightOf(route) > weightOf(before);
    if (replaced && route.enabled && isHeavier) yield* requireLight(route.source_bot_id);
    return replaced;
  }

  function lockBot(id: number): Step<void> {
    return takeLock(engine.dialect, 'select 1 from bots where id = $1 for no key update', [id]);
  }

  return {
    get: async (id) => (await read('where id = $1', [id]))[0],
    list: () => read(inOrder, []),
    ofBot: (botId) => read(`where source_bot_id = $1 or target_bot_id = $1 ${inOrder}`, [botId]),
    fromBot: (sourceBotId) => read(`where source_bot_id = $1 ${inOrder}`, [sourceBotId]),
    insert: (route, now) => unlessBotGone(() => engine.write(() => insertLight(route, now))),
    replace: (id, route, now) =>
      unlessBotGone(() => engine.write(() => replaceLight(id, route, now))),
    remove: (id) => engine.write(() => removeStep(id)),
    insertStep,
    replaceStep,
    removeStep,
  };
}

/** Opens the readers of both ends together with the route, so that both are read from then on. */
function* readFromNowOn(row: Row | undefined, now: number): Step<RouteRecord | undefined> {
  if (!row) return undefined;
  yield* openRoutingReader(row.source_bot_id, now);
  yield* openRoutingReader(row.target_bot_id, now);
  return toRecord(row);
}

/**
 * Treats a bot that was deleted between the check and the write as a missing bot, not as a failure.
 */
async function unlessBotGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissingReference(error)) return undefined;
    throw error;
  }
}

const weightOf = (route: NewRoute) => conditionWeight(route.condition_type, route.condition_value);

function toColumns(route: NewRoute) {
  return { ...route, enabled: route.enabled ? 1 : 0 };
}

function toRecord(row: Row): RouteRecord {
  return {
    id: row.id,
    source_bot_id: row.source_bot_id,
    target_bot_id: row.target_bot_id,
    condition_type: row.condition_type,
    condition_value: row.condition_value,
    action: row.action,
    target_chat_id: row.target_chat_id,
    target_thread_id: row.target_thread_id,
    enabled: row.enabled === 1,
    description: row.description,
    priority: row.priority,
    source_chat_id: row.source_chat_id,
    source_thread_id: row.source_thread_id,
    return_mode: row.return_mode,
  };
}

/*
 * Stores the apps of a bot: their tokens, what each one receives and where its queue is.
 */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import { secretHash, type Vault } from '../../core/access/vault.ts';
import type { Engine, Step } from '../engine.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import { type AppActivityRepository, createAppActivityRepository } from './app-activity.ts';
import { type AppChange, createAppChanges, type NewApp } from './app-changes.ts';
import { type AppRow, appColumns, createAppCodec } from './app-rows.ts';

export interface AppRepository extends AppActivityRepository {
  /** Lists the default app first, then the others in the order in which they were added; frozen. */
  list(botId: number): Promise<readonly AppRecord[]>;
  get(id: number): Promise<AppRecord | undefined>;
  byName(botId: number, name: string): Promise<AppRecord | undefined>;
  byToken(token: string): Promise<AppRecord | undefined>;
  /** Lists enabled apps of all bots in the mode webhook. */
  withBackends(): Promise<{ botId: number; app: string }[]>;
  /** Throws app_exists, too_many_apps or bot_not_found. */
  insert(app: NewApp, nowMs: number): Promise<AppRecord>;
  /** Parts of a larger transaction, which checks the weight of all filters itself. */
  insertStep(app: NewApp, nowMs: number): Step<{ id: number }>;
  updateStep(id: number, change: AppChange, nowMs: number): Step<boolean>;
  setTokenStep(id: number, token: string, nowMs: number): Step<boolean>;
  toggleStep(id: number, nowMs: number): Step<boolean>;
  removeStep(id: number, nowMs: number): Step<boolean>;
  /** Undefined if there is no such app. */
  update(id: number, change: AppChange, nowMs: number): Promise<AppRecord | undefined>;
  setToken(id: number, token: string, nowMs: number): Promise<AppRecord | undefined>;
  toggle(id: number, nowMs: number): Promise<AppRecord | undefined>;
  /** Removes an app with its queue and everything in it; false if there is no such app. */
  remove(id: number, nowMs: number): Promise<boolean>;
}

export function createAppRepository(engine: Engine, vault: Vault): AppRepository {
  const codec = createAppCodec(vault);
  const { toRecord } = codec;
  const changes = createAppChanges(engine.dialect, codec);
  const lists = createStampedCache<readonly AppRecord[]>({
    engine,
    tables: ['apps'],
    weigh: (apps) => apps.length,
    capacity: 10_000,
  });
  const single = { engine, tables: ['apps'], weigh: () => 1, capacity: 10_000 } as const;
  const byTokenHash = createStampedCache<AppRecord>(single);
  const byNames = createStampedCache<AppRecord>(single);
  const maybe = (row: AppRow | undefined) => row && toRecord(row);

  async function read(where: string, parameters: unknown[]): Promise<AppRecord[]> {
    const rows = await engine.readRaw<AppRow>(
      `select ${appColumns} from apps where ${where} order by name <> '${defaultApp}', id`,
      parameters,
    );
    return rows.map(toRecord);
  }

  return {
    ...createAppActivityRepository(engine),
    list: (botId) =>
      lists.get(String(botId), async () => Object.freeze(await read('bot_id = $1', [botId]))),
    get: async (id) => (await read('id = $1', [id]))[0],
    byName: (botId, name) =>
      byNames.get(`${botId} ${name}`, async () => {
        const [app] = await read('bot_id = $1 and name = $2', [botId, name]);
        return app as AppRecord;
      }),
    byToken: (token) => {
      const tokenHash = secretHash(token);
      return byTokenHash.get(tokenHash, async () => {
        const [app] = await read('token_hash = $1', [tokenHash]);
        return app as AppRecord;
      });
    },
    withBackends: () =>
      engine.readRaw(
        `select bot_id as "botId", name as app from apps
         where mode = 'webhook' and disabled = 0 and name <> $1`,
        [defaultApp],
      ),
    insert: async (app, nowMs) =>
      toRecord(await engine.write(() => changes.insertLight(app, nowMs))),
    update: async (id, change, nowMs) =>
      maybe(await engine.write(() => changes.updateLight(id, change, nowMs))),
    setToken: async (id, token, nowMs) =>
      maybe(await engine.write(() => changes.setToken(id, token, nowMs))),
    toggle: async (id, nowMs) => maybe(await engine.write(() => changes.toggle(id, nowMs))),
    remove: (id, nowMs) => engine.write(() => changes.remove(id, nowMs)),
    insertStep: changes.insert,
    *updateStep(id, change, nowMs) {
      return (yield* changes.update(id, change, nowMs)) !== undefined;
    },
    *setTokenStep(id, token, nowMs) {
      return (yield* changes.setToken(id, token, nowMs)) !== undefined;
    },
    *toggleStep(id, nowMs) {
      return (yield* changes.toggle(id, nowMs)) !== undefined;
    },
    removeStep: changes.remove,
  };
}

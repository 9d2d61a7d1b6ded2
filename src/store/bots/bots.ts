import type { Vault } from '../../core/access/vault.ts';
import type { WebhookOptions, WebhookRemoval } from '../delivery/webhooks.ts';
import type { Engine, Step } from '../engine.ts';
import { deletePortions } from '../sql/delete-portions.ts';
import { wordsOf } from '../sql/dialect.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import { countedTables } from '../stats/stats-moves.ts';
import { createBotChanges, type NewBot, type PlatformIdentity, tokenTaken } from './bot-changes.ts';
import { type BotPatch, type BotRecord, type BotRow, createBotCodec } from './bot-rows.ts';
import { removeBot } from './remove-bot.ts';

export type { NewBot } from './bot-changes.ts';
export type { BotPatch, BotRecord, BotSource } from './bot-rows.ts';

export interface BotRepository {
  get(id: number): Promise<BotRecord | undefined>;
  byToken(token: string): Promise<BotRecord | undefined>;
  /**
   * Lists all bots, or those named, by ID. The list is frozen, because the same one is returned
   * until a change.
   */
  list(ids?: readonly number[] | null): Promise<BotRecord[]>;
  /**
   * Throws token_taken if the token is registered already, bot_exists if its bot is registered with
   * another token.
   */
  insert(bot: NewBot, now: number): Promise<BotRecord>;
  /** Parts of a larger transaction; call `prepareUpdate` before it. */
  insertStep(bot: NewBot, now: number): Step<{ id: number }>;
  updateStep(id: number, patch: BotPatch, now: number): Step<boolean>;
  prepareUpdate(id: number, patch: BotPatch): Promise<void>;
  /**
   * Returns undefined if there is no such bot. The choices of setWebhook belong to one backend: a
   * new `backend_url` brings its own `webhook`, or none. With `webhook` the queue is handed over
   * between push and the unnamed consumer.
   */
  update(
    id: number,
    patch: BotPatch,
    now: number,
    webhook?: WebhookOptions | WebhookRemoval,
  ): Promise<BotRecord | undefined>;
  /**
   * Stores the identity that the platform reports, if it was not known. Returns true if it was not.
   */
  identify(id: number, identity: PlatformIdentity, now: number): Promise<boolean>;
  /** Flips `disabled`; undefined if there is no such bot. */
  toggle(id: number, now: number): Promise<BotRecord | undefined>;
  /** Deletes the bot and everything that belongs to it; false if there is no such bot. */
  remove(id: number): Promise<boolean>;
}

// The deadline is long because enabling management recounts everything of the bot.
const deadlineMs = 60_000;

export function createBotRepository(engine: Engine, vault: Vault): BotRepository {
  const codec = createBotCodec(vault);
  const { toRecord, tokenHash } = codec;
  const changes = createBotChanges(engine.dialect, codec);
  const lists = createStampedCache<BotRecord[]>({
    engine,
    tables: ['bots'],
    weigh: () => 1,
    capacity: 1,
  });
  const { isIn, list } = wordsOf[engine.dialect];

  async function read(where: string, parameters: readonly unknown[]): Promise<BotRecord[]> {
    const rows = await engine.readRaw<BotRow>(
      `select * from bots ${where} order by id`,
      parameters,
    );
    return Object.freeze(rows.map((row) => Object.freeze(toRecord(row)))) as BotRecord[];
  }
  const maybe = (row: BotRow | undefined) => (row ? toRecord(row) : undefined);

  async function readOne(column: 'id' | 'token_hash', value: unknown) {
    const [row] = await engine.readRaw<BotRow>(`select * from bots where ${column} = $1`, [value]);
    return maybe(row);
  }

  /**
   * Enabling management rebuilds old counts; most of them are deleted here, outside the request's
   * transaction.
   */
  async function prepareUpdate(id: number, patch: BotPatch): Promise<void> {
    if (patch.manage_enabled) {
      await deletePortions(engine, countedTables, id, 'manage_enabled = 0');
    }
  }

  return {
    get: (id) => readOne('id', id),
    byToken: (token) => readOne('token_hash', tokenHash(token)),
    async list(ids) {
      if (!ids) return lists.get('all', () => read('', []));
      return ids.length === 0 ? [] : read(`where ${isIn('id', '$1')}`, [list(ids)]);
    },
    insert: async (bot, now) => toRecord(await engine.write(() => changes.insert(bot, now))),
    insertStep: changes.insert,
    *updateStep(id, patch, now) {
      return (yield* changes.update(id, patch, now)) !== undefined;
    },
    prepareUpdate,
    async update(id, patch, now, webhook) {
      await prepareUpdate(id, patch);
      try {
        return maybe(
          await engine.write(() => changes.update(id, patch, now, webhook), { deadlineMs }),
        );
      } catch (error) {
        // Two nodes took the same token at the same moment.
        if ((error as { code?: string }).code === '23505') throw tokenTaken(undefined);
        throw error;
      }
    },
    identify: (id, identity, now) => engine.write(() => changes.identify(id, identity, now)),
    toggle: async (id, now) => maybe(await engine.write(() => changes.toggle(id, now))),
    remove: (id) => removeBot(engine, id),
  };
}

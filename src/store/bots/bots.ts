import { reason } from '../../core/reasons/reason.ts';
import {
  type BotSettingName,
  type BotSettings,
  type BotSwitch,
  botSwitches,
  defaultBotSettings,
  type PlainBotSetting,
  plainBotTexts,
  type SealedBotColumn,
  sealedBotSettings,
} from '../../core/bots/bot-settings.ts';
import { platformIdOf } from '../../core/bots/bot-token.ts';
import type { Vault } from '../../core/access/vault.ts';
import { RelayError } from '../../errors.ts';
import { addDefaultApp, appsChanged } from '../apps/app-steps.ts';
import { forgetBackendHealth } from '../delivery/backend-health.ts';
import { deletePortions } from '../sql/delete-portions.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { findOrMakeReader } from '../log/log.ts';
import { markSeenBefore } from '../log/seen-updates.ts';
import { removeBot } from './remove-bot.ts';
import { openRoutingReader } from '../routing/routing.ts';
import { createSealedCache } from '../access/sealed-cache.ts';
import { countedTables } from '../stats/stats-moves.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import { takeLock, wordsOf } from '../sql/dialect.ts';
import { insertInto, updateRow } from '../sql/write-row.ts';
import {
  dismissWebhook,
  endWebhook,
  removeWebhook,
  saveWebhook,
  type WebhookOptions,
  type WebhookRemoval,
} from '../delivery/webhooks.ts';
import { pullReader, pushReader } from '../../core/log/reader-kinds.ts';

export type BotSource = 'cli' | 'web';

/** A registered bot with its secrets in plain text: never return it to a client unchanged. */
export interface BotRecord extends BotSettings {
  id: number;
  platform_id: number;
  token: string;
  username: string;
  source: BotSource;
  disabled: boolean;
  created_at: number;
  updated_at: number;
}

export type NewBot = Pick<BotRecord, 'token' | 'source'> &
  Partial<Omit<BotRecord, 'id' | 'token' | 'source' | 'created_at' | 'updated_at'>> & {
    /** The first update that nobody has handled yet; earlier ones count as seen. */
    nextUpdateId?: number;
  };
export type BotPatch = Partial<Omit<BotRecord, 'id' | 'source' | 'created_at' | 'updated_at'>>;

/** The identity of a bot on the platform. */
export interface PlatformIdentity {
  platformId: number;
  username: string;
  /** The name for a bot that has none here. */
  name: string;
}

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

/** One column per setting. Booleans are 0 and 1. */
type Row = {
  [Name in PlainBotSetting]: Name extends BotSwitch ? number : string;
} & Record<SealedBotColumn, string> & {
    id: number;
    platform_id: number;
    token_hash: string;
    token_sealed: string;
    username: string;
    source: string;
    disabled: number;
    created_at: number;
    updated_at: number;
  };

// Any number works, as long as no other program locks the same one in this database.
const addingLock = 724_178_234;
// The deadline is long because enabling management recounts everything of the bot.
const deadlineMs = 60_000;

export function createBotRepository(engine: Engine, vault: Vault): BotRepository {
  const opened = createSealedCache(vault);
  const lists = createStampedCache<BotRecord[]>({
    engine,
    tables: ['bots'],
    weigh: () => 1,
    capacity: 1,
  });
  const { dialect } = engine;
  const { isIn, list } = wordsOf[dialect];
  function* idOfToken(token: string): Step<number | undefined> {
    const [row] = yield* raw<{ id: number }>('select id from bots where token_hash = $1', [
      vault.lookupHash(token),
    ]);
    return row?.id;
  }

  function toRecord(row: Row): BotRecord {
    const { id, platform_id, username, created_at, updated_at } = row;
    return {
      id,
      platform_id,
      username,
      created_at,
      updated_at,
      ...settingsOf(row),
      source: row.source as BotSource,
      token: opened.open(row.token_sealed, tokenContext(id)),
      disabled: row.disabled === 1,
    };
  }

  function settingsOf(row: Row): BotSettings {
    const settings: Partial<Record<BotSettingName, boolean | string>> = {};
    for (const name of botSwitches) settings[name] = row[name] === 1;
    for (const name of plainBotTexts) settings[name] = row[name];
    for (const { name, column, context, wasPlain } of sealedBotSettings) {
      const isPlain = wasPlain && vault.keyIdOf(row[column]) === undefined;
      settings[name] = isPlain
        ? row[column]
        : opened.open(row[column], settingContext(row.id, context));
    }
    return settings as BotSettings;
  }

  async function read(where: string, parameters: readonly unknown[]): Promise<BotRecord[]> {
    const rows = await engine.readRaw<Row>(`select * from bots ${where} order by id`, parameters);
    return Object.freeze(rows.map((row) => Object.freeze(toRecord(row)))) as BotRecord[];
  }
  const maybe = (row: Row | undefined) => (row ? toRecord(row) : undefined);

  function sealed(id: number, { token, ...bot }: BotPatch): Partial<Row> {
    const set: Partial<Row> = {};
    if (token !== undefined) {
      set.token_hash = vault.lookupHash(token);
      set.token_sealed = vault.seal(token, tokenContext(id));
    }
    for (const { name, column, context } of sealedBotSettings) {
      const value = bot[name];
      if (value !== undefined) set[column] = vault.seal(value, settingContext(id, context));
    }
    return set;
  }

  /**
   * This is no unique index, because a database of an earlier version may have two bots with one
   * ID.
   */
  function* requireNewId(token: string, platformId: number): Step<void> {
    const lock = [addingLock, platformId % 2 ** 31];
    yield* takeLock(dialect, 'select pg_advisory_xact_lock($1::int, $2::int)', lock);
    const others = yield* raw<{ id: number; token_hash: string }>(
      'select id, token_hash from bots where platform_id = $1 order by id',
      [platformId],
    );
    const tokenHash = vault.lookupHash(token);
    const holder = others.find((other) => other.token_hash === tokenHash);
    if (holder) throw tokenTaken(holder.id);
    // The bot that was added last most likely has the latest valid token.
    const other = others.at(-1);
    if (other) throw botExists(other.id, platformId);
  }

  function* insert({ nextUpdateId = 0, ...bot }: NewBot, now: number): Step<Row> {
    const settings = { ...defaultBotSettings, ...bot };
    const platformId = bot.platform_id ?? platformIdOf(bot.token);
    yield* requireNewId(bot.token, platformId);
    // The seals are bound to the row's ID, so they are set once it is known.
    const fresh = {
      ...columns(settings),
      ...unsealed,
      platform_id: platformId,
      source: bot.source,
      token_hash: vault.lookupHash(bot.token),
      token_sealed: '',
      username: bot.username ?? '',
      disabled: flag(bot.disabled),
      created_at: now,
      updated_at: now,
    };
    const [added] = yield* insertInto<{ id: number }>(
      'bots',
      fresh,
      'on conflict (token_hash) do nothing returning id',
    );
    if (!added) throw tokenTaken(yield* idOfToken(bot.token));
    const row = yield* updateRow<Row>('bots', added.id, sealed(added.id, settings));
    yield* addDefaultApp(added.id, now);
    yield* markSeenBefore(added.id, nextUpdateId, now);
    // The readers are opened in the same transaction: another node may take the bot, and store its
    // first update, at once.
    yield* openPushReader(row as Row, now);
    if (bot.long_poll_enabled) yield* findOrMakeReader(added.id, pullReader, now);
    if (bot.llm_routing_enabled) yield* openRoutingReader(added.id, now);
    return row as Row;
  }

  function* update(
    id: number,
    patch: BotPatch,
    now: number,
    webhook: WebhookOptions | WebhookRemoval | undefined,
  ): Step<Row | undefined> {
    if (patch.token !== undefined) {
      const holder = yield* idOfToken(patch.token);
      if (holder !== undefined && holder !== id) throw tokenTaken(holder);
    }
    if (patch.backend_url !== undefined) {
      // The row is locked, so that of two concurrent changes the second sees who has the queue.
      yield* takeLock(dialect, 'select 1 from bots where id = $1 for no key update', [id]);
      const [before] = yield* raw<Row>('select * from bots where id = $1', [id]);
      if (!before) return undefined;
      const url = settingsOf(before).backend_url;
      const wasForwarding = before.proxy_enabled === 1 && url !== '';
      const context = { reader: pushReader, dialect, wasForwarding, nowMs: now };
      if (webhook && 'isRemoved' in webhook) yield* dismissWebhook(id, webhook, context);
      else if (webhook) yield* saveWebhook(id, webhook, context);
      else if (url !== patch.backend_url) {
        const isOn = patch.proxy_enabled ?? before.proxy_enabled === 1;
        yield* isOn && patch.backend_url !== ''
          ? removeWebhook(id, pushReader)
          : endWebhook(id, context);
      }
      if (url !== patch.backend_url) yield* forgetBackendHealth(id, pushReader);
    }
    const changed = { ...columns(patch), ...sealed(id, patch), updated_at: now };
    const row = yield* updateRow<Row>('bots', id, changed);
    if (row) yield* openPushReader(row, now);
    // Commands name the bot that they are for, so the claims of apps depend on the username.
    if (row && patch.username !== undefined) yield* appsChanged(id, now);
    return row;
  }

  async function readOne(column: 'id' | 'token_hash', value: unknown) {
    const [row] = await engine.readRaw<Row>(`select * from bots where ${column} = $1`, [value]);
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

  /**
   * Opens the reader in the transaction that makes a bot forward: the node that runs it may store
   * an update at once.
   */
  function* openPushReader(row: Row, now: number): Step<void> {
    if (row.proxy_enabled === 1 && row.disabled === 0 && settingsOf(row).backend_url !== '') {
      yield* findOrMakeReader(row.id, pushReader, now);
    }
  }

  return {
    get: (id) => readOne('id', id),
    byToken: (token) => readOne('token_hash', vault.lookupHash(token)),
    async list(ids) {
      if (!ids) return lists.get('all', () => read('', []));
      return ids.length === 0 ? [] : read(`where ${isIn('id', '$1')}`, [list(ids)]);
    },
    insert: async (bot, now) => toRecord(await engine.write(() => insert(bot, now))),
    insertStep: insert,
    *updateStep(id, patch, now) {
      return (yield* update(id, patch, now, undefined)) !== undefined;
    },
    prepareUpdate,
    async update(id, patch, now, webhook) {
      await prepareUpdate(id, patch);
      try {
        return maybe(await engine.write(() => update(id, patch, now, webhook), { deadlineMs }));
      } catch (error) {
        // Two nodes took the same token at the same moment.
        if ((error as { code?: string }).code === '23505') throw tokenTaken(undefined);
        throw error;
      }
    },
    identify: (id, { platformId, username, name }, now) =>
      engine.write(function* () {
        const changed = yield* raw(
          `update bots set username = $1, platform_id = $2, updated_at = $3,
             name = case when name = '' then $4 else name end
           where id = $5 and username = '' returning id`,
          [username, platformId, now, name, id],
        );
        // Commands name the bot that they are for, so the claims of apps depend on the username.
        if (changed.length > 0) yield* appsChanged(id, now);
        return changed.length > 0;
      }),
    toggle: async (id, now) =>
      maybe(
        await engine.write(function* () {
          const [row] = yield* raw<Row>(
            'update bots set disabled = 1 - disabled, updated_at = $1 where id = $2 returning *',
            [now, id],
          );
          if (row) yield* openPushReader(row, now);
          return row;
        }),
      ),
    remove: (id) => removeBot(engine, id),
  };
}

const tokenContext = (id: number) => `bots:${id}:token`;
const settingContext = (id: number, context: string) => `bots:${id}:${context}`;
/** The values until the ID of a new bot is known. */
const unsealed = Object.fromEntries(sealedBotSettings.map(({ column }) => [column, ''])) as Pick<
  Row,
  SealedBotColumn
>;

function flag(value: boolean | undefined): number {
  return value ? 1 : 0;
}

/** Returns the columns of a patch that are stored unchanged. */
function columns({ token: _token, ...patch }: BotPatch): Partial<Row> {
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || sealedBotSettings.some((sealed) => sealed.name === name)) continue;
    set[name] = typeof value === 'boolean' ? flag(value) : value;
  }
  return set as Partial<Row>;
}

function botExists(id: number, platformId: number): RelayError {
  return new RelayError(
    'bot_exists',
    reason('bot_exists', { bot_id: id, platform_id: platformId }),
    {
      details: [{ field: 'token', problem: reason('registered_already'), id }],
    },
  );
}

export function tokenTaken(id: number | undefined): RelayError {
  return new RelayError('token_taken', reason('token_taken', { bot_id: id ?? null }), {
    details: [
      {
        field: 'token',
        problem: reason('registered_already'),
        ...(id === undefined ? {} : { id }),
      },
    ],
  });
}

/*
 * Stores the apps of a bot: their tokens, what each one receives and where its queue is.
 *
 * Invariants: a change takes effect for every update stored after it; an app has one queue, read by
 * its push reader or its consumer, and a change of its mode hands over what waits.
 */
import {
  type AppMode,
  type AppRecord,
  type AppSettings,
  defaultApp,
  mostApps,
} from '../../core/apps/app.ts';
import { type AppFilter, sharedProblem } from '../../core/apps/app-filter.ts';
import { secretHash, type Vault } from '../../core/access/vault.ts';
import { readerOf } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import { createSealedCache } from '../access/sealed-cache.ts';
import { forgetBackendHealth } from '../delivery/backend-health.ts';
import { handToPull, handToPush } from '../delivery/hand-over-queue.ts';
import {
  allowedUpdatesHistoryFor,
  disownWebhook,
  removeWebhook,
  saveWebhook,
  type WebhookOptions,
} from '../delivery/webhooks.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { findOrMakeReader } from '../log/log.ts';
import { readersBehind } from '../log/readers-behind.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import { type AppRow, appColumns, appFromRow, readFilter, storedFilter } from './app-rows.ts';
import { appsChanged, removeReadersOf, renewReader } from './app-steps.ts';

export interface AppActivity {
  last_seen_at: number;
  /** The number of messages it sent. */
  sent: number;
  /** The number of calls that Telegram answered with 429. */
  rate_limited: number;
  rate_limited_at: number;
  /** The wait in seconds that Telegram asked for last. */
  retry_after: number;
}

export interface SeenApp {
  botId: number;
  /** 0 for the default app. */
  appId: number;
  at: number;
  sent: number;
  /** The calls that Telegram answered with 429. */
  rateLimited?: {
    count: number;
    at: number;
    /** 0 if the chat is not known, or if there are several. */
    chatId: number;
    retryAfterSeconds: number;
  };
}

/** Refusals further apart than this belong to different spells. */
export const rateLimitedSpellMs = 5 * 60_000;

/** A change of an app, also by setWebhook or deleteWebhook. */
export interface AppChange {
  patch: Partial<AppSettings>;
  /** The options of a webhook; if left out, its earlier ones stay. */
  options?: WebhookOptions;
  /** Drops what waits. */
  dropsPending?: boolean;
}

export interface AppTotals {
  botId: number;
  app: string;
  /** The number of updates that it has not finished; 0 while it is disabled. */
  behind: number;
  dropped: number;
  deadLetters: number;
  sent: number;
  rateLimited: number;
}

export interface NewApp extends AppChange {
  botId: number;
  name: string;
  /** '' if it has no token. */
  token: string;
  settings: AppSettings;
}

export interface AppRepository {
  /** Lists the default app first, then the others in the order in which they were added; frozen. */
  list(botId: number): Promise<readonly AppRecord[]>;
  get(id: number): Promise<AppRecord | undefined>;
  byName(botId: number, name: string): Promise<AppRecord | undefined>;
  byToken(token: string): Promise<AppRecord | undefined>;
  /** Lists apps that somebody added, over all bots, at most `most`. */
  totals(most?: number): Promise<AppTotals[]>;
  /** Lists enabled apps of all bots in the mode webhook. */
  withBackends(): Promise<{ botId: number; app: string }[]>;
  /** Returns the activity by app. */
  activity(botId: number): Promise<ReadonlyMap<number, AppActivity>>;
  /** Adds up what apps did. */
  recordActivity(seen: readonly SeenApp[]): Promise<void>;
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

const activityColumns = {
  bot: 'bigint',
  app: 'bigint',
  at: 'bigint',
  made: 'bigint',
  limited: 'bigint',
  limited_at: 'bigint',
  limited_chat: 'bigint',
  wait: 'bigint',
} as const;

/** The rows come in one order, so that nodes that write at the same moment cannot deadlock. */
const addActivity = (dialect: DialectName) => {
  const kept = (name: string, otherwise = `excluded.${name}`) =>
    `${name} = case when excluded.rate_limited = 0 then app_activity.${name} else ${otherwise} end`;
  const inSpell = (of: string, otherwise: string) =>
    `case when excluded.rate_limited_at - app_activity.rate_limited_at > ${rateLimitedSpellMs}
      then ${otherwise} else ${of} end`;
  // At most one entry of an app reports refusals, so its sums are the values of that entry.
  return `insert into app_activity (app_id, last_seen_at, sent, rate_limited, rate_limited_lately,
      rate_limited_at, rate_limited_chat, retry_after)
    select apps.id, max(at), sum(made), sum(limited), sum(limited), sum(limited_at),
      sum(limited_chat), sum(wait)
    from (${wordsOf[dialect].rows(activityColumns, 1)}) as seen join apps on apps.bot_id = seen.bot
      and (apps.id = app or (app = 0 and apps.name = '${defaultApp}'))
    where true group by apps.id order by apps.id
    on conflict (app_id) do update set sent = app_activity.sent + excluded.sent,
      rate_limited = app_activity.rate_limited + excluded.rate_limited,
      ${kept(
        'rate_limited_lately',
        inSpell(
          'app_activity.rate_limited_lately + excluded.rate_limited_lately',
          'excluded.rate_limited_lately',
        ),
      )},
      ${kept(
        'rate_limited_chat',
        inSpell(
          `case when app_activity.rate_limited_chat = excluded.rate_limited_chat
            then excluded.rate_limited_chat else 0 end`,
          'excluded.rate_limited_chat',
        ),
      )},
      ${kept('rate_limited_at')}, ${kept('retry_after')},
      last_seen_at = case when app_activity.last_seen_at > excluded.last_seen_at
        then app_activity.last_seen_at else excluded.last_seen_at end`;
};

export function createAppRepository(engine: Engine, vault: Vault): AppRepository {
  const { dialect } = engine;
  const opened = createSealedCache(vault);
  const forUpdate = wordsOf[dialect].lock('for update');
  const lists = createStampedCache<readonly AppRecord[]>({
    engine,
    tables: ['apps'],
    weigh: (apps) => apps.length,
    capacity: 10_000,
  });
  const single = { engine, tables: ['apps'], weigh: () => 1, capacity: 10_000 } as const;
  const byTokenHash = createStampedCache<AppRecord>(single);
  const byNames = createStampedCache<AppRecord>(single);

  const addressContext = (id: number) => `apps:${id}:backend_url`;
  const secretContext = (id: number) => `apps:${id}:secret`;
  function toRecord(row: AppRow): AppRecord {
    return Object.freeze({
      ...appFromRow(row),
      backend_url: opened.open(row.backend_url, addressContext(row.id)),
      secret_token: opened.open(row.secret_sealed, secretContext(row.id)),
    });
  }
  const maybe = (row: AppRow | undefined) => row && toRecord(row);

  async function read(where: string, parameters: unknown[]): Promise<AppRecord[]> {
    const rows = await engine.readRaw<AppRow>(
      `select ${appColumns} from apps where ${where} order by name <> '${defaultApp}', id`,
      parameters,
    );
    return rows.map(toRecord);
  }

  /**
   * Locks an app after its bot and the end of the log, in the order of an append; undefined if
   * there is none.
   */
  function* lockToChange(id: number, nowMs: number): Step<AppRow | undefined> {
    const [app] = yield* raw<{ bot_id: number }>('select bot_id from apps where id = $1', [id]);
    if (!app || !(yield* appsChanged(app.bot_id, nowMs))) return undefined;
    const [row] = yield* raw<AppRow>(`select ${appColumns} from apps where id = $1 ${forUpdate}`, [
      id,
    ]);
    return row;
  }

  function* write(
    id: number,
    settings: AppSettings & Pick<AppRecord, 'formerChats'>,
    nowMs: number,
  ): Step<AppRow> {
    const [row] = yield* raw<AppRow>(
      `update apps set mode = $1, backend_url = $2, secret_sealed = $3, filter = $4, exclusive = $5,
         priority = $6, own_replies = $7, methods = $8, updated_at = $9
       where id = $10 returning ${appColumns}`,
      [
        settings.mode,
        vault.seal(settings.backend_url, addressContext(id)),
        vault.seal(settings.secret_token, secretContext(id)),
        storedFilter(settings),
        settings.exclusive ? 1 : 0,
        settings.priority,
        settings.own_replies ? 1 : 0,
        JSON.stringify(settings.methods),
        nowMs,
        id,
      ],
    );
    return row as AppRow;
  }

  function* insert({ botId, name, token, settings, options }: NewApp, nowMs: number): Step<AppRow> {
    // This locks the end of the log, so that of two concurrent inserts the second counts the first.
    if (!(yield* appsChanged(botId, nowMs))) {
      throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: botId }));
    }
    const others = yield* raw<{ name: string }>(
      'select name from apps where bot_id = $1 and name <> $2',
      [botId, defaultApp],
    );
    if (others.some((other) => other.name === name)) {
      throw new RelayError('app_exists', reason('app_name_taken', { bot_id: botId, name }));
    }
    if (others.length >= mostApps) {
      throw new RelayError('too_many_apps', reason('too_many_apps', { most: mostApps }));
    }
    const [added] = yield* raw<{ id: number }>(
      `insert into apps (bot_id, name, token_hash, created_at, updated_at)
       values ($1, $2, $3, $4, $4) returning id`,
      [botId, name, token === '' ? null : secretHash(token), nowMs],
    );
    const row = yield* write((added as { id: number }).id, settings, nowMs);
    yield* openQueue(row, nowMs);
    if (options && settings.mode === 'webhook') {
      yield* saveWebhook(botId, options, {
        reader: readerOf('push', name),
        dialect,
        wasForwarding: true,
        nowMs,
      });
    }
    return row;
  }

  /** Opens the queue of an app, so that updates from then on wait for it. */
  function* openQueue({ bot_id: botId, name, mode }: AppRow, nowMs: number): Step<void> {
    if (mode === 'send') return;
    const reader = readerOf(mode === 'webhook' ? 'push' : 'pull', name);
    yield* findOrMakeReader(botId, reader, nowMs);
    yield* renewReader(botId, reader);
  }

  /**
   * Checks the filters of a bot, because all bots share the time that they take. Apps that only
   * send count, too.
   */
  function* requireLight(botId: number, filter: AppFilter, before?: AppFilter): Step<void> {
    if (!filter.regex && !filter.keywords?.length) return;
    const all = yield* raw<{ filter: string }>('select filter from apps where bot_id = $1', [
      botId,
    ]);
    const filters = all.map((row) => readFilter(row.filter).filter);
    const tooMuch = sharedProblem(filters, filter, before);
    if (tooMuch) throw invalidField(`filter.${tooMuch.field}`, tooMuch.problem);
  }

  /**
   * Checks the weight under the lock of the bot, so that two concurrent changes cannot both use the
   * last room.
   */
  function* insertLight(app: NewApp, nowMs: number): Step<AppRow> {
    const row = yield* insert(app, nowMs);
    yield* requireLight(app.botId, app.settings.filter);
    return row;
  }

  function* updateLight(id: number, change: AppChange, nowMs: number): Step<AppRow | undefined> {
    const updated = yield* update(id, change, nowMs);
    if (!updated) return undefined;
    const { before, row } = updated;
    yield* requireLight(row.bot_id, change.patch.filter ?? {}, before.filter);
    return row;
  }

  function* update(
    id: number,
    { patch, options, dropsPending = false }: AppChange,
    nowMs: number,
  ): Step<{ before: AppRecord; row: AppRow } | undefined> {
    const locked = yield* lockToChange(id, nowMs);
    if (!locked) return undefined;
    const before = toRecord(locked);
    const after = { ...before, ...patch };
    // This is checked here, too, because what was read before the lock may have changed.
    if (after.mode === 'webhook' && after.backend_url === '') {
      throw invalidField('backend_url', reason('app_backend_needed'));
    }
    yield* changeMode(before, after.mode, { options, dropsPending, nowMs });
    if (before.backend_url !== after.backend_url) {
      const reader = readerOf('push', before.name);
      yield* forgetBackendHealth(before.bot_id, reader);
      if (!options?.isSelfSet) yield* disownWebhook(before.bot_id, reader);
    }
    return { before, row: yield* write(id, after, nowMs) };
  }

  /** Hands the queue to the reader of the new mode, which continues where the other one was. */
  function* changeMode(
    { bot_id: botId, name, mode: from }: AppRecord,
    to: AppMode,
    {
      options,
      dropsPending,
      nowMs,
    }: { options: WebhookOptions | undefined; dropsPending: boolean; nowMs: number },
  ): Step<void> {
    const reader = readerOf('push', name);
    const context = { dialect, nowMs, dropsPending };
    if (to === 'webhook') {
      // An app that received nothing has no queue, so it begins at the log's end.
      if (from === 'send') yield* findOrMakeReader(botId, reader, nowMs);
      const wasForwarding = from !== 'poll';
      if (options) {
        const asked = { ...options, dropsPending };
        yield* saveWebhook(botId, asked, { reader, dialect, wasForwarding, nowMs });
      } else if (!wasForwarding) yield* handToPush(botId, reader, context);
      yield* findOrMakeReader(botId, reader, nowMs);
      if (from !== 'webhook') yield* renewReader(botId, reader);
    } else if (to === 'poll') {
      if (from === 'webhook') {
        const history = yield* allowedUpdatesHistoryFor(botId, reader);
        yield* handToPull(botId, reader, history, context);
        yield* removeWebhook(botId, reader);
        yield* raw('delete from readers where bot_id = $1 and name = $2', [botId, reader]);
      }
      yield* findOrMakeReader(botId, readerOf('pull', name), nowMs);
    } else if (from !== 'send') yield* removeReadersOf(botId, name, 'keep history');
  }

  function* setToken(id: number, token: string, nowMs: number): Step<AppRow | undefined> {
    const [row] = yield* raw<AppRow>(
      `update apps set token_hash = $1, updated_at = $2 where id = $3 returning ${appColumns}`,
      [secretHash(token), nowMs, id],
    );
    return row;
  }

  function* toggle(id: number, nowMs: number): Step<AppRow | undefined> {
    const before = yield* lockToChange(id, nowMs);
    if (!before) return undefined;
    const [row] = yield* raw<AppRow>(
      `update apps set disabled = 1 - disabled, updated_at = $1 where id = $2
       returning ${appColumns}`,
      [nowMs, id],
    );
    return row;
  }

  function* remove(id: number, nowMs: number): Step<boolean> {
    const app = yield* lockToChange(id, nowMs);
    if (!app) return false;
    yield* removeReadersOf(app.bot_id, app.name, 'remove history');
    yield* raw('delete from apps where id = $1', [id]);
    return true;
  }

  return {
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
    async totals(most = 1_000) {
      const rows = await engine.readHeavy<Omit<AppTotals, 'behind'> & { reader: string }>(
        `select a.bot_id as "botId", a.name as app, coalesce(t.sent, 0) as sent,
           coalesce(t.rate_limited, 0) as "rateLimited",
           coalesce(r.dropped, 0) as dropped, coalesce(r.name, '') as reader,
           (select count(*) from dead_letters d
             where d.bot_id = a.bot_id and d.reader = 'push:' || a.name) as "deadLetters"
         from apps a left join app_activity t on t.app_id = a.id
           left join readers r on r.bot_id = a.bot_id and r.name
             = case a.mode when 'webhook' then 'push:' else 'pull:' end || a.name
         where a.name <> $1 and a.token_hash is not null order by a.id limit $2`,
        [defaultApp, most],
      );
      const listed = rows.length === 0 ? [] : await readersBehind(engine);
      const behind = new Map(listed.map((one) => [`${one.botId} ${one.name}`, one.behind]));
      return rows.map(({ reader, ...row }) => ({
        ...row,
        sent: Number(row.sent),
        rateLimited: Number(row.rateLimited),
        dropped: Number(row.dropped),
        behind: behind.get(`${row.botId} ${reader}`) ?? 0,
        deadLetters: Number(row.deadLetters),
      }));
    },
    withBackends: () =>
      engine.readRaw(
        `select bot_id as "botId", name as app from apps
         where mode = 'webhook' and disabled = 0 and name <> $1`,
        [defaultApp],
      ),
    async activity(botId) {
      const rows = await engine.readRaw<AppActivity & { app_id: number }>(
        `select app_id, last_seen_at, sent, rate_limited, rate_limited_at, retry_after
         from app_activity
         where app_id in (select id from apps where bot_id = $1)`,
        [botId],
      );
      return new Map(rows.map(({ app_id, ...activity }) => [app_id, activity]));
    },
    async recordActivity(seen) {
      const rows = seen.map(({ botId, appId, at, sent, rateLimited: limited }) => {
        const refused = limited
          ? [limited.count, limited.at, limited.chatId, limited.retryAfterSeconds]
          : [0, 0, 0, 0];
        return [botId, appId, at, sent, ...refused];
      });
      const parameters = wordsOf[dialect].rowParameters(activityColumns, rows);
      await engine.write(() => raw(addActivity(dialect), parameters), { isApproximate: true });
    },
    insert: async (app, nowMs) => toRecord(await engine.write(() => insertLight(app, nowMs))),
    update: async (id, change, nowMs) =>
      maybe(await engine.write(() => updateLight(id, change, nowMs))),
    setToken: async (id, token, nowMs) =>
      maybe(await engine.write(() => setToken(id, token, nowMs))),
    toggle: async (id, nowMs) => maybe(await engine.write(() => toggle(id, nowMs))),
    remove: (id, nowMs) => engine.write(() => remove(id, nowMs)),
    insertStep: insert,
    *updateStep(id, change, nowMs) {
      return (yield* update(id, change, nowMs)) !== undefined;
    },
    *setTokenStep(id, token, nowMs) {
      return (yield* setToken(id, token, nowMs)) !== undefined;
    },
    *toggleStep(id, nowMs) {
      return (yield* toggle(id, nowMs)) !== undefined;
    },
    removeStep: remove,
  };
}

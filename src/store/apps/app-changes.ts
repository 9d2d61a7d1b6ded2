/*
 * The steps that change apps; each is part of a transaction.
 *
 * Invariant: a change takes effect for every update stored after it.
 */
import { type AppRecord, type AppSettings, defaultApp, mostApps } from '../../core/apps/app.ts';
import { type AppFilter, sharedProblem } from '../../core/apps/app-filter.ts';
import { secretHash } from '../../core/access/vault.ts';
import { readerOf } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import { forgetBackendHealth } from '../delivery/backend-health.ts';
import { disownWebhook, saveWebhook, type WebhookOptions } from '../delivery/webhooks.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { changeMode, openQueue, removeReadersOf } from './app-queues.ts';
import { type AppCodec, type AppRow, appColumns, readFilter } from './app-rows.ts';
import { appsChanged } from './app-steps.ts';

/** A change of an app, also by setWebhook or deleteWebhook. */
export interface AppChange {
  patch: Partial<AppSettings>;
  /** The options of a webhook; if left out, its earlier ones stay. */
  options?: WebhookOptions;
  /** Drops what waits. */
  dropsPending?: boolean;
}

export interface NewApp extends AppChange {
  botId: number;
  name: string;
  /** '' if it has no token. */
  token: string;
  settings: AppSettings;
}

export interface AppChanges {
  insert(app: NewApp, nowMs: number): Step<AppRow>;
  /** This and `updateLight` also check the weight of all filters of the bot. */
  insertLight(app: NewApp, nowMs: number): Step<AppRow>;
  update(id: number, change: AppChange, nowMs: number): Step<UpdatedApp | undefined>;
  updateLight(id: number, change: AppChange, nowMs: number): Step<AppRow | undefined>;
  setToken(id: number, token: string, nowMs: number): Step<AppRow | undefined>;
  toggle(id: number, nowMs: number): Step<AppRow | undefined>;
  remove(id: number, nowMs: number): Step<boolean>;
}

interface UpdatedApp {
  before: AppRecord;
  row: AppRow;
}

export function createAppChanges(dialect: DialectName, codec: AppCodec): AppChanges {
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
    const row = yield* codec.write((added as { id: number }).id, settings, nowMs);
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
  ): Step<UpdatedApp | undefined> {
    const locked = yield* lockToChange(dialect, id, nowMs);
    if (!locked) return undefined;
    const before = codec.toRecord(locked);
    const after = { ...before, ...patch };
    // This is checked here, too, because what was read before the lock may have changed.
    if (after.mode === 'webhook' && after.backend_url === '') {
      throw invalidField('backend_url', reason('app_backend_needed'));
    }
    yield* changeMode(before, after.mode, { dialect, options, dropsPending, nowMs });
    if (before.backend_url !== after.backend_url) {
      const reader = readerOf('push', before.name);
      yield* forgetBackendHealth(before.bot_id, reader);
      if (!options?.isSelfSet) yield* disownWebhook(before.bot_id, reader);
    }
    return { before, row: yield* codec.write(id, after, nowMs) };
  }

  function* toggle(id: number, nowMs: number): Step<AppRow | undefined> {
    const before = yield* lockToChange(dialect, id, nowMs);
    if (!before) return undefined;
    const [row] = yield* raw<AppRow>(
      `update apps set disabled = 1 - disabled, updated_at = $1 where id = $2
       returning ${appColumns}`,
      [nowMs, id],
    );
    return row;
  }

  function* remove(id: number, nowMs: number): Step<boolean> {
    const app = yield* lockToChange(dialect, id, nowMs);
    if (!app) return false;
    yield* removeReadersOf(app.bot_id, app.name, 'remove history');
    yield* raw('delete from apps where id = $1', [id]);
    return true;
  }

  return { insert, insertLight, update, updateLight, setToken, toggle, remove };
}

/**
 * Locks an app after its bot and the end of the log, in the order of an append; undefined if
 * there is none.
 */
function* lockToChange(dialect: DialectName, id: number, nowMs: number): Step<AppRow | undefined> {
  const [app] = yield* raw<{ bot_id: number }>('select bot_id from apps where id = $1', [id]);
  if (!app || !(yield* appsChanged(app.bot_id, nowMs))) return undefined;
  const [row] = yield* raw<AppRow>(
    `select ${appColumns} from apps where id = $1 ${wordsOf[dialect].lock('for update')}`,
    [id],
  );
  return row;
}

function* setToken(id: number, token: string, nowMs: number): Step<AppRow | undefined> {
  const [row] = yield* raw<AppRow>(
    `update apps set token_hash = $1, updated_at = $2 where id = $3 returning ${appColumns}`,
    [secretHash(token), nowMs, id],
  );
  return row;
}

/**
 * Checks the filters of a bot, because all bots share the time that they take. Apps that only
 * send count, too.
 */
function* requireLight(botId: number, filter: AppFilter, before?: AppFilter): Step<void> {
  if (!filter.regex && !filter.keywords?.length) return;
  const all = yield* raw<{ filter: string }>('select filter from apps where bot_id = $1', [botId]);
  const filters = all.map((row) => readFilter(row.filter).filter);
  const tooMuch = sharedProblem(filters, filter, before);
  if (tooMuch) throw invalidField(`filter.${tooMuch.field}`, tooMuch.problem);
}

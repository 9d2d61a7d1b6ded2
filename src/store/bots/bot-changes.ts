/* The steps that change bots; each is part of a transaction. */
import { defaultBotSettings } from '../../core/bots/bot-settings.ts';
import { platformIdOf } from '../../core/bots/bot-token.ts';
import { pullReader, pushReader } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { addDefaultApp, appsChanged } from '../apps/app-steps.ts';
import { forgetBackendHealth } from '../delivery/backend-health.ts';
import {
  dismissWebhook,
  endWebhook,
  removeWebhook,
  saveWebhook,
  type WebhookOptions,
  type WebhookRemoval,
} from '../delivery/webhooks.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { findOrMakeReader } from '../log/log.ts';
import { markSeenBefore } from '../log/seen-updates.ts';
import { endTopics, joinTopics, splitByTopic } from '../conversations/topic-states.ts';
import { openRoutingReader } from '../routing/routing.ts';
import { takeLock, wordsOf } from '../sql/dialect.ts';
import { insertInto, updateRow } from '../sql/write-row.ts';
import {
  type BotCodec,
  type BotPatch,
  type BotRecord,
  type BotRow,
  columns,
  flag,
  unsealed,
} from './bot-rows.ts';

export type NewBot = Pick<BotRecord, 'token' | 'source'> &
  Partial<Omit<BotRecord, 'id' | 'token' | 'source' | 'created_at' | 'updated_at'>> & {
    /** The first update that nobody has handled yet; earlier ones count as seen. */
    nextUpdateId?: number;
  };

/** The identity of a bot on the platform. */
export interface PlatformIdentity {
  platformId: number;
  username: string;
  /** The name for a bot that has none here. */
  name: string;
}

// Any number works, as long as no other program locks the same one in this database.
const addingLock = 724_178_234;

export interface BotChanges {
  insert(bot: NewBot, now: number): Step<BotRow>;
  update(
    id: number,
    patch: BotPatch,
    now: number,
    webhook?: WebhookOptions | WebhookRemoval,
  ): Step<BotRow | undefined>;
  toggle(id: number, now: number): Step<BotRow | undefined>;
  identify(id: number, identity: PlatformIdentity, now: number): Step<boolean>;
}

export function createBotChanges(dialect: DialectName, codec: BotCodec): BotChanges {
  function* idOfToken(token: string): Step<number | undefined> {
    const [row] = yield* raw<{ id: number }>('select id from bots where token_hash = $1', [
      codec.tokenHash(token),
    ]);
    return row?.id;
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
    const tokenHash = codec.tokenHash(token);
    const holder = others.find((other) => other.token_hash === tokenHash);
    if (holder) throw tokenTaken(holder.id);
    // The bot that was added last most likely has the latest valid token.
    const other = others.at(-1);
    if (other) throw botExists(other.id, platformId);
  }

  function* insert({ nextUpdateId = 0, ...bot }: NewBot, now: number): Step<BotRow> {
    const settings = { ...defaultBotSettings, ...bot };
    const platformId = bot.platform_id ?? platformIdOf(bot.token);
    yield* requireNewId(bot.token, platformId);
    // The seals are bound to the row's ID, so they are set once it is known.
    const fresh = {
      ...columns(settings),
      ...unsealed,
      platform_id: platformId,
      source: bot.source,
      token_hash: codec.tokenHash(bot.token),
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
    const row = yield* updateRow<BotRow>('bots', added.id, codec.sealed(added.id, settings));
    yield* addDefaultApp(added.id, now);
    yield* markSeenBefore(added.id, nextUpdateId, now);
    // The readers are opened in the same transaction: another node may take the bot, and store its
    // first update, at once.
    yield* openPushReader(row as BotRow, now);
    if (bot.long_poll_enabled) yield* findOrMakeReader(added.id, pullReader, now);
    if (bot.llm_routing_enabled) yield* openRoutingReader(added.id, now);
    return row as BotRow;
  }

  function* update(
    id: number,
    patch: BotPatch,
    now: number,
    webhook?: WebhookOptions | WebhookRemoval,
  ): Step<BotRow | undefined> {
    if (patch.token !== undefined) {
      const holder = yield* idOfToken(patch.token);
      if (holder !== undefined && holder !== id) throw tokenTaken(holder);
    }
    if (patch.per_topic !== undefined) yield* changeTopics(id, patch.per_topic);
    if (patch.backend_url !== undefined) {
      // The row is locked, so that of two concurrent changes the second sees who has the queue.
      yield* takeLock(dialect, 'select 1 from bots where id = $1 for no key update', [id]);
      const [before] = yield* raw<BotRow>('select * from bots where id = $1', [id]);
      if (!before) return undefined;
      const url = codec.settingsOf(before).backend_url;
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
    if (patch.manage_enabled === false) yield* endConversations(id);
    const changed = { ...columns(patch), ...codec.sealed(id, patch), updated_at: now };
    const row = yield* updateRow<BotRow>('bots', id, changed);
    if (row) yield* openPushReader(row, now);
    // Commands name the bot that they are for, so the claims of apps depend on the username.
    if (row && patch.username !== undefined) yield* appsChanged(id, now);
    return row;
  }

  /**
   * Appends lock the head, and whatever else stores messages keeps the row of the bot, so that each
   * has the setting from before or after all of this.
   */
  function* changeTopics(id: number, isOn: boolean): Step<void> {
    yield* takeLock(dialect, 'select 1 from log_heads where bot_id = $1 for update', [id]);
    const [before] = yield* raw<Pick<BotRow, 'per_topic'>>(
      `select per_topic from bots where id = $1 ${wordsOf[dialect].lock('for update')}`,
      [id],
    );
    if (!before || (before.per_topic === 1) === isOn) return;
    yield* isOn ? splitByTopic(id) : joinTopics(id);
  }

  /**
   * Opens the reader in the transaction that makes a bot forward: the node that runs it may store
   * an update at once.
   */
  function* openPushReader(row: BotRow, now: number): Step<void> {
    if (row.proxy_enabled === 1 && row.disabled === 0 && codec.settingsOf(row).backend_url !== '') {
      yield* findOrMakeReader(row.id, pushReader, now);
    }
  }

  function* toggle(id: number, now: number): Step<BotRow | undefined> {
    const [row] = yield* raw<BotRow>(
      'update bots set disabled = 1 - disabled, updated_at = $1 where id = $2 returning *',
      [now, id],
    );
    if (row) yield* openPushReader(row, now);
    return row;
  }

  function* identify(
    id: number,
    { platformId, username, name }: PlatformIdentity,
    now: number,
  ): Step<boolean> {
    const changed = yield* raw(
      `update bots set username = $1, platform_id = $2, updated_at = $3,
         name = case when name = '' then $4 else name end
       where id = $5 and username = '' returning id`,
      [username, platformId, now, name, id],
    );
    // Commands name the bot that they are for, so the claims of apps depend on the username.
    if (changed.length > 0) yield* appsChanged(id, now);
    return changed.length > 0;
  }

  return { insert, update, toggle, identify };
}

/** Without management nobody keeps the states, so they end with it; existing chats start as done. */
function* endConversations(botId: number): Step<void> {
  yield* raw(
    `update chats set unanswered_since = 0, is_done = 1, needs_person = 0, snoozed_until = 0
     where bot_id = $1 and (unanswered_since > 0 or is_done = 0)`,
    [botId],
  );
  yield* endTopics(botId);
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

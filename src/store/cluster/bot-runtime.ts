import type { Vault } from '../../core/access/vault.ts';
import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { createSettingsRepository } from '../access/settings.ts';

/**
 * starting: the platform has not answered yet. polling, webhook: updates come in. waiting: none
 * come in for the moment, and the relay retries. refused: none will come in until someone acts.
 * stopped: the bot should not run.
 */
export type BotState = 'stopped' | 'starting' | 'polling' | 'webhook' | 'waiting' | 'refused';

export interface StateChange {
  botId: number;
  /** The lease under which the state was seen; reports of a node that lost it are ignored. */
  epoch: number;
  state: BotState;
  lastError: string;
  lastErrorAt: number;
}

/** The state of a bot, as its owner last wrote it. */
export interface BotRuntimeRecord {
  botId: number;
  state: BotState;
  lastError: string;
  lastErrorAt: number;
  lastActivity: number;
  /** '' if no node, living or dead, holds the bot. */
  owner: string;
}

/** The facts by which a webhook call is checked. */
export interface HookGuard {
  /** '' if no webhook of ours is registered. */
  secret: string;
  disabled: boolean;
}

export interface BotRuntimeRepository {
  get(botIds: readonly number[]): Promise<BotRuntimeRecord[]>;
  saveStates(changes: readonly StateChange[], nowMs: number): Promise<void>;
  saveActivity(activity: readonly { botId: number; at: number }[]): Promise<void>;
  /** Undefined if there is no such bot. */
  hookGuard(botId: number): Promise<HookGuard | undefined>;
  /**
   * Stores a new secret unless the bot has one, and returns the one it has, so that two runs never
   * use different ones.
   */
  makeHookSecret(botId: number, fresh: string): Promise<string>;
  /** Removes the secret and the registered address. */
  removeHookSecret(botId: number): Promise<void>;
  /**
   * The address under which our webhook was last registered; undefined if it is not registered, or
   * was before addresses were stored.
   */
  registeredHook(botId: number): Promise<string | undefined>;
  setRegisteredHook(botId: number, url: string): Promise<void>;
  /**
   * The webhook that someone else had set when the relay took the bot; undefined if there was none.
   */
  previousWebhook(botId: number): Promise<PreviousWebhook | undefined>;
  setPreviousWebhook(botId: number, webhook: PreviousWebhook): Promise<void>;
}

/**
 * The webhook as the platform described it, which never includes its secret token and certificate.
 */
export interface PreviousWebhook {
  url: string;
  allowed_updates?: readonly string[];
  max_connections?: number;
  has_custom_certificate?: boolean;
  /** The time at which the relay removed it; missing if an earlier version did. */
  removed_at?: number;
}

/** The name of the setting that holds the address of a bot's webhook. */
export const registeredHookName = (botId: number) => `registered_hook:${botId}`;

const secretContext = (botId: number) => `bot_runtime:${botId}:hook_secret`;
// Addresses of webhooks often contain the bot's token, so they are sealed like one.
const previousContext = (botId: number) => `bot_runtime:${botId}:previous_webhook`;

const stateColumns = {
  bot_id: 'bigint',
  epoch: 'bigint',
  state: 'text',
  last_error: 'text',
  last_error_at: 'bigint',
} as const;
const activityColumns = { bot_id: 'bigint', at: 'bigint' } as const;

export function createBotRuntimeRepository(engine: Engine, vault: Vault): BotRuntimeRepository {
  const { isIn, list, rows, rowParameters } = wordsOf[engine.dialect];
  const settings = createSettingsRepository(engine);

  const changeStates = `insert into bot_runtime
      (bot_id, state, last_error, last_error_at, updated_at)
    select c.bot_id, c.state, c.last_error, c.last_error_at, $1
    from (${rows(stateColumns, 2)}) c
    join leases l on l.bot_id = c.bot_id and l.epoch = c.epoch
    where true order by c.bot_id
    on conflict (bot_id) do update set state = excluded.state, last_error = excluded.last_error,
      last_error_at = excluded.last_error_at, updated_at = excluded.updated_at`;

  const changeActivity = `insert into bot_runtime (bot_id, last_activity)
    select b.id, c.at
    from (${rows(activityColumns, 1)}) c join bots b on b.id = c.bot_id
    where true order by b.id
    on conflict (bot_id) do update set last_activity = excluded.last_activity
      where excluded.last_activity > bot_runtime.last_activity`;

  const setText = (
    column: 'hook_secret_sealed' | 'previous_webhook',
    botId: number,
    text: string,
  ) =>
    engine.write(() =>
      raw(
        `insert into bot_runtime (bot_id, ${column}) select id, $2 from bots where id = $1
         on conflict (bot_id) do update set ${column} = excluded.${column}`,
        [botId, text],
      ),
    );

  return {
    get: (botIds) =>
      engine.readRaw<BotRuntimeRecord>(
        `select r.bot_id as "botId", r.state, r.last_error as "lastError",
           r.last_error_at as "lastErrorAt", r.last_activity as "lastActivity",
           coalesce(l.owner, '') as owner
         from bot_runtime r left join leases l on l.bot_id = r.bot_id where ${isIn('r.bot_id', '$1')}`,
        [list(botIds)],
      ),
    async saveStates(changes, nowMs) {
      if (changes.length === 0) return;
      const states = changes.map(({ botId, epoch, state, lastError, lastErrorAt }) => {
        return [botId, epoch, state, lastError, lastErrorAt];
      });
      const parameters = [nowMs, ...rowParameters(stateColumns, states)];
      await engine.write(() => raw(changeStates, parameters));
    },
    async saveActivity(activity) {
      if (activity.length === 0) return;
      const times = activity.map(({ botId, at }) => [botId, at]);
      await engine.write(() => raw(changeActivity, rowParameters(activityColumns, times)));
    },
    async hookGuard(botId) {
      const [row] = await engine.readRaw<{ sealed: string | null; disabled: number }>(
        `select b.disabled, r.hook_secret_sealed as sealed
         from bots b left join bot_runtime r on r.bot_id = b.id where b.id = $1`,
        [botId],
      );
      if (!row) return undefined;
      return {
        secret: vault.open(row.sealed ?? '', secretContext(botId)),
        disabled: row.disabled === 1,
      };
    },
    async makeHookSecret(botId, fresh) {
      const [row] = await engine.write(() =>
        raw<{ sealed: string }>(
          `insert into bot_runtime (bot_id, hook_secret_sealed) select id, $2 from bots where id = $1
           on conflict (bot_id) do update set hook_secret_sealed =
             case when bot_runtime.hook_secret_sealed = '' then excluded.hook_secret_sealed
             else bot_runtime.hook_secret_sealed end
           returning hook_secret_sealed as sealed`,
          [botId, vault.seal(fresh, secretContext(botId))],
        ),
      );
      return row ? vault.open(row.sealed, secretContext(botId)) : fresh;
    },
    async removeHookSecret(botId) {
      await setText('hook_secret_sealed', botId, '');
      const name = registeredHookName(botId);
      await engine.write(() => raw('delete from settings where name = $1', [name]));
    },
    registeredHook: (botId) => settings.get(registeredHookName(botId)),
    setRegisteredHook: (botId, url) => settings.set(registeredHookName(botId), url),
    async previousWebhook(botId) {
      const [row] = await engine.readRaw<{ sealed: string }>(
        'select previous_webhook as sealed from bot_runtime where bot_id = $1',
        [botId],
      );
      const text = vault.open(row?.sealed ?? '', previousContext(botId));
      return text === '' ? undefined : (JSON.parse(text) as PreviousWebhook);
    },
    async setPreviousWebhook(botId, webhook) {
      const sealed = vault.seal(JSON.stringify(webhook), previousContext(botId));
      await setText('previous_webhook', botId, sealed);
    },
  };
}

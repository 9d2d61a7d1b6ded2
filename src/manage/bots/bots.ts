import { reason, reasonText } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type Caller, requireBot, requireEveryBot } from '../../core/access/access.ts';
import type { BotSettings } from '../../core/bots/bot-settings.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import { platformIdOf } from '../../core/bots/bot-token.ts';
import type { BotRunner, EventBus, WhileDrained } from '../../core/ports.ts';
import { RelayError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import {
  type BotPatch,
  type BotRecord,
  type BotSource,
  type NewBot,
} from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import type { WebhookOptions, WebhookRemoval } from '../../store/delivery/webhooks.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { identifyBot } from './bot-identity.ts';
import { acceptedBot, checkBotSettings } from './bot-checks.ts';
import { type BotHealth, healthOf } from './bot-health.ts';
import { createBotTokens, type TokenCheck } from './bot-tokens.ts';
import { type BotView, viewBot } from './bot-view.ts';
import { createBotViews } from './bot-views.ts';
import { createWebhookRestorer, type RestoredWebhook } from './previous-webhook.ts';
import { warnOfShortSecret } from './short-secret.ts';

type SettingsPatch = Partial<BotSettings>;

export interface BotService {
  /** Returns the same list object while nothing has changed. */
  list(caller: Caller): Promise<readonly BotView[]>;
  add(
    caller: Caller,
    bot: SettingsPatch & { token: string } & Pick<NewBot, 'disabled' | 'nextUpdateId'>,
    source: BotSource,
  ): Promise<BotView>;
  /** `webhook` has what setWebhook or deleteWebhook requested beyond these settings. */
  update(
    caller: Caller,
    id: number,
    patch: SettingsPatch & { token?: string },
    webhook?: WebhookOptions | WebhookRemoval,
  ): Promise<BotView>;
  /** Resolves once a bot that was disabled has stopped. */
  toggleDisabled(caller: Caller, id: number): Promise<BotView>;
  /** Returns the bot as it was. */
  delete(caller: Caller, id: number): Promise<BotView>;
  validate(caller: Caller, token: string): Promise<TokenCheck>;
  health(caller: Caller, id: number): Promise<BotHealth>;
  /** Stops the bot and restores the webhook that it had before. */
  restoreWebhook(caller: Caller, id: number, secretToken: string): Promise<RestoredWebhook>;
}

export interface BotServiceOptions {
  store: Store;
  telegram: TelegramClient;
  runner: BotRunner;
  clock: Clock;
  config: Pick<Config, 'publicUrl' | 'backends'>;
  events?: EventBus;
  logger?: Logger;
  whileDrained?: WhileDrained;
}

export function createBotService(options: BotServiceOptions): BotService {
  const { store, telegram, runner, clock, config, events, logger } = options;

  const tokens = createBotTokens(store, telegram);
  const views = createBotViews();
  const webhooks = createWebhookRestorer({
    ...options,
    bots: store.bots,
    runtime: store.runtime,
    publish,
  });

  async function existing(caller: Caller, id: number): Promise<BotRecord> {
    requireBot(caller, id);
    const bot = await store.bots.get(id);
    if (!bot) throw botNotFound(id);
    return bot;
  }

  /**
   * Returns a bot whose change is stored: the response and the audit entry follow even if its state
   * is unknown.
   */
  async function view(caller: Caller, bot: BotRecord): Promise<BotView> {
    const statuses = await runner.statusOf([bot.id]).catch(() => undefined);
    return viewBot(caller, bot, statuses?.get(bot.id));
  }

  async function remove(id: number): Promise<boolean> {
    try {
      await runner.retire(id);
      return await store.bots.remove(id);
    } catch (error) {
      // The bot was stopped to be deleted, but still exists, so start it. If this fails too, the
      // runner retries.
      await runner.apply(id);
      throw error;
    }
  }

  function publish(botId: number, change: string): void {
    events?.publish('bot', botId, { change });
  }

  return {
    async list(caller) {
      const bots = await store.bots.list(caller.botIds);
      return views.of(caller, bots, await runner.statusOf(bots.map((bot) => bot.id)));
    },

    async add(caller, { token, ...settings }, source) {
      if (caller.botIds !== null) {
        throw new RelayError('bot_not_allowed', reason('key_may_not_add_bots'));
      }
      checkBotSettings(config, undefined, settings);
      await tokens.refuseTaken(token);
      const identity = await acceptedBot(telegram, token);
      const known =
        identity.outcome === 'known'
          ? {
              platform_id: identity.platformId || platformIdOf(token),
              username: identity.username,
            }
          : {};
      const bot = await store.bots.insert({ ...settings, ...known, token, source }, clock.now());
      warnOfShortSecret(logger, bot.id, settings.secret_token);
      await runner.apply(bot.id);
      publish(bot.id, 'added');
      const shown = await view(caller, bot);
      // The runner keeps trying; until it has something newer to report, this is why the bot does
      // not run.
      if (identity.outcome === 'unreachable' && !shown.running && shown.last_error === '') {
        shown.last_error = reasonText(identity.why);
        shown.last_error_detail = identity.why;
      }
      return shown;
    },

    async update(caller, id, { token, ...settings }, webhook) {
      const bot = await existing(caller, id);
      // Routing by the model may choose any bot with a description even without routes, so the
      // caller must be allowed all bots.
      if (settings.llm_routing_enabled && !bot.llm_routing_enabled) requireEveryBot(caller);
      checkBotSettings(config, bot, settings);
      const isNew = token !== undefined && token !== '' && token !== bot.token;
      const patch = isNew ? { ...settings, ...(await tokens.replacement(bot, token)) } : settings;
      const write = () => store.bots.update(id, patch, clock.now(), webhook);
      // Deliveries in flight finish first: otherwise their updates would be polled as well, and
      // calls in their responses would be lost.
      const updated = await (options.whileDrained && endsQueue(bot, patch, webhook)
        ? options.whileDrained([{ botId: id, reader: pushReader }], write)
        : write());
      if (!updated) throw botNotFound(id);
      warnOfShortSecret(logger, id, settings.secret_token);
      await runner.apply(id);
      publish(id, 'updated');
      return view(caller, updated);
    },

    async toggleDisabled(caller, id) {
      requireBot(caller, id);
      const bot = await store.bots.toggle(id, clock.now());
      if (!bot) throw botNotFound(id);
      await runner.apply(id);
      publish(id, bot.disabled ? 'disabled' : 'enabled');
      return view(caller, bot);
    },

    async delete(caller, id) {
      const bot = await existing(caller, id);
      if (!(await remove(id))) throw botNotFound(id);
      publish(id, 'deleted');
      return viewBot(caller, bot, undefined);
    },

    validate: (_caller, token) => tokens.validate(token),

    async health(caller, id) {
      const bot = await existing(caller, id);
      const startedAt = clock.monotonic();
      const identity = await identifyBot(telegram, bot.token);
      const status = (await runner.statusOf([id])).get(id);
      const previous = await webhooks.view(caller, id);
      const latencyMs = clock.monotonic() - startedAt;
      return healthOf(caller, bot, { identity, latencyMs, status, previous });
    },

    restoreWebhook: async (caller, id, secretToken) =>
      webhooks.restore(await existing(caller, id), secretToken),
  };
}

/** Says whether the updates that wait for the backend will go to another receiver, or to none. */
function endsQueue(
  before: BotRecord,
  { backend_url = before.backend_url, proxy_enabled = before.proxy_enabled }: BotPatch,
  webhook: WebhookOptions | WebhookRemoval | undefined,
): boolean {
  if (!before.proxy_enabled || before.backend_url === '') return false;
  return !proxy_enabled || backend_url === '' || webhook?.dropsPending === true;
}

export function botNotFound(id: number, field = 'id'): RelayError {
  return new RelayError('bot_not_found', reason('unknown_bot', { bot_id: id }), {
    details: [{ field, problem: reason('names_no_bot') }],
  });
}

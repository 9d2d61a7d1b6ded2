/*
 * Manages the applications connected to a bot: their identity, what they receive and which methods
 * they may call.
 */
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type Caller, callersBot, requireBot } from '../../core/access/access.ts';
import {
  appNameProblem,
  type AppRecord,
  defaultApp,
  defaultAppSettings,
  newAppToken,
} from '../../core/apps/app.ts';
import type { AppFilter } from '../../core/apps/app-filter.ts';
import type { BotRunner, EventBus, WhileDrained } from '../../core/ports.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { AppChange } from '../../store/apps/app-changes.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import {
  type AppView,
  type AppViewWithToken,
  type AppWarning,
  readerOfApp,
  viewApp,
  withBotSettings,
} from './app-view.ts';
import { appStatesOf } from './app-states.ts';
import { appWarnings } from './app-warnings.ts';
import {
  type AppInput,
  appSettingsIn,
  appWebhookIn,
  checkAppBackend,
  checkAppInput,
} from './app-input.ts';
import { warnOfShortSecret } from '../bots/short-secret.ts';
import { countMatches, type FilterMatches } from './filter-matches.ts';

export interface AppService {
  /** Apps with the default one first. */
  list(caller: Caller, botId: number): Promise<AppView[]>;
  /** Returns the token of the app, which is shown only this once. */
  add(caller: Caller, botId: number, name: string, input: AppInput): Promise<AppViewWithToken>;
  update(caller: Caller, id: number, input: AppInput & { name?: string }): Promise<AppView>;
  /** Returns a new token; the former one is invalid at once. */
  rotate(caller: Caller, id: number): Promise<AppViewWithToken>;
  toggleDisabled(caller: Caller, id: number): Promise<AppView>;
  /** Returns the app as it was. */
  delete(caller: Caller, id: number): Promise<AppView>;
  /** Counts how many of the last updates a filter lets through. */
  preview(caller: Caller, botId: number, filter: AppFilter): Promise<FilterMatches>;
  /** Changes an app for the gateway, whose caller is the app itself. */
  change(id: number, change: AppChange): Promise<AppRecord>;
}

export interface AppServiceOptions {
  store: Store;
  runner: Pick<BotRunner, 'apply'>;
  /**
   * Resolves when everything that backends of the bot have accepted is on disk, so that nobody
   * polls it again.
   */
  settlePush?: (botId: number) => Promise<void>;
  /** Stores recent activity of apps, as far as this node knows it. */
  storeActivity?: () => Promise<void>;
  clock: Clock;
  config: Pick<Config, 'backends'>;
  /** Names of Bot API methods; other names are accepted with a warning. */
  methodNames: readonly string[];
  events?: EventBus;
  logger?: Logger;
  whileDrained?: WhileDrained;
}

const previewed = 100;

export function createAppService(options: AppServiceOptions): AppService {
  const { store, runner, clock, config, events, logger, methodNames } = options;

  const warningsOf = (bot: BotRecord, app: AppRecord, asked: AppInput) =>
    appWarnings({ store, methodNames }, bot, app, asked);

  const view = async (caller: Caller, bot: BotRecord, app: AppRecord): Promise<AppView> =>
    viewApp(caller, app, await appStatesOf(store, bot));

  async function existing(caller: Caller, id: number): Promise<{ app: AppRecord; bot: BotRecord }> {
    const app = await store.apps.get(id);
    if (!app) throw appNotFound(id);
    requireBot(caller, app.bot_id);
    const bot = await store.bots.get(app.bot_id);
    if (!bot) throw appNotFound(id);
    return { app, bot };
  }

  /** Returns an app that has settings of its own; the default app does not. */
  async function changeable(
    caller: Caller,
    id: number,
    action: 'update' | 'rotate' | 'disable' | 'delete',
  ): Promise<{ app: AppRecord; bot: BotRecord }> {
    const found = await existing(caller, id);
    if (found.app.name === defaultApp) {
      throw new RelayError('conflict', reason('default_app', { action }));
    }
    return found;
  }

  async function applied(botId: number): Promise<void> {
    await runner.apply(botId);
    events?.publish('bot', botId, { change: 'apps' });
  }

  async function change(before: AppRecord, asked: AppChange): Promise<AppRecord> {
    checkAppBackend(before, asked.patch, config.backends);
    const { mode = before.mode } = asked.patch;
    const goesOn = mode === 'webhook' && !asked.dropsPending;
    const update = () => store.apps.update(before.id, asked, clock.now());
    try {
      if (before.mode === 'webhook' && goesOn) await options.settlePush?.(before.bot_id);
      // Deliveries in flight finish first: otherwise their updates would be polled as well, and
      // calls in the responses would be lost.
      const reader = before.mode === 'webhook' && !goesOn ? readerOfApp(before) : undefined;
      const app = await (reader && options.whileDrained
        ? options.whileDrained([{ botId: before.bot_id, reader }], update)
        : update());
      if (!app) throw appNotFound(before.id);
      warnOfShortSecret(logger, app.bot_id, asked.patch.secret_token);
      return app;
    } finally {
      await applied(before.bot_id);
    }
  }

  return {
    async list(caller, botId) {
      const bot = await callersBot(store.bots, caller, botId);
      await options.storeActivity?.();
      const apps = await store.apps.list(botId);
      const states = await appStatesOf(store, bot);
      return apps.map((app) => viewApp(caller, withBotSettings(app, bot), states));
    },

    async add(caller, botId, name, input) {
      const problem = appNameProblem(name);
      if (problem) throw invalidField('name', problem);
      checkAppInput(input);
      const patch = appSettingsIn(input);
      const settings = { ...defaultAppSettings, ...patch };
      checkAppBackend(defaultAppSettings, patch, config.backends);
      const webhook = appWebhookIn(input, settings, { before: undefined, keepsBackend: false });
      const bot = await callersBot(store.bots, caller, botId);
      const token = newAppToken(bot.token);
      const added = { botId, name, token, settings, patch, ...webhook };
      const app = await store.apps.insert(added, clock.now());
      warnOfShortSecret(logger, botId, settings.secret_token);
      await applied(botId);
      return withWarnings(
        { ...(await view(caller, bot, app)), token },
        await warningsOf(bot, app, input),
      );
    },

    async update(caller, id, { name, ...input }) {
      checkAppInput(input);
      const { app: before, bot } = await changeable(caller, id, 'update');
      if (name !== undefined && name !== before.name) {
        throw invalidField('name', reason('app_not_renamed'));
      }
      const patch = appSettingsIn(input);
      const after = { ...before, ...patch };
      const reader = readerOfApp({ ...before, mode: 'webhook' }) as string;
      const webhook = appWebhookIn(input, after, {
        before: await store.webhooks.get(before.bot_id, reader),
        keepsBackend: after.backend_url === before.backend_url,
      });
      const app = await change(before, { patch, ...webhook });
      return withWarnings(await view(caller, bot, app), await warningsOf(bot, app, input));
    },

    async rotate(caller, id) {
      const { bot } = await changeable(caller, id, 'rotate');
      const token = newAppToken(bot.token);
      const app = await store.apps.setToken(id, token, clock.now());
      if (!app) throw appNotFound(id);
      // End the polls that wait with the former token.
      await applied(app.bot_id);
      return { ...(await view(caller, bot, app)), token };
    },

    async toggleDisabled(caller, id) {
      const { bot } = await changeable(caller, id, 'disable');
      const app = await store.apps.toggle(id, clock.now());
      if (!app) throw appNotFound(id);
      await applied(app.bot_id);
      return view(caller, bot, app);
    },

    async delete(caller, id) {
      const { app, bot } = await changeable(caller, id, 'delete');
      const shown = await view(caller, bot, app);
      if (!(await store.apps.remove(id, clock.now()))) throw appNotFound(id);
      await applied(app.bot_id);
      return shown;
    },

    async preview(caller, botId, filter) {
      checkAppInput({ filter });
      const bot = await callersBot(store.bots, caller, botId);
      return countMatches(store, bot, filter, previewed);
    },

    async change(id, asked) {
      const before = await store.apps.get(id);
      if (!before) throw appNotFound(id);
      return change(before, asked);
    },
  };
}

const withWarnings = <View extends AppView>(shown: View, warnings: AppWarning[]): View =>
  warnings.length > 0 ? { ...shown, warnings } : shown;

function appNotFound(id: number): RelayError {
  return new RelayError('app_not_found', reason('no_such_app', { app_id: id }), {
    details: [{ field: 'id', problem: reason('names_no_app') }],
  });
}

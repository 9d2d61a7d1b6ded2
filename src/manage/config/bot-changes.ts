import type { Config } from '../../config.ts';
import { appNameProblem, type AppSettings, defaultAppSettings } from '../../core/apps/app.ts';
import { type BotSettings, botSettingNames } from '../../core/bots/bot-settings.ts';
import { isBotToken, platformIdOf } from '../../core/bots/bot-token.ts';
import { isSame } from '../../core/config-file/plan.ts';
import { appDefaults } from '../../core/config-file/document.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';
import { tokenTaken } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { appSettingsIn, appWebhookIn, checkAppBackend, checkAppInput } from '../apps/app-input.ts';
import { acceptedBot, checkBotSettings } from '../bots/bot-checks.ts';
import { type Changed, type Job, pick } from './changes.ts';
import type { CurrentConfig } from './current-config.ts';

export interface BotChangeOptions {
  store: Store;
  telegram: TelegramClient;
  config: Pick<Config, 'publicUrl' | 'backends'>;
}

const secretPattern = '^[A-Za-z0-9_-]*$';

function checkSecret({ secret_token: secret = '' }: { secret_token?: string }): void {
  if (!new RegExp(secretPattern).test(secret)) {
    throw invalidField('secret_token', reason('wrong_form', { pattern: secretPattern }));
  }
}

/** Checks a bot that is added or changed, its token with the platform. */
export async function prepareBot(
  { store, telegram, config }: BotChangeOptions,
  { change, fields, given }: Changed<'bot'>,
  current: CurrentConfig,
): Promise<Job> {
  const { platform_id: platformId, token } = given;
  const before = current.bots.find((bot) => bot.platform_id === platformId);
  const settings = pick(fields, botSettingNames) as BotSettings;
  checkSecret(settings);
  checkBotSettings(config, before, settings);
  let identity: { username?: string } = {};
  if (token === undefined || token === before?.token) {
    if (!before) throw invalidField('token', reason('needed_for_new_entry'));
  } else {
    if (!isBotToken(token) || platformIdOf(token) !== platformId) {
      throw invalidField('token', reason('token_not_of_platform_id'));
    }
    const holder = await store.bots.byToken(token);
    if (holder) throw tokenTaken(holder.id);
    const known = await acceptedBot(telegram, token);
    if (known.outcome === 'known') identity = { username: known.username };
  }
  if (!before) {
    return function* ({ botIds, nowMs }) {
      const bot = { ...settings, ...identity, token: token as string, source: 'cli' as const };
      const disabled = given.disabled === true;
      const added = yield* store.bots.insertStep({ ...bot, disabled }, nowMs);
      botIds.set(platformId, added.id);
    };
  }
  const patch = { ...pick(fields, change.fields), ...identity };
  return function* ({ nowMs }) {
    yield* store.bots.updateStep(before.id, patch, nowMs);
  };
}

const standInShape = /^(\d+):[A-Za-z0-9_-]{35}$/;

export async function prepareApp(
  { store, config }: BotChangeOptions,
  { change, fields, given, name: entryName, platformId }: Changed<'app'>,
  current: CurrentConfig,
): Promise<Job> {
  const { name, token } = given;
  const before = current.apps.get(entryName);
  const problem = appNameProblem(name);
  if (problem) throw invalidField('name', problem);
  checkAppInput(given);
  checkSecret(given);
  const settings = appSettingsIn(fields) as AppSettings;
  checkAppBackend(before?.app ?? defaultAppSettings, settings, config.backends);
  const webhook = appWebhookIn(webhookInputOf(settings, fields), settings, {
    before: before?.webhook,
    keepsBackend: settings.backend_url === before?.app.backend_url,
  });
  if (token !== undefined && change.fields.includes('token') === (before !== undefined)) {
    if (Number(standInShape.exec(token)?.[1]) !== platformId) {
      throw invalidField('token', reason('not_a_stand_in_token'));
    }
    // One that the same file deletes is not among the current ones.
    const holder = await store.apps.byToken(token);
    const isHeld = [...current.apps.values()].some(({ app }) => app.id === holder?.id);
    if (isHeld || (await store.bots.byToken(token))) {
      throw invalidField('token', reason('value_taken'));
    }
  }
  const isToggled = before ? change.fields.includes('disabled') : given.disabled === true;
  if (!before) {
    return function* ({ botIds, nowMs }) {
      const botId = botIds.get(platformId) as number;
      const app = { botId, name, token: token ?? '', settings, patch: {}, ...webhook };
      const { id } = yield* store.apps.insertStep(app, nowMs);
      if (isToggled) yield* store.apps.toggleStep(id, nowMs);
    };
  }
  const { id } = before.app;
  return function* ({ nowMs }) {
    yield* store.apps.updateStep(id, { patch: settings, ...webhook }, nowMs);
    if (token !== undefined && change.fields.includes('token')) {
      yield* store.apps.setTokenStep(id, token, nowMs);
    }
    if (isToggled) yield* store.apps.toggleStep(id, nowMs);
  };
}

/** The options of a webhook are for the mode webhook only; their defaults may be said in any mode. */
function webhookInputOf({ mode }: AppSettings, fields: Readonly<Record<string, unknown>>) {
  const options = pick(fields, ['max_connections', 'allowed_updates']);
  const { max_connections, allowed_updates } = appDefaults;
  const hasNone = isSame(options, { max_connections, allowed_updates });
  return mode !== 'webhook' && hasNone ? {} : options;
}

import type { Caller } from '../../../core/access/access.ts';
import { type BotSettings, botSettingNames } from '../../../core/bots/bot-settings.ts';
import { isBotToken, platformIdOf } from '../../../core/bots/bot-token.ts';
import type { BotInFile } from '../../../core/config-file/sections/bots.ts';
import { pushReader } from '../../../core/log/reader-kinds.ts';
import { type Reason, reason } from '../../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../../errors.ts';
import type { Logger } from '../../../logger.ts';
import { tokenTaken } from '../../../store/bots/bot-changes.ts';
import type { Store } from '../../../store/store.ts';
import { acceptedBot, checkBotSettings } from '../../bots/bot-checks.ts';
import type { BotService } from '../../bots/bots.ts';
import { checkSecret, pick } from '../changes.ts';
import type { Changed, ConfigKind, Prepared, Preparing } from '../config-kind.ts';
import { appInFile } from './app.ts';

export const botKind: ConfigKind<'bot'> = {
  read({ bots, apps }) {
    const appsOf = Map.groupBy(apps, (app) => app.bot_id);
    const part = bots.map(
      (bot): BotInFile => ({
        platform_id: bot.platform_id,
        token: bot.token,
        disabled: bot.disabled,
        ...Object.fromEntries(botSettingNames.map((name) => [name, bot[name]])),
        apps: (appsOf.get(bot.id) ?? []).map(appInFile),
      }),
    );
    return Promise.resolve({ part, records: bots });
  },
  compare: (entry) => entry,
  prepare: prepareBot,
  /** The bot is disabled; its data is deleted after the transaction. */
  *remove({ bots }, id, nowMs) {
    yield* bots.updateStep(id, { disabled: true }, nowMs);
  },
  bots: ({ given }) => ({ platform_id: [given.platform_id] }),
  boundBy: ['platform_id'],
  changesBots: true,
};

/** Checks a bot that is added or changed, its token with the platform. */
async function prepareBot(
  { change, fields, given, name }: Changed<'bot'>,
  { store, telegram, config, current }: Preparing,
): Promise<Prepared> {
  const { platform_id: platformId, token } = given;
  const before = current.stored.bot.get(name);
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
    return {
      *write({ botIds, nowMs }) {
        const bot = { ...settings, ...identity, token: token as string, source: 'cli' as const };
        const disabled = given.disabled === true;
        const added = yield* store.bots.insertStep({ ...bot, disabled }, nowMs);
        botIds.set(platformId, added.id);
      },
    };
  }
  const patch = { ...pick(fields, change.fields), ...identity };
  const isHandedOver = change.fields.some((field) => handOvers.has(field));
  return {
    *write({ nowMs }) {
      yield* store.bots.updateStep(before.id, patch, nowMs);
    },
    before: () => store.bots.prepareUpdate(before.id, patch),
    drains: isHandedOver ? [{ botId: before.id, reader: pushReader }] : [],
  };
}

const handOvers = new Set(['backend_url', 'proxy_enabled']);

/** Returns why the bot still exists; the rest of the file is applied in any case. */
export async function deleteBot(
  { store, bots, logger }: { store: Store; bots: Pick<BotService, 'delete'>; logger?: Logger },
  caller: Caller,
  id: number,
): Promise<Reason | undefined> {
  try {
    const bot = await store.bots.get(id);
    if (bot && !bot.disabled) return reason('enabled_meanwhile');
    if (bot) await bots.delete(caller, id);
  } catch (error) {
    const code = error instanceof RelayError ? error.code : 'internal';
    // Another node has deleted it first.
    if (code === 'bot_not_found') return undefined;
    logger?.warn({ err: error, bot: id }, 'deleting a bot failed');
    return error instanceof RelayError ? error.reason : reason('unexpected');
  }
  return undefined;
}

import {
  type AppRecord,
  appNameProblem,
  defaultApp,
  isForbidden,
  mayCall,
} from '../../core/apps/app.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import { botDisabled, EarlyReply, unauthorized } from './envelope.ts';
import { createTokenMask, type TokenMask } from './token-mask.ts';

/** The authenticated client of a gateway call. */
export interface GatewayCaller {
  bot: BotRecord;
  /** The app that the client uses; undefined for the default one. */
  app: AppRecord | undefined;
  /** Set if the client must not see the bot's token. */
  mask: TokenMask | undefined;
}

type Found = { bot: BotRecord; app: AppRecord | undefined };

// Tokens known to belong to apps, so that the next call with one skips the look-up among bots.
const mostRemembered = 10_000;
const unknownToken = 'this token is not registered at this relay';

export function createCallers({ bots, apps }: Pick<Store, 'bots' | 'apps'>) {
  const appTokens = new Set<string>();

  async function byAppToken(token: string): Promise<Found | undefined> {
    const app = await apps.byToken(token);
    const bot = app && (await bots.get(app.bot_id));
    if (!bot) {
      appTokens.delete(token);
      return undefined;
    }
    if (appTokens.size >= mostRemembered) appTokens.clear();
    appTokens.add(token);
    return { app, bot };
  }

  async function byBotToken(token: string): Promise<Found | undefined> {
    const bot = await bots.byToken(token);
    return bot && { bot, app: undefined };
  }

  async function byToken(token: string): Promise<Found | undefined> {
    if (appTokens.has(token)) return (await byAppToken(token)) ?? byBotToken(token);
    return (await byBotToken(token)) ?? byAppToken(token);
  }

  /** Returns the app that a path names together with the bot's own token. */
  async function named(bot: BotRecord, name: string): Promise<AppRecord | undefined> {
    if (name === '' || name === defaultApp) return undefined;
    const shown = shownName(name);
    const app = shown === name ? await apps.byName(bot.id, name) : undefined;
    if (app) return app;
    throw new RelayError(
      'app_not_found',
      reason('no_app_of_that_name', { bot_id: bot.id, app: shown }),
    );
  }

  /**
   * Finds the caller by the token and the name in the path, if any. Returns a text if the token is
   * unknown or not of that app; throws any other problem.
   */
  return async (token: string, name: string): Promise<GatewayCaller | string> => {
    const found = await byToken(token);
    if (!found) return unknownToken;
    const { bot } = found;
    if (found.app && name !== '' && name !== found.app.name) {
      return `this token belongs to another app than ${shownName(name)}`;
    }
    if (bot.disabled) throw new EarlyReply(botDisabled());
    const app = found.app ?? (await named(bot, name));
    if (app?.disabled) {
      throw new RelayError('app_forbidden', reason('app_disabled', { app: app.name }));
    }
    const mask = found.app && createTokenMask(bot.token, token);
    return { bot, app, mask };
  };
}

/** Throws if the bot or the app was disabled or deleted since the call arrived. */
export async function requireEnabled(
  { bots, apps }: Pick<Store, 'bots' | 'apps'>,
  { bot, app }: GatewayCaller,
): Promise<void> {
  const found = await bots.get(bot.id);
  if (!found) throw new EarlyReply(unauthorized(unknownToken));
  if (found.disabled) throw new EarlyReply(botDisabled());
  if (!app) return;
  const known = await apps.get(app.id);
  if (!known) throw new EarlyReply(unauthorized(unknownToken));
  if (known.disabled) {
    throw new RelayError('app_forbidden', reason('app_disabled', { app: app.name }));
  }
}

/** An invalid name is masked, because it may be a secret that someone put into the wrong place. */
const shownName = (name: string): string =>
  name === defaultApp || appNameProblem(name) === undefined ? name : '***';

/** Throws if the app may not call the method; methods that the relay answers itself need not be listed. */
export function requireMethod(
  app: AppRecord | undefined,
  method: string,
  answeredBy: 'platform' | 'relay',
): void {
  if (!app) return;
  const isRefused =
    answeredBy === 'relay' ? isForbidden(app.methods, method) : !mayCall(app.methods, method);
  if (!isRefused) return;
  throw new RelayError('app_forbidden', reason('app_may_not_call', { app: app.name, method }));
}

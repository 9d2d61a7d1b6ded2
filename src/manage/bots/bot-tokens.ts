import { tokenOwner } from '../../core/bots/bot-token.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import { tokenTaken } from '../../store/bots/bot-changes.ts';
import type { BotPatch, BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { toRelayError } from '../../telegram/errors.ts';
import { acceptedBot } from './bot-checks.ts';
import { identifyBot } from './bot-identity.ts';

export interface TokenCheck {
  valid: boolean;
  platform_id: number;
  username: string;
  name: string;
  /** '' if the token is valid. */
  error: string;
}

/** Decides which tokens a bot may have. */
export interface BotTokens {
  /** Throws if a bot or an app has the token. */
  refuseTaken(token: string): Promise<void>;
  /** Returns the change that gives a bot another token of its own. */
  replacement(bot: BotRecord, token: string): Promise<BotPatch>;
  validate(token: string): Promise<TokenCheck>;
}

export function createBotTokens(
  store: Pick<Store, 'apps' | 'bots'>,
  telegram: TelegramClient,
): BotTokens {
  async function appOfToken(token: string): Promise<Reason | undefined> {
    const app = await store.apps.byToken(token);
    return app && reason('token_of_app', { app: app.name, bot_id: app.bot_id });
  }

  async function refuseTaken(token: string): Promise<void> {
    const holder = await store.bots.byToken(token);
    if (holder) throw tokenTaken(holder.id);
    const why = await appOfToken(token);
    if (why) {
      throw new RelayError('token_taken', why, {
        details: [{ field: 'token', problem: reason('registered_already') }],
      });
    }
  }

  return {
    refuseTaken,
    async replacement(bot, token) {
      if (tokenOwner(token) !== tokenOwner(bot.token)) {
        throw invalidField('token', reason('token_of_another_bot'));
      }
      await refuseTaken(token);
      const identity = await acceptedBot(telegram, token);
      return identity.outcome === 'known' ? { token, username: identity.username } : { token };
    },
    async validate(token) {
      const invalid = { valid: false, platform_id: 0, username: '', name: '' };
      const why = await appOfToken(token);
      if (why) return { ...invalid, error: reasonText(why) };
      const identity = await identifyBot(telegram, token);
      if (identity.outcome === 'unreachable') throw toRelayError(identity.error);
      if (identity.outcome === 'refused') return { ...invalid, error: identity.description };
      return {
        valid: true,
        platform_id: identity.platformId,
        username: identity.username,
        name: identity.firstName,
        error: '',
      };
    },
  };
}

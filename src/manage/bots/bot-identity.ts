import { nameText } from '../../core/people/plain-text.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';

/** Telegram's answer about a token. */
export type BotIdentity =
  | { outcome: 'known'; platformId: number; username: string; firstName: string }
  | { outcome: 'refused'; errorCode: number; description: string }
  | { outcome: 'unreachable'; why: Reason; error: unknown };

const timeoutMs = 3_000;

export async function identifyBot(telegram: TelegramClient, token: string): Promise<BotIdentity> {
  try {
    const me = (await telegram.call(token, 'getMe', {}, { timeoutMs })) as Record<string, unknown>;
    return {
      outcome: 'known',
      platformId: Number.isSafeInteger(me?.['id']) ? (me['id'] as number) : 0,
      username: nameText(me?.['username']),
      firstName: nameText(me?.['first_name']),
    };
  } catch (error) {
    if (error instanceof PlatformRefused && ['fatal', 'refuse'].includes(error.kind)) {
      const { errorCode, description } = error;
      return { outcome: 'refused', errorCode, description };
    }
    if (error instanceof PlatformRefused || error instanceof PlatformUnreachable) {
      return { outcome: 'unreachable', why: error.why, error };
    }
    throw error;
  }
}

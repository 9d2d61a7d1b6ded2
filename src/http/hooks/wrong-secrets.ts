/*
 * Limits how often a bot's secret can be guessed: per address and, for a short secret, per bot over
 * all addresses. A longer secret cannot be guessed anyway, so a limit per bot would only let
 * strangers lock out its backend. With a short one, an address that sent the right secret once is
 * exempt from the limit per bot.
 */
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../clock.ts';
import { isShortSecret } from '../../core/bots/bot-token.ts';
import type { Logger } from '../../logger.ts';
import { createRateLimiter } from '../request/rate-limit.ts';

const maxKnown = 10_000;
const warnEveryMs = 60_000;

interface Try {
  /** 0 for a bot that does not exist. */
  botId: number;
  network: string;
  /** The bot's secret, '' when it has none. */
  secret: string;
}

export function createWrongSecrets(deps: { clock: Clock; logger: Logger; perSecond: number }) {
  const { clock, logger, perSecond } = deps;
  const perAddress = createRateLimiter({ clock, perSecond, policy: 'address' });
  const perBot = createRateLimiter({ clock, perSecond, policy: 'bot' });
  const known = new Set<string>();
  const warnedAt = new Map<number, number>();

  function warn(botId: number): void {
    const now = clock.monotonic();
    if (now - (warnedAt.get(botId) ?? -warnEveryMs) < warnEveryMs) return;
    warnedAt.set(botId, now);
    logger.warn(
      { bot_id: botId },
      'too many wrong secrets at /hooks/backend: new addresses are limited',
    );
  }

  return {
    /** Throws `rate_limited` when no more secrets are compared for now. */
    requireTry({ botId, network, secret }: Try): void {
      perAddress.require(network);
      if (!isShortSecret(secret) || known.has(`${botId} ${network}`)) return;
      try {
        perBot.require(String(botId));
      } catch (error) {
        warn(botId);
        throw error;
      }
    },
    wasRight({ botId, network, secret }: Try): void {
      if (!isShortSecret(secret)) return;
      const name = `${botId} ${network}`;
      if (known.has(name)) return;
      if (known.size >= maxKnown) known.delete(known.values().next().value as string);
      known.add(name);
    },
    wasWrong({ botId, network, secret }: Try, reply: FastifyReply): void {
      perAddress.take(network, reply);
      if (isShortSecret(secret)) perBot.take(String(botId), reply);
    },
  };
}

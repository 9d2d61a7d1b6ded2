import type { Sender, SendRequest } from '../core/ports.ts';
import { RelayError } from '../errors.ts';
import type { TelegramClient } from './client.ts';
import { toRelayError } from './errors.ts';

interface DirectSenderOptions {
  telegram: TelegramClient;
  botOf(botId: number): Promise<{ token: string; disabled: boolean } | undefined>;
  /** Stores what the platform made of the request. */
  remember(request: SendRequest, result: unknown): Promise<void>;
  timeoutMs?: number;
}

/** Sends at once, without pacing. */
export function createDirectSender(options: DirectSenderOptions): Sender {
  return {
    async send(request) {
      const bot = await options.botOf(request.botId);
      if (!bot) throw new RelayError('bot_not_found', `There is no bot ${request.botId}.`);
      if (bot.disabled) {
        throw new RelayError('bot_disabled', `Bot ${request.botId} is disabled: enable it first.`);
      }
      let result: unknown;
      try {
        result = await options.telegram.call(bot.token, request.method, request.params, {
          timeoutMs: options.timeoutMs ?? 30_000,
          signal: request.signal,
        });
      } catch (error) {
        throw toRelayError(error);
      }
      await options.remember(request, result);
      return result;
    },
  };
}

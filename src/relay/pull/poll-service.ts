import { type Caller, callersBot } from '../../core/access/access.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { AppRepository } from '../../store/apps/apps.ts';
import type { BotRepository } from '../../store/bots/bots.ts';
import type { PollRequest } from './apply-request.ts';
import type { Pullers } from './pullers.ts';

/** Answers the polls of key holders; the gateway answers those of bot libraries. */
export interface PollService {
  poll(caller: Caller, request: PollRequest): Promise<string[]>;
}

export function createPollService(deps: {
  pullers: Pick<Pullers, 'poll'>;
  bots: Pick<BotRepository, 'get'>;
  apps: Pick<AppRepository, 'byName'>;
}): PollService {
  return {
    async poll(caller, request) {
      const bot = await callersBot(deps.bots, caller, request.botId);
      if (bot.disabled) {
        throw new RelayError('bot_disabled', reason('bot_disabled', { bot_id: bot.id }));
      }
      // The setting is about the bot's own clients and about apps without a token.
      if (!bot.long_poll_enabled && !(await deps.apps.byName(bot.id, request.consumer))?.hasToken) {
        throw new RelayError('long_poll_disabled', reason('long_poll_off', { bot_id: bot.id }));
      }
      return deps.pullers.poll({ ...request, keepsPending: bot.keep_pending });
    },
  };
}

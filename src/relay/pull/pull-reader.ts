import { defaultApp } from '../../core/apps/app.ts';
import { pullReader, pushReader, readerName } from '../../core/log/reader-kinds.ts';
import type { WebhookRepository } from '../../store/delivery/webhooks.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { LogReader } from '../log/log-readers.ts';
import { forwards } from '../delivery/push-target.ts';
import type { Pullers } from './pullers.ts';

interface PullReaderDeps {
  pullers: Pullers;
  webhooks: Pick<WebhookRepository, 'get'>;
}

/** Serves the polls of bot libraries and of named consumers. */
export const createPullReader = ({ pullers, webhooks }: PullReaderDeps): LogReader => ({
  isActive(bot, reader, app) {
    if (!app || app.name === defaultApp || reader === pullReader) return bot.long_poll_enabled;
    // An app without its own token polls as the bot does.
    return app.mode === 'poll' && !app.disabled && (app.hasToken || bot.long_poll_enabled);
  },
  async prepare(bot) {
    if (!bot.long_poll_enabled) return;
    // While a webhook is set through the gateway, it has the queue until a client also polls.
    const hasQueue = forwards(bot) && (await webhooks.get(bot.id, pushReader)) !== undefined;
    if (!hasQueue) await pullers.ensureDefaultReader(bot.id);
  },
  rewind: (botId, reader, position) => pullers.rewind(botId, readerName(reader), position),
  onMoved: (botId, reader) => pullers.moved(botId, readerName(reader)),
  isWaiting: (botId, reader) => pullers.isWaiting(botId, readerName(reader)),
  insteadOfRemoving: reason('unnamed_consumer_stays'),
});

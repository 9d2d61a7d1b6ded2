/* Finds the consumer and the app as which a poll reads. */
import { defaultApp } from '../../core/apps/app.ts';
import type { AppReaders, ReadingApp } from '../apps/app-readers.ts';
import type { PollRequest } from './apply-request.ts';
import { type ConsumerCursors, removed } from './consumer-cursors.ts';

export interface PollingApps {
  /** Undefined for the bot itself. */
  find(botId: number, consumer: string): Promise<ReadingApp | undefined>;
  /** Returns the app of the consumer, creating it if needed; undefined for the bot itself. */
  findOrAdd(request: PollRequest): Promise<ReadingApp | undefined>;
  /**
   * Returns false if the settings of the app changed meanwhile, so that the poll may have skipped
   * or shown updates by mistake.
   */
  isCurrent(app: ReadingApp): Promise<boolean>;
  /**
   * Returns the stored name of a consumer: `default` is the consumer without a name, unless a
   * consumer of that name already has a position.
   */
  consumerOf(request: PollRequest): Promise<string>;
}

export function createPollingApps(
  apps: Pick<AppReaders, 'find'>,
  cursors: ConsumerCursors,
): PollingApps {
  const find = async (botId: number, consumer: string) =>
    consumer === '' ? undefined : apps.find(botId, consumer);

  return {
    find,
    async findOrAdd({ botId, consumer, appId }) {
      if (consumer === '' || consumer === defaultApp) return undefined;
      let app = await find(botId, consumer);
      if (!app && appId === undefined) {
        await cursors.open(botId, consumer, async (at) => at);
        app = await find(botId, consumer);
      }
      if (!app || app.app.id !== (appId ?? app.app.id)) throw removed(consumer);
      return app;
    },
    async isCurrent({ app, sees }) {
      const now = await find(app.bot_id, app.name);
      return now?.sees === sees && now.app.updated_at === app.updated_at;
    },
    async consumerOf({ botId, consumer }) {
      if (consumer !== defaultApp) return consumer;
      return (await cursors.find(botId, consumer)) ? consumer : '';
    },
  };
}

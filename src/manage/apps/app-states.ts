import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import type { AppStates } from './app-view.ts';

/** Reads how far the apps of a bot have read, and what they did. */
export async function appStatesOf(
  store: Store,
  bot: Pick<BotRecord, 'id' | 'username'>,
): Promise<AppStates> {
  const [readers, webhooks, activity, apps] = await Promise.all([
    store.readers.list(bot.id),
    store.webhooks.list(bot.id),
    store.apps.activity(bot.id),
    store.apps.list(bot.id),
  ]);
  // Read the head last, so that no reader seems to be ahead of the log.
  const head = await store.log.head(bot.id);
  const unread = await store.unread.count(bot, apps, head, readers);
  return { readers, webhooks, activity, unread };
}

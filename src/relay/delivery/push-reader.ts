import { pushReader, readerName, readerOf } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { AppReaders, ReadingApp } from '../apps/app-readers.ts';
import type { LogReader } from '../log/log-readers.ts';
import { forwards, type PushBot, type PushTarget } from './push-target.ts';
import type { Pushers } from './pushers.ts';

/** Returns the bot as the named reader delivers it; undefined if there is no such app. */
export async function pushBotFor(
  apps: AppReaders,
  bot: BotRecord,
  reader: string,
): Promise<PushBot | undefined> {
  if (reader === pushReader) return bot;
  const found = await apps.find(bot.id, readerName(reader));
  return found && botOfApp(bot, found);
}

/** Creates the reader that forwards to the backends of the bot and of its apps. */
export function createPushReader({
  pushers,
  apps,
}: {
  pushers: Pushers;
  apps: AppReaders;
}): LogReader {
  return {
    isActive(bot, reader, app) {
      if (reader === pushReader) return forwards(bot);
      return app?.mode === 'webhook' && !app.disabled;
    },
    // The reader of an app is created with the app.
    prepare: (bot) => pushers.prepare(bot),
    run: {
      async apply(bot, leaseEpoch) {
        const ofApps = (await apps.list(bot)).map(
          (found): PushTarget => ({
            reader: readerOf('push', found.app.name),
            bot: botOfApp(bot, found),
          }),
        );
        await pushers.applyAll(bot.id, [{ reader: pushReader, bot }, ...ofApps], leaseEpoch);
      },
      stop: pushers.stop,
      stopAll: pushers.stopAll,
    },
    onMoved: pushers.onRemoteChange,
    insteadOfRemoving: reason('push_is_no_consumer'),
  };
}

function botOfApp(
  { id, disabled, username }: BotRecord,
  { app, sees, kinds }: ReadingApp,
): PushBot {
  return {
    id,
    backend_url: app.backend_url,
    secret_token: app.secret_token,
    proxy_enabled: app.mode === 'webhook',
    disabled: disabled || app.disabled,
    urgent: app.urgent,
    per_topic: app.per_topic,
    username,
    app: { id: app.id, sees, kinds },
  };
}

import { type AppSettings, defaultAppSettings } from '../../apps/app.ts';
import { type BotSettings, defaultBotSettings } from '../../bots/bot-settings.ts';
import type { FileSection, GivenEntry } from '../file-section.ts';

export interface AppInFile extends Partial<AppSettings> {
  name: string;
  /** Stand-in token. If it is left out, an app keeps its token, and a new app has none. */
  token?: string;
  max_connections?: number;
  allowed_updates?: readonly string[];
  disabled?: boolean;
}

export interface BotInFile extends Partial<BotSettings> {
  platform_id: number;
  token?: string;
  disabled?: boolean;
  apps?: readonly AppInFile[];
}

export type BotEntry = GivenEntry<'bot', BotInFile>;
export interface AppEntry extends GivenEntry<'app', AppInFile> {
  platformId: number;
}

const botDefaults = { disabled: false, ...defaultBotSettings };
export const appDefaults = {
  ...defaultAppSettings,
  max_connections: 0,
  allowed_updates: [] as readonly string[],
  disabled: false,
};

function appEntry(platformId: number, given: AppInFile): AppEntry {
  const { name, ...settings } = given;
  const fields = { ...appDefaults, ...settings };
  return { kind: 'app', name: `${platformId}/${name}`, fields, given, platformId };
}

/** Each bot is followed by its apps. */
export const bots: FileSection<readonly BotInFile[], BotEntry | AppEntry> = {
  entries: (part) =>
    part.flatMap((given) => {
      const { platform_id: platformId, apps = [], ...settings } = given;
      const fields = { ...botDefaults, ...settings };
      const bot: BotEntry = { kind: 'bot', name: String(platformId), fields, given };
      return [bot, ...apps.map((app) => appEntry(platformId, app))];
    }),
  withChats: (part, idOf) =>
    part.map((bot) => {
      const apps = bot.apps?.map((app) =>
        app.filter?.chat_ids
          ? { ...app, filter: { ...app.filter, chat_ids: today(app.filter.chat_ids, idOf) } }
          : app,
      );
      return { ...bot, ...(apps ? { apps } : {}) };
    }),
  written: (part, writer) =>
    part.map(({ platform_id, apps = [], ...bot }) => {
      const writtenApps = apps.map(({ name, ...app }) => ({
        name,
        ...writer.settings(app, appDefaults, 'APP', platform_id, name),
      }));
      return {
        platform_id,
        ...writer.settings(bot, botDefaults, 'BOT', platform_id),
        ...(apps.length === 0 ? {} : { apps: writtenApps }),
      };
    }),
};

/** If a list has both the former and the new ID of a chat, the chat is listed once. */
function today(chatIds: readonly number[], idOf: (chatId: number) => number): readonly number[] {
  const ids = chatIds.map(idOf);
  return ids.some((id, index) => id !== chatIds[index]) ? [...new Set(ids)] : chatIds;
}

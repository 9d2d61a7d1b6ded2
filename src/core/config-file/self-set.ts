/* Webhooks that clients set themselves by setWebhook: a file that does not mention them leaves them alone. */
import type { ConfigDocument, FileEntry } from './document.ts';
import { type ConfigEntry, entryKey } from './plan.ts';
import type { AppInFile, BotInFile } from './sections/bots.ts';

/** The settings of an entry that setWebhook sets. */
const webhookFields = {
  bot: ['backend_url', 'secret_token', 'proxy_enabled'],
  app: ['mode', 'backend_url', 'secret_token', 'max_connections', 'allowed_updates'],
};

/** The part of a bot or an app that its client set itself. */
export interface SelfSetWebhook {
  kind: 'bot' | 'app';
  name: string;
  fields: Required<Pick<BotInFile, 'backend_url' | 'secret_token'>> &
    Pick<BotInFile, 'proxy_enabled'> &
    Pick<AppInFile, 'mode' | 'max_connections' | 'allowed_updates'>;
}

export function selfSetPart(entry: ConfigEntry & Pick<SelfSetWebhook, 'kind'>): SelfSetWebhook {
  const { kind, name, fields } = entry;
  const set = webhookFields[kind].map((field) => [field, fields[field]] as const);
  return { kind, name, fields: Object.fromEntries(set) as SelfSetWebhook['fields'] };
}

/**
 * Returns what a file leaves to the client; nothing if the file states another backend, or that
 * there is none.
 */
export function leftToClient({ given }: FileEntry, { fields }: SelfSetWebhook): object {
  const stated = given as Readonly<Record<string, unknown>>;
  const { mode = fields.mode, backend_url: url = fields.backend_url } = stated;
  const isOther = mode !== fields.mode || url !== fields.backend_url;
  const left = Object.entries(fields).filter(([field]) => stated[field] === undefined);
  return isOther ? {} : Object.fromEntries(left);
}

export function withoutSelfSet(
  document: ConfigDocument,
  selfSet: readonly SelfSetWebhook[],
): ConfigDocument {
  const own = new Map(selfSet.map((entry) => [entryKey(entry), entry.fields]));
  const rest = <T extends object>(settings: T, key: string): T => {
    const isOwn = (field: string) => field in (own.get(key) ?? {});
    const kept = Object.entries(settings).filter(([field]) => !isOwn(field));
    return Object.fromEntries(kept) as T;
  };
  const bots = document.bots?.map(({ apps, ...bot }): BotInFile => {
    const id = bot.platform_id;
    const left = apps?.map((app) => rest(app, `app ${id}/${app.name}`));
    return { ...rest(bot, `bot ${id}`), ...(left ? { apps: left } : {}) };
  });
  return { ...document, ...(bots ? { bots } : {}) };
}

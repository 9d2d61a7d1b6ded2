import { defaultApp, defaultAppSettings } from '../../core/apps/app.ts';
import { type BotSettings, botSettingNames } from '../../core/bots/bot-settings.ts';
import {
  type AppInFile,
  type BotInFile,
  type ChannelInFile,
  type ConfigDocument,
  entriesOf,
  type RouteInFile,
} from '../../core/config-file/document.ts';
import { entryKey } from '../../core/config-file/plan.ts';
import { type SelfSetWebhook, selfSetPart } from '../../core/config-file/self-set.ts';
import { isoTime } from '../../core/iso-time.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import type { AppRecord } from '../../core/apps/app.ts';
import type { AlertChannel } from '../../core/ops/alert-channel.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { StoredApiKey } from '../../store/access/api-keys.ts';
import type { StoredUser } from '../../store/access/users.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import type { StoredWebhook } from '../../store/delivery/webhooks.ts';
import type { Store } from '../../store/store.ts';
import { optionsOf, readerOfApp } from '../apps/app-view.ts';
import type { LlmConfigService } from '../routing/llm-config.ts';

/** The configuration of a service, and the records behind its entries. */
export interface CurrentConfig {
  document: ConfigDocument;
  bots: readonly BotRecord[];
  /** By the name of their entry. */
  apps: ReadonlyMap<string, { app: AppRecord; webhook: StoredWebhook | undefined }>;
  /** By the name of their entry. */
  routes: ReadonlyMap<string, RouteRecord>;
  users: readonly StoredUser[];
  /** By the name of their entry. */
  keys: ReadonlyMap<string, StoredApiKey>;
  /** By the name of their entry. */
  channels: ReadonlyMap<string, AlertChannel>;
  /** By the key of their entry. */
  selfSet: ReadonlyMap<string, SelfSetWebhook>;
}

export async function readCurrentConfig(
  store: Store,
  llmConfig: Pick<LlmConfigService, 'own'>,
): Promise<CurrentConfig> {
  const bots = [...(await store.bots.list())].sort((a, b) => a.platform_id - b.platform_id);
  requireOneOfEach(bots);
  const platformIds = new Map(bots.map((bot) => [bot.id, bot.platform_id]));
  const platformIdOf = (id: number) => platformIds.get(id) ?? 0;
  const named = (ids: readonly number[]) =>
    ids.flatMap((id) => platformIds.get(id) ?? []).sort((a, b) => a - b);

  const apps = new Map<string, { app: AppRecord; webhook: StoredWebhook | undefined }>();
  const selfSet = new Set<string>();
  const botsInFile: BotInFile[] = [];
  for (const bot of bots) {
    const webhooks = await store.webhooks.list(bot.id);
    const own = (await store.apps.list(bot.id)).filter(({ name }) => name !== defaultApp);
    const inFile = own.map((app) => {
      const reader = readerOfApp(app);
      const webhook = reader === undefined ? undefined : webhooks.get(reader);
      const name = `${bot.platform_id}/${app.name}`;
      apps.set(name, { app, webhook });
      if (webhook?.isSelfSet) selfSet.add(entryKey({ kind: 'app', name }));
      return appInFile(app, webhook);
    });
    if (webhooks.get(pushReader)?.isSelfSet) {
      selfSet.add(entryKey({ kind: 'bot', name: String(bot.platform_id) }));
    }
    botsInFile.push({
      platform_id: bot.platform_id,
      token: bot.token,
      disabled: bot.disabled,
      ...settingsOf(bot),
      apps: inFile,
    });
  }
  // Stable, so that those of a bot stay in the order in which they act.
  const routes = (await store.routes.list()).sort(
    (a, b) => platformIdOf(a.source_bot_id) - platformIdOf(b.source_bot_id),
  );
  const users = (await store.users.list()).sort((a, b) => byText(a.username, b.username));
  const keys = namedKeys(await store.apiKeys.list());
  // One whose bots are all gone hears of nothing. Without them it would hear of every bot.
  const channels = (await store.alertChannels.list()).filter(
    ({ bot_ids }) => bot_ids.length === 0 || named(bot_ids).length > 0,
  );
  const model = await llmConfig.own();
  const document: ConfigDocument = {
    version: 1,
    bots: botsInFile,
    routes: routes.map(({ id: _id, source_bot_id, target_bot_id, ...route }) => {
      const { action, condition_type, condition_value, source_chat_id, target_chat_id, ...rest } =
        route;
      return {
        source: platformIdOf(source_bot_id),
        target: platformIdOf(target_bot_id),
        action,
        condition_type,
        condition_value,
        source_chat_id,
        target_chat_id,
        ...rest,
      } as RouteInFile;
    }),
    ...(model ? { model } : {}),
    users: users.map(({ username, role, botIds, disabled }) => ({
      username,
      role,
      bots: named(botIds ?? []),
      disabled,
    })),
    keys: [...keys].map(([name, { scope, botIds, expiresAt, disabled }]) => ({
      name,
      scope,
      ...(botIds === null ? {} : { bots: named(botIds) }),
      expires_at: isoTime(expiresAt ?? 0),
      disabled,
    })),
    alert_channels: channels.map((channel) => ({
      ...channelInFile(channel),
      ...(channel.type === 'telegram' ? { bot: platformIdOf(channel.bot_id) } : {}),
      bots: named(channel.bot_ids),
    })),
  };
  const { alert_channels = [], routes: routesInFile = [] } = document;
  return {
    document,
    bots,
    apps,
    routes: byEntryName({ version: 1, routes: routesInFile }, routes),
    users,
    keys,
    channels: byEntryName({ version: 1, alert_channels }, channels),
    selfSet: new Map(
      entriesOf({ version: 1, bots: botsInFile })
        .filter((entry) => entry.kind === 'bot' || entry.kind === 'app')
        .filter((entry) => selfSet.has(entryKey(entry)))
        .map((entry) => [entryKey(entry), selfSetPart(entry)]),
    ),
  };
}

/** Bots are known by their platform ID here. Earlier versions took a second bot of the same. */
function requireOneOfEach(bots: readonly BotRecord[]): void {
  for (const [platformId, same] of Map.groupBy(bots, (bot) => bot.platform_id)) {
    if (same.length === 1) continue;
    const bot_ids = same.map(({ id }) => id).sort((a, b) => a - b);
    throw new RelayError('conflict', reason('bots_share_id', { bot_ids, platform_id: platformId }));
  }
}

/** The records behind the entries of one section, in the same order. */
function byEntryName<T>(section: ConfigDocument, records: readonly T[]): ReadonlyMap<string, T> {
  return new Map(entriesOf(section).map(({ name }, index) => [name, records[index] as T]));
}

/** Keys may share a name: the later ones are told apart by a number that no other name has. */
function namedKeys(list: readonly StoredApiKey[]): ReadonlyMap<string, StoredApiKey> {
  const keys = [...list].sort((a, b) => byText(a.name, b.name) || a.id - b.id);
  const taken = new Set(keys.map(({ name }) => name));
  const named = new Map<string, StoredApiKey>();
  for (const key of keys) {
    let { name } = key;
    for (let count = 2; named.has(name) || (name !== key.name && taken.has(name)); count++) {
      name = `${key.name} #${count}`;
    }
    named.set(name, key);
  }
  return named;
}

function settingsOf(bot: BotRecord): BotSettings {
  return Object.fromEntries(botSettingNames.map((name) => [name, bot[name]])) as BotSettings;
}

const appSettingNames = Object.keys(defaultAppSettings) as (keyof typeof defaultAppSettings)[];

function appInFile(app: AppRecord, webhook: StoredWebhook | undefined): AppInFile {
  return {
    name: app.name,
    ...Object.fromEntries(appSettingNames.map((name) => [name, app[name]])),
    ...optionsOf(webhook),
    disabled: app.disabled,
  };
}

function channelInFile(channel: AlertChannel): ChannelInFile {
  const { allowed_user_ids, chat_id, delay_seconds, disabled, kinds, url } = channel;
  const { message_thread_id, min_severity, quiet_hours } = channel;
  return {
    ...(url === '' ? { chat_id, message_thread_id } : { url }),
    kinds,
    min_severity,
    delay_seconds,
    quiet_hours,
    allowed_user_ids,
    disabled,
  };
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
